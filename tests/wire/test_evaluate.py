"""Evaluations over a server: the same results as in process, with any number of sessions."""

from dataclasses import replace
from pathlib import Path

import pytest

from quantum_circuit_env.agents.hosting import HostError
from quantum_circuit_env.evals import evaluate as evaluation
from quantum_circuit_env.evals.evaluate import evaluate
from support.evaluations import config, results, stored


@pytest.mark.parametrize("workers", [1, 6])
def test_a_server_s_results_are_those_in_process(server_url: str, tmp_path: Path, workers: int) -> None:
    asked = config("null", "random-legal", "identity-first", seeds=2, samples=2, turns=15)
    here = evaluate(replace(asked, executor="async", workers=1), tmp_path / "here")
    there = evaluate(replace(asked, url=server_url, workers=workers), tmp_path / "there")
    assert results(there) == results(here)
    assert set(stored(there.path).values()) == {1}
    assert (here.info.transport, there.info.transport) == ("in-process", "ws")
    assert there.info.sittings[-1].server == server_url.removeprefix("http://")


def test_without_a_server_no_run_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "SERVER_PATIENCE", 0.0)
    with pytest.raises(HostError, match=r"no environment server answers at http://127\.0\.0\.1:9"):
        evaluate(config("null", url="http://127.0.0.1:9"), tmp_path / "run")
    assert not (tmp_path / "run").exists()
