"""An evaluation of a model behind a service of the tests' own: faults, rate, raw replies, and the key."""

from pathlib import Path

import pytest

from quantum_circuit_env.agents.endpoint import KEYS
from quantum_circuit_env.evals.evaluate import evaluate
from quantum_circuit_env.evals.raw_replies import TURNS, read_raw_replies
from support.evaluations import config
from support.scripted_llm import fails, says, scripted_llm
from support.units import LLM

KEY = "sk-secret-of-the-test"
BAD = "I do not know."


def test_bad_replies_are_turns_and_passing_faults_are_asked_again_at_the_rate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    asked = config(LLM, seeds=2, tiers=("easy",), turns=2, workers=2, rate=120, raw_replies=True)
    script = (fails(429, headers={"retry-after": "1"}), says(f"My key is {KEY}."), says(BAD), fails(502))
    with scripted_llm(*script) as llm:
        monkeypatch.setenv("API_KEY", KEY)
        monkeypatch.setenv("API_BASE_URL", llm.url)
        run = evaluate(asked, tmp_path / "run")
    # Four turns, of which two were bad replies, and two requests that were made again for other reasons.
    assert len(llm.requests) == 4 + 2
    episodes = run.episodes()
    assert [episode.complete for episode in episodes] == [True, True]
    assert sum(episode.retries for episode in episodes) == 2
    assert sum(episode.replies - episode.valid_outputs for episode in episodes) == 2
    sent = [request.at for request in llm.requests]
    # A second's worth may come at once, two requests; the server's clock is read when one has arrived.
    assert sent[-1] - sent[0] > (len(sent) - 2) * 0.5 - 0.1
    texts = [reply.text for replies in read_raw_replies(run.path).values() for reply in replies]
    assert len(texts) == 4
    assert {BAD, "My key is (withheld)."} < set(texts)
    assert (run.path / TURNS).exists()
    for path in run.path.iterdir():
        assert KEY.encode() not in path.read_bytes()
