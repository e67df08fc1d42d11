"""Reading what a model's service answers: a completion, or the fault that it is instead."""

import json
from collections.abc import Mapping
from typing import Any

from quantum_circuit_env.agents.faults import Fault, body_fault, status_fault
from quantum_circuit_env.agents.replies import Reply, Usage


def read_completion(status: int, headers: Mapping[str, str], text: str) -> Reply | Fault:
    """Return the reply in a response, or the fault that the response is."""
    try:
        body = json.loads(text)
    except ValueError:
        body = text
    if status >= 400:
        return status_fault(status, body, headers)
    match body:
        case {"choices": [{"message": {} as message} as choice, *_]} if not _broken(choice):
            return _reply(body, choice, message)
    return body_fault(body)


def _broken(choice: Mapping[str, Any]) -> bool:
    """Say whether a service reports with this choice that it failed half-way."""
    return bool(choice.get("error")) or choice.get("finish_reason") == "error"


def _usage(told: object) -> Usage:
    """Return the tokens that a service counted, as far as it tells numbers of them."""
    counts = told if isinstance(told, Mapping) else {}
    return Usage(_count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens")))


def _count(told: object) -> int | None:
    return told if type(told) is int and told >= 0 else None


def _reply(body: Mapping[str, Any], choice: Mapping[str, Any], message: Mapping[str, Any]) -> Reply:
    reason = choice.get("finish_reason")
    return Reply(
        _text(message.get("content")),
        cut_off=reason == "length",
        refused=bool(message.get("refusal")) or reason == "content_filter",
        model=str(body.get("model") or ""),
        usage=_usage(body.get("usage")),
        finish_reason=reason if isinstance(reason, str) else "",
    )


def _text(content: object) -> str:
    """Return a message's content, which some services send in parts."""
    if isinstance(content, list):
        texts = [
            part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"
        ]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""
