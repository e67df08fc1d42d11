"""What the front layer knows of the session that a socket of `/ws` plays in."""

from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from quantum_circuit_env.server.environment import QuantumCircuitEnvironment


class Socket:
    """One socket of `/ws`, or one request over HTTP.

    Attributes:
        environment: the session's environment from its first reset on; None before.
    """

    __slots__ = ("environment",)

    def __init__(self) -> None:
        self.environment: QuantumCircuitEnvironment | None = None


SOCKET: Final[ContextVar[Socket | None]] = ContextVar("SOCKET", default=None)
"""The socket on whose behalf this code runs, None where there is none, as in process."""
