"""What openenv-core 0.3.0 cannot do, on which this server runs too."""

from inspect import signature
from typing import Any, Final

from openenv.core.env_server.http_server import HTTPEnvServer

_PARAMETERS: Final = signature(HTTPEnvServer).parameters

TELLS_METADATA: Final = "state_cls" in _PARAMETERS
"""Whether OpenEnv tells an observation's metadata, which 0.3.0 leaves out."""


def known(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return those of the arguments that this OpenEnv's server takes."""
    return {name: value for name, value in arguments.items() if name in _PARAMETERS}
