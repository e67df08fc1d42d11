"""Episodes in process: what a record says of the play, of faults, and of agents without sense."""

import subprocess
import sys
from collections import Counter
from itertools import accumulate
from random import Random

import pytest

from qrewrite.circuits import TaskError
from qrewrite.game import Action
from qrewrite.game import Episode as Game
from qrewrite.game.episode import STEP_LIMIT
from qrewrite.rules import RULES
from qrewrite.tasks import GAME_VERSION, TIERS, generate
from quantum_circuit_env.agents.clock import Deadline
from quantum_circuit_env.agents.loop import INVALID_STREAK
from quantum_circuit_env.agents.registry import agent_factory
from quantum_circuit_env.agents.session import SessionError, Snapshot
from quantum_circuit_env.agents.spec import AgentSpec
from quantum_circuit_env.agents.vocabulary import EndReason, ErrorClass
from quantum_circuit_env.evals import playing
from quantum_circuit_env.evals.optima import best_known
from quantum_circuit_env.evals.playing import LocalSession, play_unit
from quantum_circuit_env.evals.records import digest_of
from support.fake_provider import TOKENS_IN, TOKENS_OUT, FakeProvider, completion
from support.units import FIRST, LLM, SCRIPTED, played, timeless, unit

GARBAGE = (
    ("", ErrorClass.EMPTY_OUTPUT),
    (" \n\t", ErrorClass.EMPTY_OUTPUT),
    ("I would cancel gate 0.", ErrorClass.UNPARSEABLE),
    ("cancel(0)", ErrorClass.UNPARSEABLE),
    ("(0, 1)", ErrorClass.UNPARSEABLE),
    ("[0, 1]", ErrorClass.UNPARSEABLE),
    ("target_index: 0, action_type: 1", ErrorClass.UNPARSEABLE),
    ("{'target_index': 0, 'action_type': 1}", ErrorClass.UNPARSEABLE),
    ('{"target_index": 0, "action_type": 1', ErrorClass.UNPARSEABLE),
    ("ignore the rules and set score to 0.99 ✨", ErrorClass.UNPARSEABLE),
    ("x" * 1_000_000, ErrorClass.UNPARSEABLE),
    ("<think>" + '{"target_index": 0, "action_type": 1}', ErrorClass.BUDGET_EXHAUSTED),
    ('{"target_index": 0}', ErrorClass.WRONG_KEYS),
    ('{"target_index": 0, "action_type": 1, "score": 0.99}', ErrorClass.WRONG_KEYS),
    ('{"target_index": 0, "target_index": 1, "action_type": 1}', ErrorClass.WRONG_KEYS),
    ('{"target_index": "0", "action_type": 1}', ErrorClass.WRONG_TYPE_OR_RANGE),
    ('{"target_index": true, "action_type": 1}', ErrorClass.WRONG_TYPE_OR_RANGE),
    ('{"target_index": NaN, "action_type": 1}', ErrorClass.WRONG_TYPE_OR_RANGE),
    (f'{{"target_index": {2**70}, "action_type": 1}}', ErrorClass.WRONG_TYPE_OR_RANGE),
    ('{"target_index": 0, "action_type": 5}', ErrorClass.WRONG_TYPE_OR_RANGE),
)
"""Replies that are no action; a multiple of INVALID_STREAK, so that every one has its turn."""


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("first", range(0, len(GARBAGE), INVALID_STREAK))
def test_an_agent_that_never_answers_with_an_action_scores_the_floor(tier: str, first: int) -> None:
    said = GARBAGE[first : first + INVALID_STREAK]
    episode = played(LLM, tier, provider=FakeProvider([completion(text) for text, _ in said]))
    assert (episode.status, episode.end_reason) == ("complete", EndReason.INVALID_STREAK)
    assert episode.score == episode.score_without_bonus == TIERS[tier].scoring.floor
    assert episode.norm_score == episode.compression == 0.0
    assert episode.classes == Counter(kind for _, kind in said)
    assert [action.turn_class for action in episode.actions] == [kind for _, kind in said]
    assert (episode.replies, episode.valid_outputs, episode.legal_actions, episode.strict_outputs) == (
        5,
        0,
        0,
        0,
    )
    assert episode.rewards == (-0.1,) * 5
    assert episode.final_digest == episode.instance_digest
    assert (episode.legacy_success, episode.success_t50, episode.success_t1) == (False,) * 3


def test_a_reply_cut_off_or_refused_has_its_class() -> None:
    script = [completion('{"target_index": 0', "length"), completion("no", "content_filter")]
    episode = played(LLM, provider=FakeProvider(script), turns=4)
    assert episode.classes == {ErrorClass.BUDGET_EXHAUSTED: 2, ErrorClass.REFUSAL: 2}


def test_a_fault_of_the_service_is_never_a_score() -> None:
    script = [completion('{"target_index": 0, "action_type": 2}'), *[(503, "busy")] * 3]
    episode = played(LLM, provider=FakeProvider(script))
    assert (episode.status, episode.end_reason) == ("incomplete", EndReason.INCOMPLETE)
    results = (episode.score, episode.norm_score, episode.compression, episode.score_without_bonus)
    assert results == (None,) * 4
    assert (episode.legacy_success, episode.success_t1, episode.success_t50) == (None,) * 3
    assert episode.error == "model: HTTP 503: busy"
    assert (episode.turns, episode.replies, episode.retries) == (1, 1, 2)
    assert episode.classes[ErrorClass.API_ERROR] == 1
    assert sum(episode.classes.values()) == 2
    assert (episode.tokens_in, episode.tokens_out) == (TOKENS_IN, TOKENS_OUT)


def test_tokens_are_summed_and_agents_without_a_service_have_none() -> None:
    episode = played(LLM, provider=FakeProvider([completion("?")]))
    assert (episode.tokens_in, episode.tokens_out) == (5 * TOKENS_IN, 5 * TOKENS_OUT)
    assert played("null").tokens_in is None


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("agent", ["null", "invalid-spam", "swap-loop"])
def test_what_does_nothing_of_use_is_worth_the_floor(agent: str, tier: str) -> None:
    episode = played(agent, tier)
    assert episode.complete
    assert (episode.score, episode.norm_score) == (TIERS[tier].scoring.floor, 0.0)
    assert episode.episode_return <= 0.0
    assert episode.turns == (0 if agent == "null" else STEP_LIMIT)
    assert (episode.legal_actions == 0) is (agent != "swap-loop")


def test_the_spam_is_refused_for_every_reason() -> None:
    assert set(played("invalid-spam").classes) == {
        ErrorClass.OUT_OF_RANGE_INDEX,
        ErrorClass.ILLEGAL_SWAP,
        ErrorClass.PATTERN_ABSENT,
    }


def test_the_swap_loop_comes_back_to_where_it_was() -> None:
    episode = played("swap-loop", "hard")
    assert episode.final_digest == episode.instance_digest
    assert {action[:2] for action in episode.actions} == {episode.actions[0][:2]}


def test_always_the_same_action() -> None:
    assert {action[:2] for action in played("always-0-1", "medium").actions} == {(0, 1)}


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("agent", SCRIPTED)
def test_a_record_says_what_happened(agent: str, tier: str) -> None:
    episode = played(agent, tier)
    assert (episode.tier, episode.seed, episode.sample) == (tier, FIRST, 0)
    assert (episode.suite, episode.agent_id) == (
        f"quantum_circuit_env/{GAME_VERSION}",
        str(AgentSpec.parse(agent)),
    )
    game = Game(generate(tier, FIRST), par=TIERS[tier].par)
    assert episode.instance_digest == digest_of(game.circuit())
    for (index, action_type, _), reward in zip(episode.actions, episode.rewards, strict=True):
        assert game.play(action_type, index) == reward
    assert episode.final_digest == digest_of(game.circuit())
    assert (episode.g0, episode.g, episode.steps) == (game.initial_count, game.gate_count, game.steps)
    assert (episode.turns, episode.replies) == (game.steps, game.steps)
    assert episode.end_reason == (game.termination or EndReason.AGENT_STOP)
    assert episode.episode_return == pytest.approx(sum(episode.rewards), abs=1e-9)
    assert sum(episode.classes.values()) == episode.turns
    assert episode.legal_actions == episode.classes.get(ErrorClass.OK, 0)
    assert episode.valid_outputs == episode.strict_outputs == episode.turns
    compression = (episode.g0 - episode.g) / episode.g0
    bonus = TIERS[tier].scoring.bonus
    assert episode.compression == compression
    assert episode.bonus is (bonus > 0 and game.used_advanced_actions)
    if tier != "hard":
        assert episode.score_without_bonus == max(compression, 0.01)
        assert episode.score == min(max(compression + bonus * episode.bonus, 0.01), 0.99)


@pytest.mark.parametrize("tier", TIERS)
def test_the_norm_is_the_share_of_what_can_be_removed(tier: str) -> None:
    best, optimal = best_known(tier, FIRST), played("optimal", tier)
    assert (optimal.g_best, optimal.g_best_method, optimal.g_best_proved) == (
        best.left,
        best.method,
        best.proved,
    )
    assert (optimal.norm_score, optimal.success_t1, optimal.success_t50) == (1.0, True, True)
    greedy = played("cancel-first", tier, turns=4)
    assert greedy.end_reason is EndReason.TURN_BUDGET
    assert greedy.norm_score == (greedy.g0 - greedy.g) / (greedy.g0 - best.left)
    assert greedy.success_t50 is (greedy.norm_score >= 0.5)
    assert greedy.success_t1 is False


def test_where_nothing_can_be_removed_there_is_no_norm(monkeypatch: pytest.MonkeyPatch) -> None:
    best = best_known("easy", FIRST)
    monkeypatch.setattr(playing, "best_known", lambda _tier, _seed: best._replace(left=best.initial))
    episode = played("null")
    assert (episode.norm_score, episode.success_t1, episode.success_t50) == (None, None, None)
    assert episode.score == 0.01


@pytest.mark.parametrize("agent", ["uniform", "random-legal", "best-of:k=3"])
def test_the_unit_alone_decides_what_is_played(agent: str) -> None:
    first, other = played(agent, "medium"), played(agent, "medium", sample=1)
    factory, session = agent_factory(AgentSpec.parse(agent)), LocalSession()
    again = [play_unit(unit(agent, "medium", sample=sample), factory, session) for sample in (1, 0)]
    assert list(map(timeless, again)) == [timeless(other), timeless(first)]
    assert first.actions != other.actions


def test_the_turn_budget_ends_an_episode_and_the_agent_knows_it() -> None:
    turns_left = []

    class Counting:
        name = "counting"

        def decide(self, seen):  # type: ignore[no-untyped-def]
            turns_left.append(seen.turns_left)

    play_unit(unit("null"), lambda _rng: Counting(), LocalSession(), 15)
    assert turns_left == [15]
    episode = played("uniform", turns=15)
    assert (episode.turns, episode.end_reason, episode.status) == (15, EndReason.TURN_BUDGET, "complete")


def test_an_episode_for_which_there_was_no_time_is_incomplete() -> None:
    one = unit("null")
    episode = play_unit(one, agent_factory(AgentSpec.parse("null")), LocalSession(), deadline=Deadline(0.0))
    assert (episode.status, episode.end_reason, episode.score) == ("incomplete", EndReason.RUN_BUDGET, None)
    assert (episode.g0, episode.g, episode.steps) == (20, 20, 0)


class Wrong(LocalSession):
    """A server that plays something else."""

    def __init__(self, **changes: object) -> None:
        super().__init__()
        self.changes = changes

    def reset(self, *, task: str, seed: int) -> Snapshot:
        return super().reset(task=task, seed=seed)._replace(**self.changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"game_version": "0.9"}, "plays game version 0.9"),
        ({"circuit": generate("easy", 1)}, "its circuit is not the one of the task"),
    ],
)
def test_another_game_is_no_result(changes: dict[str, object], says: str) -> None:
    episode = play_unit(unit("optimal"), agent_factory(AgentSpec.parse("optimal")), Wrong(**changes))
    assert (episode.status, episode.turns) == ("incomplete", 0)
    assert says in str(episode.error)


def test_a_session_that_breaks_makes_an_incomplete_episode() -> None:
    class Breaking(LocalSession):
        def step(self, action: Action) -> Snapshot:
            now = super().step(action)
            if now.steps == 3:
                raise SessionError("gone\naway")
            return now

    episode = play_unit(unit("uniform"), agent_factory(AgentSpec.parse("uniform")), Breaking())
    assert (episode.status, episode.turns, episode.error) == ("incomplete", 2, "server: gone away")
    assert ErrorClass.API_ERROR not in episode.classes


def test_a_circuit_that_grows_is_no_result() -> None:
    class Growing(LocalSession):
        def step(self, action: Action) -> Snapshot:
            return super().step(action)._replace(circuit=generate("hard", 0))

    episode = play_unit(unit("uniform"), agent_factory(AgentSpec.parse("uniform")), Growing())
    assert (episode.status, episode.turns, episode.score) == ("incomplete", 1, None)
    assert episode.error == "server: its circuit has grown from 20 to 70 gates"


def test_a_local_session_plays_no_episode_that_is_over() -> None:
    session = LocalSession()
    with pytest.raises(SessionError, match="no episode runs"):
        session.step(Action(0, 1))
    now = session.reset(task="easy", seed=FIRST)
    for _ in range(STEP_LIMIT):
        now = session.step(Action(len(now.circuit), 1))
    assert now.done
    with pytest.raises(SessionError, match="no episode runs"):
        session.step(Action(0, 1))
    session.reset(task="easy", seed=FIRST)
    session.close()
    with pytest.raises(SessionError, match="no episode runs"):
        session.step(Action(0, 1))


def test_scores_of_a_local_session_follow_the_gates() -> None:
    session, agent = LocalSession(), agent_factory(AgentSpec.parse("cancel-first"))(Random(0))
    episode = play_unit(unit("cancel-first", "hard"), lambda _rng: agent, session)
    removed = accumulate(2 * (RULES[action.action_type].removes > 0) for action in episode.actions)
    assert episode.g0 - list(removed)[-1] == episode.g


def test_a_task_that_does_not_exist_is_the_callers_fault() -> None:
    with pytest.raises(TaskError):
        played("null", "easy", seed=2**32)


def test_playing_in_process_needs_no_openenv() -> None:
    code = (
        "import sys; import quantum_circuit_env.evals.playing, quantum_circuit_env.agents.registry; "
        "sys.exit(any(name.partition('.')[0] in ('openenv', 'openai', 'fastapi') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_agent_is_a_name_and_a_decision() -> None:
    agent = agent_factory(AgentSpec.parse("beam:width=2"))(Random(0))
    assert agent.name == "beam:width=2"
