"""What an agent is, beside its name."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, ClassVar, Final

from pydantic import ConfigDict, Field

from quantum_circuit_env.agents.endpoint import Endpoint
from quantum_circuit_env.agents.replies import PARSER_VERSION
from quantum_circuit_env.evals.credentials import refuse_credentials
from quantum_circuit_env.evals.revision import canonical, digest, prompt_digest

NOT_SENT: Final = "not sent"
"""Value of a decoding setting that is left to the model's service."""

NAME_PATTERN: Final = r"^[ -~]+$"
"""Printable ASCII, which forges nothing where it is shown."""

_DECODING: Final = ("temperature", "top_p", "max_tokens", "seed", "reasoning_effort")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """Two agents that differ in anything here are two agents.

    Attributes:
        agent_id: canonical text of its spec, printable ASCII, for tables show it.
        model: the model that is asked for; null for agents that ask none, as are endpoint, prompt and parser.
        endpoint: host of the model's service.
        sent: decoding setting → its value, or `not sent`; empty for agents that ask no model.
        prompt: digest of the prompt's template.
        parser: version of the parser of replies.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    agent_id: Annotated[str, Field(pattern=NAME_PATTERN)]
    model: str | None
    endpoint: str | None
    sent: dict[str, int | float | str]
    prompt: str | None
    parser: str | None

    @property
    def digest(self) -> str:
        """Short text that is the same for equal fingerprints only."""
        return digest(canonical(asdict(self)))


def fingerprint(
    spec: object, endpoint: Endpoint | None = None, sent: Mapping[str, float | str] | None = None
) -> Fingerprint:
    """Return the fingerprint of an agent.

    Args:
        spec: its spec, whose text is the canonical one.
        endpoint: where its model is served, for an agent that asks one.
        sent: the settings that are sent with each request.

    Raises:
        CredentialError: if the spec, the model's name or a setting holds the key, or seems to hold one.
    """
    asks = endpoint is not None
    made = Fingerprint(
        agent_id=str(spec),
        model=endpoint.model if endpoint else None,
        endpoint=endpoint.host if endpoint else None,
        sent={**dict.fromkeys(_DECODING, NOT_SENT), **(sent or {})} if asks else {},
        prompt=prompt_digest() if asks else None,
        parser=PARSER_VERSION if asks else None,
    )
    refuse_credentials("agent", asdict(made), (endpoint.key,) if endpoint else ())
    return made
