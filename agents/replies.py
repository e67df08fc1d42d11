"""Reading a model's reply: an action exactly as it was written, or the class of what was written instead."""

import json
import re
from typing import Any, Final, NamedTuple

from qrewrite.game import Action
from qrewrite.rules import RULES
from quantum_circuit_env.agents.agent import Decision
from quantum_circuit_env.agents.vocabulary import ErrorClass

PARSER_VERSION: Final = "1"
"""Raised when any reply is read in another way than before."""

MAX_REPLY: Final = 100_000
"""Characters beyond which a reply is not looked at."""

_KEYS: Final = {"target_index", "action_type"}
_MAX_INDEX: Final = 2**63 - 1
_THINK_TAG: Final = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_STRUCTURE: Final = re.compile(r"[{}\[]")
_BEGINS_ARRAY: Final = re.compile(r"\[\s*\{\s*\"")
_BEGINS_OBJECT: Final = re.compile(r"\{\s*[\"}]")


class Usage(NamedTuple):
    """What replies cost.

    Attributes:
        tokens_in, tokens_out: as the service counted them; None if it did not.
        retries: requests that were repeated.
    """

    tokens_in: int | None = None
    tokens_out: int | None = None
    retries: int = 0

    def plus(self, other: "Usage") -> "Usage":
        """Return the sum; tokens that one of the two does not know are left out of it."""
        return Usage(
            _sum(self.tokens_in, other.tokens_in),
            _sum(self.tokens_out, other.tokens_out),
            self.retries + other.retries,
        )


def _sum(first: int | None, second: int | None) -> int | None:
    known = [count for count in (first, second) if count is not None]
    return sum(known) if known else None


class Reply(NamedTuple):
    """What a model's service sent for one turn.

    Attributes:
        text: the reply itself, possibly empty.
        cut_off: whether the service says that it stopped at the token limit.
        refused: whether the service flags it as a refusal.
        finish_reason: why it stopped, in the service's word; empty if it does not say.
        model: name that the service gives the model that answered.
        usage: what it cost.
    """

    text: str
    cut_off: bool = False
    refused: bool = False
    model: str = ""
    usage: Usage = Usage()
    finish_reason: str = ""


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as its pairs in the order of writing, so that repeated keys show."""


def read_reply(reply: Reply) -> Decision:
    """Return the action that a reply is, or why it is none; nothing is guessed and nothing is mended.

    An action is the last complete JSON object of the reply, bare, fenced or in prose, outside think blocks.
    """
    if not reply.text.strip() and not reply.refused:
        return Decision(None, ErrorClass.EMPTY_OUTPUT)
    if reply.refused:
        return Decision(None, ErrorClass.BUDGET_EXHAUSTED if reply.cut_off else ErrorClass.REFUSAL)
    answer = _without_thinking(reply.text)
    if answer is None:
        return Decision(None, ErrorClass.BUDGET_EXHAUSTED)
    found = _last_value(answer) if len(answer) <= MAX_REPLY else None
    if isinstance(found, _Pairs):
        return _as_action(found, strict=_is_bare(reply.text))
    if reply.cut_off:
        return Decision(None, ErrorClass.BUDGET_EXHAUSTED)
    return Decision(None, ErrorClass.UNPARSEABLE if answer.strip() else ErrorClass.EMPTY_OUTPUT)


def _as_action(pairs: _Pairs, *, strict: bool) -> Decision:
    values = dict(pairs)
    if len(pairs) != len(_KEYS) or set(values) != _KEYS:
        return Decision(None, ErrorClass.WRONG_KEYS)
    index, kind = values["target_index"], values["action_type"]
    if type(index) is not int or type(kind) is not int or not 0 <= index <= _MAX_INDEX or kind not in RULES:
        return Decision(None, ErrorClass.WRONG_TYPE_OR_RANGE)
    return Decision(Action(index, kind), strict=strict)


def _is_bare(text: str) -> bool:
    text = text.strip()
    return text.startswith("{") and _decoded(text, 0)[1] == len(text)


def _without_thinking(text: str) -> str | None:
    """Return what stands outside think blocks, or None when the last block is not closed.

    A closing tag alone ends a block that began before the reply: some chat templates open it in the prompt.
    """
    kept: list[str] = []
    start, thinking = 0, False
    for tag in _THINK_TAG.finditer(text):
        if tag[1]:
            if not thinking:
                kept.clear()
            start, thinking = tag.end(), False
        elif not thinking:
            kept.append(text[start : tag.start()])
            thinking = True
    return None if thinking else "".join((*kept, text[start:]))


def _last_value(text: str) -> object:
    """Return the last complete JSON object (or array of such) that is not part of something else, or None."""
    found: object = None
    closing = _closing_braces(text)
    position = 0
    while opening := _next_opening(text, position):
        at = opening.start()
        is_json = text[at] == "[" or _BEGINS_OBJECT.match(text, at) is not None
        # Braces that begin no JSON stay away from the decoder: each refusal costs it a look at all text.
        value, end = _decoded(text, at) if is_json else (None, 0)
        if end:
            found, position = value, end
        elif at in closing:
            # Braces of something else: a set, a formula, a mistyped object. What is inside is not in prose.
            position = closing[at] + 1
        elif is_json:
            # Begun and never ended: what follows would be a part of it.
            break
        else:
            position = at + 1
    return found


def _next_opening(text: str, position: int) -> re.Match[str] | None:
    """Return the next brace, or the next bracket that opens an array of objects."""
    for found in _STRUCTURE.finditer(text, position):
        if found[0] == "{" or (found[0] == "[" and _BEGINS_ARRAY.match(text, found.start())):
            return found
    return None


def _closing_braces(text: str) -> dict[int, int]:
    """Return the place of the closing brace for each opening one that has one."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for found in _STRUCTURE.finditer(text):
        if found[0] == "{":
            opened.append(found.start())
        elif found[0] == "}" and opened:
            pairs[opened.pop()] = found.start()
    return pairs


def _decoded(text: str, at: int) -> tuple[object, int]:
    """Return the JSON value that starts at a place and where it ends; the end is 0 when there is none."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, 0


def _int(digits: str) -> int | float:
    """Return an integer, or infinity for one that is too long to be of use, whose reading would cost much."""
    return int(digits) if len(digits) <= 20 else float("inf")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_Pairs, parse_int=_int)
