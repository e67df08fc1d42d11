"""Sessions that the server ends: idle ones, and all when it is told to end; no step is cut."""

import asyncio
from typing import Any

import pytest

from quantum_circuit_env.server.channel import Channel
from quantum_circuit_env.server.environment import QuantumCircuitEnvironment
from quantum_circuit_env.server.service import Service
from support.channels import RESET, Client, served, step

IDLE = 0.05
TOLD = f"idle: no message came for {IDLE} seconds; connect again for a new session"


@pytest.mark.parametrize("frames", [[], [RESET], [RESET, step(7, 1)]], ids=["silent", "reset", "played"])
def test_an_idle_session_is_told_so_and_closed(frames: list[str]) -> None:
    service, client = Service(idle_timeout_s=IDLE), Client(frames)
    asyncio.run(served(service, client))
    assert len(client.heard()) == len(frames) + 1
    assert client.heard()[-1] == {"type": "error", "data": {"message": TOLD, "code": "SESSION_ERROR"}}
    assert client.closed == (1001, TOLD)
    assert service.channels == set()


def test_on_mcp_the_error_is_json_rpcs() -> None:
    client = Client()
    asyncio.run(served(Service(idle_timeout_s=IDLE), client, "/mcp"))
    (answer,) = client.heard()
    assert answer["error"] == {"code": -32000, "message": TOLD, "data": None}
    assert client.closed == (1001, TOLD)


def test_without_a_time_out_nothing_ends() -> None:
    async def main() -> Client:
        client = Client([RESET])
        serving = asyncio.create_task(served(Service(), client))
        await asyncio.sleep(4 * IDLE)
        assert not serving.done()
        client.leave({"code": 1000, "reason": ""})
        await serving
        return client

    assert len(asyncio.run(main()).heard()) == 1


def test_messages_put_the_end_off() -> None:
    async def main() -> tuple[Client, float]:
        client, loop = Client([RESET]), asyncio.get_running_loop()
        serving = asyncio.create_task(served(Service(idle_timeout_s=1), client))
        began = loop.time()
        for _ in range(3):
            await asyncio.sleep(0.5)
            client.say(step(7, 1))
        await serving
        return client, loop.time() - began

    client, seconds = asyncio.run(main())
    assert len(client.heard()) == 5
    # The last frame came after one and a half seconds.
    assert seconds > 2.4


class Slow(QuantumCircuitEnvironment):
    """Takes its time for each step."""

    async def answer(self, action: Any) -> str:
        await asyncio.sleep(6 * IDLE)
        return await super().answer(action)


def test_a_step_that_takes_long_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.channels.QuantumCircuitEnvironment", Slow)
    client = Client([RESET, step(7, 1)])
    asyncio.run(served(Service(idle_timeout_s=IDLE), client))
    assert [frame["type"] for frame in client.heard()] == ["observation", "observation", "error"]
    assert client.heard()[1]["data"]["metadata"]["step"] == 1


def test_the_end_answers_what_has_arrived_and_refuses_whoever_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.channels.QuantumCircuitEnvironment", Slow)

    async def main() -> tuple[Client, Client, Client]:
        service = Service(shutdown_timeout_s=30)
        busy, quiet, late = Client([RESET, step(7, 1), step(0, 2), step(0, 2)]), Client([RESET]), Client()
        serving = [asyncio.create_task(served(service, client)) for client in (busy, quiet)]
        while not busy.sent or not quiet.sent:
            await asyncio.sleep(0)
        ending = asyncio.create_task(service.drain())
        await asyncio.sleep(0)
        await served(service, late)
        await asyncio.gather(ending, *serving)
        assert service.channels == set()
        return busy, quiet, late

    busy, quiet, late = asyncio.run(main())
    reason = "the server shuts down: connect again later"
    assert [frame["data"].get("metadata", {}).get("step") for frame in busy.heard()] == [None, 1, 2, 3]
    assert len(quiet.heard()) == 1
    assert {client.closed for client in (busy, quiet, late)} == {(1012, reason)}
    assert late.heard() == [{"type": "error", "data": {"message": reason, "code": "SESSION_ERROR"}}]


def test_the_end_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stuck(QuantumCircuitEnvironment):
        async def answer(self, action: Any) -> str:
            await asyncio.Event().wait()
            return await super().answer(action)

    monkeypatch.setattr("support.channels.QuantumCircuitEnvironment", Stuck)

    async def main() -> Client:
        service, client = Service(shutdown_timeout_s=0.1), Client([RESET, step(7, 1), step(0, 2)])
        serving = asyncio.create_task(served(service, client))
        await asyncio.sleep(0)
        await asyncio.wait_for(service.drain(), 30)
        await serving
        assert service.channels == set()
        return client

    client = asyncio.run(main())
    assert len(client.heard()) == 1
    assert client.closed == (1012, "the server shuts down: connect again later")


def test_a_cancellation_of_somebody_elses_stays_one() -> None:
    async def main() -> None:
        client = Client()
        serving = asyncio.create_task(served(Service(idle_timeout_s=60), client))
        while not client.sent:
            await asyncio.sleep(0)
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving

    asyncio.run(main())


def test_a_frame_at_the_last_moment_saves_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client([RESET])
    end = Channel.end

    def end_late(channel: Channel, ending: Any) -> None:
        if len(client.heard()) == 1:
            client.say(step(7, 1))
        end(channel, ending)

    monkeypatch.setattr(Channel, "end", end_late)
    asyncio.run(served(Service(idle_timeout_s=IDLE), client))
    assert [frame["type"] for frame in client.heard()] == ["observation", "observation", "error"]
    assert client.closed == (1001, TOLD)
