"""Keeping credentials out of what is stored: texts that hold one, or look as if they did, are not written."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from quantum_circuit_env.agents.masking import LOOKS, WITHHELD, masked

_SHORTEST: Final = 8
"""Characters of a known secret below which it may well be found by chance."""


class CredentialError(ValueError):
    """Raised where a credential would be stored; names the place, never the credential."""


def refuse_credentials(what: str, value: object, secrets: Iterable[str] = ()) -> None:
    """Raise a CredentialError if a text anywhere in a JSON-like value holds a credential.

    Args:
        what: name of the value, for the error.
        value: mappings, lists and tuples of texts and anything else.
        secrets: the credentials that are known; others are known by their looks.
    """
    known = tuple(secrets)
    for place, text in _texts(what, value):
        if suspicious(text, known):
            raise CredentialError(
                f"{place} seems to hold a credential, which would be stored: "
                "keys are read from the environment only"
            )


def suspicious(text: str, secrets: Iterable[str] = ()) -> bool:
    """Say whether a text holds a known secret or something that looks like a credential."""
    held = any(len(secret) >= _SHORTEST and secret in text for secret in secrets)
    return held or LOOKS.search(text) is not None


def withheld(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a text of somebody else's, cut to a line's length, or WITHHELD if it may hold a credential."""
    return WITHHELD if suspicious(text, secrets) else " ".join(text.split())[:200]


def masked_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return a text that is to be kept word for word, with WITHHELD where a known secret stands."""
    return masked(text, (secret for secret in secrets if len(secret) >= _SHORTEST))


def _texts(place: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield each text of the value with its place; the place of a key is that of its mapping."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield place, str(key)
            # A key that has passed can be shown.
            yield from _texts(f"{place}.{key}", inner)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _texts(f"{place}[{index}]", inner)
