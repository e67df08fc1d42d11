"""How often a service is asked: the rate that is asked for, and pauses that are not all the same."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from quantum_circuit_env.agents import provider as provider_module
from quantum_circuit_env.agents.clock import Deadline
from quantum_circuit_env.agents.endpoint import Endpoint
from quantum_circuit_env.agents.faults import Fault, Remedy
from quantum_circuit_env.agents.pace import Pace
from quantum_circuit_env.agents.provider import Limits, Provider, ProviderError
from support.fake_provider import FakeProvider, completion


class Time:
    """A clock that stands still but for who sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def paced(per_minute: float) -> tuple[Pace, Time]:
    time = Time()
    return Pace(per_minute, clock=lambda: time.now, sleep=time.sleep), time


def test_requests_are_held_to_the_rate() -> None:
    pace, time = paced(30)
    for _ in range(61):
        pace.wait()
    assert time.now - 100.0 == pytest.approx(120.0)


def test_a_second_may_be_saved_up_and_no_more() -> None:
    pace, time = paced(600)
    time.now += 3600
    for _ in range(10):
        pace.wait()
    assert time.slept == []
    for _ in range(10):
        pace.wait()
    assert sum(time.slept) == pytest.approx(1.0)


def test_threads_draw_from_one_bucket() -> None:
    time, lock = Time(), threading.Lock()
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        with lock:
            waits.append(seconds)

    pace = Pace(60, clock=lambda: time.now, sleep=sleep)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: pace.wait(), range(20)))
    assert sorted(waits) == pytest.approx(list(range(1, 20)))


def test_nobody_waits_beyond_the_end_of_the_run() -> None:
    pace, time = paced(1)
    pace.wait()
    pace.wait(longest=2.5)
    assert time.slept == [2.5]


class Counting(Pace):
    """Counts, and holds nobody back."""

    def __init__(self) -> None:
        super().__init__(60)
        self.waits = 0

    def wait(self, longest: float = 0.0) -> None:
        self.waits += 1


def test_each_request_is_paced_a_repeated_one_too_and_none_after_a_final_fault() -> None:
    pace = Counting()
    provider = FakeProvider([(503, "busy"), completion("fine"), (401, "no")], pace=pace)
    provider.reply([])
    assert pace.waits == 2
    for _ in range(3):
        with pytest.raises(ProviderError, match="401"):
            provider.reply([])
    assert pace.waits == 3


def test_pauses_double_and_are_jittered_but_for_those_that_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(provider_module.time, "sleep", waits.append)
    endpoint = Endpoint("http://127.0.0.1:9/v1", "fake", "key", "API_KEY")
    provider = Provider(endpoint, Limits(pause=2.0), Deadline(float("inf")), log=lambda _text: None)
    for retries in (0, 1, 2):
        waits.clear()
        for _ in range(50):
            provider._wait(Fault(Remedy.RETRY, "busy"), retries)
        assert 2.0**retries <= min(waits) < max(waits) <= 2.0 ** (retries + 1)
    waits.clear()
    provider._wait(Fault(Remedy.RETRY, "busy", wait=7.0), 2)
    assert waits == [7.0]
