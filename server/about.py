"""What this environment says of itself: the facts of its distribution, and its README."""

import re
from functools import cache
from importlib.metadata import metadata
from importlib.resources import files
from typing import Final, NamedTuple

from openenv.core.env_server.types import EnvironmentMetadata

NAME: Final = "quantum_circuit_env"
"""Name of the environment, as in `openenv.yaml` and in the task API's paths."""


class Facts(NamedTuple):
    """Summary and version of the installed distribution."""

    description: str
    version: str


@cache
def facts() -> Facts:
    """Return what the installed distribution states."""
    stated = metadata("openenv-quantum-circuit-env")
    return Facts(description=stated["Summary"], version=stated["Version"])


@cache
def describe() -> EnvironmentMetadata:
    """Return the environment's metadata, README included; read at the first call."""
    stated = facts()
    return EnvironmentMetadata(
        name=NAME, description=stated.description, version=stated.version, readme_content=readme()
    )


def readme() -> str:
    """Return the README without the front matter that a Space needs."""
    return without_front_matter((files("quantum_circuit_env") / "README.md").read_text(encoding="utf-8"))


def without_front_matter(text: str) -> str:
    """Return Markdown without the YAML between two lines `---`, of which the first is the text's first."""
    return re.sub(r"\A---\n.*?^---\n\s*", "", text, count=1, flags=re.DOTALL | re.MULTILINE)
