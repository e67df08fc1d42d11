"""A model's service without a network: a provider that gets scripted responses instead of asking."""

import json
from collections.abc import Iterable, Mapping
from itertools import cycle

from quantum_circuit_env.agents.clock import Deadline
from quantum_circuit_env.agents.endpoint import Endpoint
from quantum_circuit_env.agents.pace import Pace
from quantum_circuit_env.agents.provider import Limits, Provider

TOKENS_IN, TOKENS_OUT = 100, 7
"""What each reply costs by the service's account."""


def completion(text: str, finish_reason: str = "stop") -> tuple[int, str]:
    """Return status and body of a reply."""
    choice = {"finish_reason": finish_reason, "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT}
    return 200, json.dumps({"model": "served", "choices": [choice], "usage": usage})


class FakeProvider(Provider):
    """Answers in the order of the script, over and over."""

    def __init__(
        self, script: Iterable[tuple[int, str]], *, key: str = "key", pace: Pace | None = None
    ) -> None:
        endpoint = Endpoint("http://127.0.0.1:9/v1", "fake", key, "API_KEY")
        limits = Limits(retries=2, pause=0.0)
        super().__init__(endpoint, limits, Deadline(float("inf")), log=lambda _text: None, pace=pace)
        self._script = cycle(script)

    def _ask(self, *_request: object) -> tuple[int, Mapping[str, str], str]:
        status, body = next(self._script)
        return status, {}, body
