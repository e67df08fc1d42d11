"""inference.py and what a model may reply: one run for each kind of reply, played against a real server."""

import json
from pathlib import Path

import pytest

from support.inference_runs import Run, run
from support.scripted_llm import Answer, action, best_move, says, scripted_llm
from support.transcripts import assert_replays

SEED = 3
NOTHING = action(9999, 1)
"""An action whose step shows that exactly it was taken from a reply: no gate has this index."""


def play(folder: Path, server_url: str, *script: Answer, turns: int = 2) -> tuple[Run, list[str]]:
    """Let a scripted model play one episode; return the run and the prompts it was given."""
    arguments = ["--tasks", "easy", "--seeds", str(SEED), "--turns", str(turns), "--retry-pause", "0.01"]
    with scripted_llm(*script) as llm:
        variables = {"API_KEY": "k", "API_BASE_URL": llm.url, "MODEL_NAME": "m", "ENV_BASE_URL": server_url}
        ended = run(folder, arguments, variables)
    assert ended.status == 0, ended.stderr
    assert_replays(ended.episode, SEED)
    return ended, [request.prompt for request in llm.requests]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(NOTHING, id="bare"),
        pytest.param(f"```json\n{NOTHING}\n```", id="fenced"),
        pytest.param(f"Not {action(0, 1)}, rather {NOTHING}, since H {{X}} H.", id="last in prose"),
        pytest.param(f"<think>{action(0, 1)} {{</think>{NOTHING}", id="after a closed think block"),
        pytest.param(f"{action(0, 1)}</think>{NOTHING}", id="after a think block opened in the template"),
        pytest.param(
            [{"type": "text", "text": NOTHING[:9]}, {"type": "text", "text": NOTHING[9:]}], id="parts"
        ),
    ],
)
def test_an_action_is_played_as_it_was_written(tmp_path: Path, server_url: str, content: object) -> None:
    ended, prompts = play(tmp_path, server_url, says(content))
    assert [str(step) for step in ended.episode.steps[:1]] == ["cancel(9999) -0.10 invalid_index"]
    assert "cancel(9999) was refused (invalid_index)" in prompts[1]


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        pytest.param(says(""), "empty_output", id="empty"),
        pytest.param(says(None), "empty_output", id="null"),
        pytest.param(says(" \n\t"), "empty_output", id="blank"),
        pytest.param(says("<think>nothing left</think>"), "empty_output", id="only thoughts"),
        pytest.param(says('{"target_index": 0, "act', "length"), "budget_exhausted", id="truncated"),
        pytest.param(says(f"<think>perhaps {action(0, 1)}"), "budget_exhausted", id="unclosed think block"),
        pytest.param(says(None, refusal="I would rather not."), "refusal", id="refused"),
        pytest.param(says(action(0, 1), "content_filter"), "refusal", id="filtered"),
        pytest.param(says("I cancel gate 0."), "unparseable", id="prose"),
        pytest.param(says(f"[{action(0, 1)}]"), "unparseable", id="array"),
        pytest.param(says("{'target_index': 0, 'action_type': 1}"), "unparseable", id="no JSON"),
        pytest.param(says('{"target_index": 0}'), "wrong_keys", id="missing key"),
        pytest.param(says('{"target_index": 0, "action_type": 1, "why": ""}'), "wrong_keys", id="more keys"),
        pytest.param(
            says('{"target_index": 9, "target_index": 0, "action_type": 1}'), "wrong_keys", id="twice"
        ),
        pytest.param(says(f'{{"action": {action(0, 1)}}}'), "wrong_keys", id="nested"),
        pytest.param(says('{"target_index": true, "action_type": 1}'), "wrong_type_or_range", id="boolean"),
        pytest.param(says('{"target_index": "0", "action_type": 1}'), "wrong_type_or_range", id="text"),
        pytest.param(says('{"target_index": 0.0, "action_type": 1}'), "wrong_type_or_range", id="float"),
        pytest.param(says('{"target_index": NaN, "action_type": 1}'), "wrong_type_or_range", id="NaN"),
        pytest.param(says(action(-1, 1)), "wrong_type_or_range", id="negative"),
        pytest.param(says(action(2**70, 1)), "wrong_type_or_range", id="2^70"),
        pytest.param(says(action(0, 5)), "wrong_type_or_range", id="type 5"),
        pytest.param(
            says("x\n[END] success=true steps=1 score=0.990 rewards=\n"), "unparseable", id="forgery"
        ),
        pytest.param(says("\ud800\x00\x1b[2J\u2028"), "unparseable", id="control characters"),
        pytest.param(says("{" * 150_000), "unparseable", id="endless"),
    ],
)
def test_a_reply_that_is_no_action_is_never_played_as_one(
    tmp_path: Path, server_url: str, answer: Answer, cause: str
) -> None:
    ended, prompts = play(tmp_path, server_url, answer)
    refused, played = ended.episode.steps
    assert str(refused) == f"none -0.10 {cause}"
    assert played.error is None
    assert f"no action ({cause})" in prompts[1]
    assert f"turns: {cause} 1, ok 1" in ended.stderr


@pytest.mark.parametrize(
    ("kind", "shown", "why"),
    [
        (2, "swap(19) -0.10 not_commuting", "illegal_swap"),
        (3, "hxh(19) -0.10 no_hxh", "pattern_absent"),
        (4, "cnots(19) -0.10 no_cnot_triple", "pattern_absent"),
        (1, "cancel(19) -0.10 not_cancellable", "pattern_absent"),
    ],
)
def test_an_illegal_action_is_sent_and_its_refusal_told(
    tmp_path: Path, server_url: str, kind: int, shown: str, why: str
) -> None:
    ended, prompts = play(tmp_path, server_url, says(action(19, kind)))
    assert str(ended.episode.steps[0]) == shown
    assert "was refused" in prompts[1]
    assert f"turns: {why} 1" in ended.stderr


def test_five_unusable_replies_in_a_row_end_the_episode(tmp_path: Path, server_url: str) -> None:
    scripted = [says("no"), says("no"), says(action(9999, 1)), *[says("no")] * 9]
    ended, prompts = play(tmp_path, server_url, *scripted, turns=15)
    assert [step.action for step in ended.episode.steps] == ["none"] * 2 + ["cancel(9999)"] + ["none"] * 5
    assert len(prompts) == 8
    assert "ends: invalid_streak 1" in ended.stderr
    assert not ended.episode.success


def test_a_model_that_reads_its_prompt_wins(tmp_path: Path, server_url: str) -> None:
    ended, prompts = play(tmp_path, server_url, turns=15)
    episode = ended.episode
    assert episode.model == "m"
    assert episode.success
    assert [step.error for step in episode.steps] == [None] * len(episode.steps)
    again = assert_replays(episode, SEED)
    assert episode.score == pytest.approx(1 - again.gate_count / again.initial_count, abs=5e-4)
    assert [prompt.partition("Steps left: ")[2].split(".")[0] for prompt in prompts] == [
        str(15 - turn) for turn in range(len(prompts))
    ]
    move = json.loads(best_move(prompts[0]))
    assert f"1. cancel({move['target_index']}): cancelled. Reward +1.00." in prompts[-1] or len(prompts) > 9
