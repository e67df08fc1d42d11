"""How much a client may send: sizes that a message and a circuit have at most, and requests of a session."""

from dataclasses import dataclass
from typing import Final

from qrewrite.circuits import MAX_GATES, MAX_QUBITS


@dataclass(frozen=True)
class Limits:
    """What is allowed at most; the defaults are those of the settings.

    Attributes:
        message_bytes: bytes of a frame or of an HTTP body.
        circuit_gates: gates of a caller's own circuit.
        circuit_qubits: qubits of a caller's own circuit.
        session_requests: frames of one session in all; 0 for any number.
        requests_per_second: frames of one session in a second, as long as it goes on; 0 for any number.
    """

    message_bytes: int = 2**21
    circuit_gates: int = MAX_GATES
    circuit_qubits: int = MAX_QUBITS
    session_requests: int = 0
    requests_per_second: int = 0

    @property
    def too_large(self) -> str:
        """What is said of a larger message."""
        return f"too large: a message may have at most {self.message_bytes} bytes"

    @property
    def too_many(self) -> str:
        """What is said of a request too many."""
        return (
            f"too many requests: a session may send at most {self.session_requests}; "
            "connect again for another session"
        )

    @property
    def too_fast(self) -> str:
        """What is said of a request too soon."""
        return f"too many requests: a session may send at most {self.requests_per_second} a second"

    def exceeded_by(self, text: str) -> bool:
        """Say whether a text is too large as UTF-8; it is encoded only where that could decide."""
        length = len(text)
        return length > self.message_bytes or (
            length * 4 > self.message_bytes and len(text.encode(errors="surrogatepass")) > self.message_bytes
        )


DEFAULT: Final = Limits()
"""What is allowed where nobody has set it."""
