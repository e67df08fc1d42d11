"""A provider that several threads share, and what it tells of its replies."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from quantum_circuit_env.agents.completions import read_completion
from quantum_circuit_env.agents.provider import Message, ProviderError
from quantum_circuit_env.agents.replies import Reply, Usage
from support.fake_provider import TOKENS_IN, TOKENS_OUT, FakeProvider, completion

REFUSED = json.dumps({"error": {"message": "unsupported", "param": "temperature"}})


class Refusing(FakeProvider):
    """Refuses the temperature, to two requests at the same time at first."""

    def __init__(self) -> None:
        super().__init__([completion("fine")])
        self.together = Barrier(2, timeout=30.0)

    def _ask(
        self, messages: Sequence[Message], parameters: Mapping[str, float], timeout: float
    ) -> tuple[int, Mapping[str, str], str]:
        if "temperature" in parameters:
            self.together.wait()
            return 400, {}, REFUSED
        return super()._ask(messages, parameters, timeout)


def test_threads_that_are_refused_together_both_go_on() -> None:
    provider = Refusing()
    with ThreadPoolExecutor(2) as pool:
        replies = list(pool.map(provider.reply, [[], []]))
    assert [reply.text for reply in replies] == ["fine", "fine"]
    assert provider.parameters == {"max_tokens": 2048}


def test_a_reply_tells_what_it_cost_and_who_answered() -> None:
    provider = FakeProvider([(503, "busy"), completion("fine")])
    assert provider.reply([]).usage == Usage(TOKENS_IN, TOKENS_OUT, retries=1)
    assert provider.served == {"served"}


def test_what_was_tried_in_vain_is_told() -> None:
    with pytest.raises(ProviderError) as caught:
        FakeProvider([(503, "busy")]).reply([])
    assert caught.value.retries == 2


@pytest.mark.parametrize("usage", [None, 7, {}, {"prompt_tokens": "1", "completion_tokens": True}])
def test_tokens_that_are_no_numbers_are_not_counted(usage: object) -> None:
    body = {"choices": [{"message": {"content": "fine"}}], "usage": usage}
    reply = read_completion(200, {}, json.dumps(body))
    assert isinstance(reply, Reply)
    assert reply.usage == Usage()


def test_costs_add_up_as_far_as_they_are_known() -> None:
    assert Usage(1, None, 2).plus(Usage(3, None, 4)) == Usage(4, None, 6)
    assert Usage().plus(Usage(3, 5)) == Usage(3, 5)
