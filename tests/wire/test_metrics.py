"""`/metrics`: what is counted, once each, on every way to step; its format; and that the docs list it."""

import asyncio
import os
import re
from pathlib import Path

import httpx
import pytest

from qrewrite.rules import ActionResult
from quantum_circuit_env.server.app import create_app
from quantum_circuit_env.server.metrics import add_metrics
from quantum_circuit_env.server.service import Service
from quantum_circuit_env.server.settings import Settings
from quantum_circuit_env.server.tally import BUCKETS, Tally
from support.channels import RESET, Client, served, step
from support.scrapes import parsed, scraped, total
from support.sockets import session

DOCS = (Path(__file__).parents[2] / "docs" / "operations.md").read_text("utf-8")
PREFIX = "quantum_circuit_"


def test_every_way_to_play_is_counted_once(server_url: str) -> None:
    before = scraped(server_url)
    with session(server_url) as one:
        one.reset(task="easy", seed=42)
        one.step(7, 1)
        # With another order of keys a step goes through OpenEnv's route.
        one.ask('{"data": {"target_index": 0, "action_type": 1}, "type": "step"}')
        one.reset(task="easy", seed=42, plans=True)
        one.step(7, 1, then=[{"target_index": 0, "action_type": 1}, {"target_index": 0, "action_type": 1}])
        one.refused("[]", "VALIDATION_ERROR")
        one.refused({"type": "fly"}, "UNKNOWN_TYPE")
        one.reset(task="easy", seed=42)
        one.refused(
            '{"type": "step", "data": {"target_index": 7, "action_type": 1, "then": '
            '[{"target_index": 0, "action_type": 1}]}}',
            "EXECUTION_ERROR",
        )
    httpx.post(f"{server_url}/reset", json={"task": "hard"}, trust_env=False, timeout=60).raise_for_status()
    httpx.post(f"{server_url}/reset", json={"task": "none"}, trust_env=False, timeout=60)
    after = scraped(server_url)

    def more(name: str) -> float:
        return after[PREFIX + name] - before[PREFIX + name]

    assert more('steps_total{result="cancelled"}') == 2
    assert more('steps_total{result="not_cancellable"}') == 2
    assert total(after, f"{PREFIX}steps_total") - total(before, f"{PREFIX}steps_total") == 4
    # A plan is one step.
    assert more("step_duration_seconds_count") == 3
    assert more("step_duration_seconds_sum") > 0
    assert more('resets_total{task="easy",transport="ws"}') == 3
    assert more('resets_total{task="hard",transport="http"}') == 1
    assert total(after, f"{PREFIX}resets_total") - total(before, f"{PREFIX}resets_total") == 4
    for code in ("VALIDATION_ERROR", "UNKNOWN_TYPE", "EXECUTION_ERROR"):
        assert more(f'errors_total{{code="{code}",transport="ws"}}') == 1
    assert more('errors_total{code="422",transport="http"}') == 1
    assert more("sessions_opened_total") == 1


@pytest.mark.parametrize(
    ("leaves", "reason"),
    [
        ({"code": 1000, "reason": ""}, "client"),
        ({"code": 1005, "reason": ""}, "client"),
        ({"code": 1005}, "lost"),
        ({"code": 1012}, "shutdown"),
    ],
)
def test_why_sessions_end(leaves: dict[str, object], reason: str) -> None:
    service, client = Service(), Client([RESET, step(7, 1)])
    client.leave(leaves)
    asyncio.run(served(service, client))
    counts = told(service.tally)
    assert counts[f'{PREFIX}sessions_closed_total{{reason="{reason}"}}'] == 1
    assert total(counts, f"{PREFIX}sessions_closed_total") == counts[f"{PREFIX}sessions_opened_total"] == 1
    assert counts[f"{PREFIX}sessions"] == 0


def told(tally: Tally, headers: dict[str, str] | None = None) -> dict[str, float]:
    """What an application with these counts tells."""
    return parsed(answered(tally, headers).text)


def answered(tally: Tally, headers: dict[str, str] | None = None) -> httpx.Response:
    from fastapi import FastAPI

    app = FastAPI()
    add_metrics(app, tally, 256)

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as http:
            return await http.get("/metrics", headers=headers)

    return asyncio.run(ask())


def test_the_histogram_adds_up() -> None:
    tally = Tally()
    seconds = (1e-6, 25e-6, 26e-6, 0.3, 60.0)
    for each in seconds:
        tally.step(ActionResult.SWAPPED, round(each * 1e9))
    counts = told(tally)
    name = f"{PREFIX}step_duration_seconds"
    for bound in BUCKETS:
        assert counts[f'{name}_bucket{{le="{bound:g}"}}'] == sum(each <= bound for each in seconds)
    assert counts[f'{name}_bucket{{le="+Inf"}}'] == counts[f"{name}_count"] == len(seconds)
    assert counts[f"{name}_sum"] == pytest.approx(sum(seconds))


def test_workers_that_have_ended_still_count_but_hold_no_sessions(tmp_path: Path) -> None:
    tally = Tally(tmp_path)
    tally.opened()
    (own,) = tmp_path.iterdir()
    # As a killed worker leaves its file, which nobody holds any more.
    (tmp_path / own.name.replace(str(os.getpid()), "1", 1)).write_bytes(own.read_bytes())
    (tmp_path / "2.00000000.counts").write_bytes(own.read_bytes())
    counts = told(tally)
    assert counts[f"{PREFIX}sessions_opened_total"] == 2
    assert (counts[f"{PREFIX}sessions"], counts[f"{PREFIX}workers"]) == (1, 1)


def test_the_format_is_that_which_is_asked_for(server_url: str) -> None:
    with httpx.Client(base_url=server_url, trust_env=False, timeout=60) as http:
        answer = http.get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        head = http.head("/metrics")
        assert (head.status_code, head.content) == (200, b"")
        open_metrics = http.get("/metrics", headers={"accept": "application/openmetrics-text; version=1.0.0"})
        assert open_metrics.headers["content-type"].startswith("application/openmetrics-text")
        assert open_metrics.text.endswith("# EOF\n")
        documented = http.get("/openapi.json").json()["paths"]["/metrics"]["get"]["responses"]["200"]
        assert list(documented["content"]) == ["text/plain"]


def test_the_page_is_there_under_a_prefix_too() -> None:
    app = create_app(Settings())

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app, root_path="/prefix")
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            return await http.get("/prefix/metrics")

    assert asyncio.run(ask()).status_code == 200


def test_the_docs_list_every_metric_and_label() -> None:
    names = {re.sub("_(bucket|sum|count)$", "", key.partition("{")[0]) for key in told(Tally())}
    listed = set(re.findall("`((?:quantum_circuit|process)_[a-z_]+)`", DOCS.partition("```promql")[0]))
    # Of the process more or less can be told, as the system allows.
    assert names <= listed
    assert {name for name in listed - names if name.startswith(PREFIX)} == set()
    rows = dict(re.findall(r"^\| `(quantum_circuit_\w+)` \| \w+ \| ([^|]*) \|", DOCS, re.MULTILINE))
    for key in told(Tally()):
        name, _, labels = key.partition("{")
        if labels and name.endswith(("_total", "_info")):
            assert set(re.findall(r"(\w+)=", labels)) == set(re.findall(r"`(\w+)`", rows[name])), name
