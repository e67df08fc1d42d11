"""Units over a server's session and in process: the same episodes, to the last digest."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from qrewrite.tasks import TIERS
from quantum_circuit_env.agents.hosting import RemoteHost
from quantum_circuit_env.agents.registry import agent_factory
from quantum_circuit_env.agents.session import Session
from quantum_circuit_env.agents.spec import AgentSpec
from quantum_circuit_env.evals.playing import play_unit
from support.fake_provider import FakeProvider, completion
from support.scripted_llm import scripted_llm
from support.units import LLM, played, timeless, unit

AGENTS = ("null", "invalid-spam", "swap-loop", "uniform", "random-legal", "identity-first", "best-of:k=3")
GARBAGE = (completion("no"), completion('{"target_index": 3, "action_type": 2}'), completion(""))


@pytest.fixture(scope="module")
def session(server_url: str) -> Iterator[Session]:
    session = Session(RemoteHost(server_url, 30.0))
    yield session
    session.close()


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("agent", AGENTS)
def test_a_server_plays_what_is_played_in_process(session: Session, agent: str, tier: str) -> None:
    episode = play_unit(unit(agent, tier), agent_factory(AgentSpec.parse(agent)), session)
    assert episode.complete
    assert timeless(episode) == timeless(played(agent, tier))


def test_so_do_models(session: Session) -> None:
    factory = agent_factory(AgentSpec.parse(LLM), FakeProvider(GARBAGE))
    episode = play_unit(unit(LLM, "medium"), factory, session, 12)
    assert timeless(episode) == timeless(played(LLM, "medium", turns=12, provider=FakeProvider(GARBAGE)))
    assert episode.turns == 12


def test_no_server_is_no_score() -> None:
    nobody = Session(RemoteHost("http://127.0.0.1:9", 0.0))
    episode = play_unit(unit("null"), agent_factory(AgentSpec.parse("null")), nobody)
    assert (episode.status, episode.score) == ("incomplete", None)
    assert episode.error == "server: no environment server answers at http://127.0.0.1:9"


def test_a_spec_s_model_is_asked_at_the_endpoint_of_the_environment(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = "some/model-1:free"
    with scripted_llm() as service:
        monkeypatch.chdir(tmp_path)
        for name, value in {"API_KEY": "k", "API_BASE_URL": service.url, "NO_PROXY": "*"}.items():
            monkeypatch.setenv(name, value)
        spec = AgentSpec.parse(f"llm:model={model},temperature=0.2,max_tokens=99")
        episode = play_unit(unit(str(spec)), agent_factory(spec), session, 3)
    assert (episode.agent_id, episode.legal_actions) == (str(spec), 3)
    sent = {"model": model, "temperature": 0.2, "max_tokens": 99}
    assert service.sent == [sent] * 3
