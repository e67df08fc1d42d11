"""inference.py and what a model's service may do wrong: one run for each kind of fault."""

import json
from pathlib import Path

import pytest

from support.inference_runs import Run, run
from support.scripted_llm import Answer, ScriptedLlm, fails, json_answer, says, scripted_llm
from support.transcripts import assert_replays

SEED = 5
KEY = "sk-secret-of-the-test"


def play(
    folder: Path, server_url: str, *script: Answer | None, flags: tuple[str, ...] = ()
) -> tuple[Run, ScriptedLlm]:
    """Play three short episodes of one task with a scripted service."""
    arguments = ["--tasks", "medium", "--seeds", str(SEED), "--episodes", "3", "--turns", "2"]
    arguments += ["--retries", "2", "--retry-pause", "0.02", "--longest-pause", "1.5", *flags]
    with scripted_llm(*script) as llm:
        variables = {"API_KEY": KEY, "API_BASE_URL": llm.url, "ENV_BASE_URL": server_url}
        ended = run(folder, arguments, variables)
    assert ended.status == 0, ended.stderr
    assert len(ended.episodes) == 3
    for episode in ended.episodes:
        assert_replays(episode, SEED)
    assert KEY not in ended.stderr
    return ended, llm


def assert_all_played(ended: Run) -> None:
    assert [len(episode.steps) for episode in ended.episodes] == [2, 2, 2]
    assert all(step.error is None for episode in ended.episodes for step in episode.steps)
    assert "incomplete" not in ended.stderr


UNNAMED = {"error": {"message": "overloaded", "code": 529}}
HALF_WAY = {"choices": [{"index": 0, "finish_reason": "error", "message": {"content": ""}}]}
HTML = Answer(200, b"<html>please wait</html>", {"content-type": "text/html"})
BODILESS = Answer(200, b"", {"content-type": "application/json"})


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fails(429), id="429"),
        pytest.param(fails(500), id="500"),
        pytest.param(fails(503), id="503"),
        pytest.param(Answer(502, b"<html>bad gateway</html>", {"content-type": "text/html"}), id="502"),
        pytest.param(fails(408), id="408"),
        pytest.param(Answer(hang_up=True), id="hang-up"),
        pytest.param(json_answer({"error": "try again"}), id="200 with an error"),
        pytest.param(json_answer(UNNAMED), id="200 with an error code"),
        pytest.param(json_answer(HALF_WAY), id="200 that failed half-way"),
        pytest.param(json_answer({"choices": []}), id="200 without choices"),
        pytest.param(json_answer({"choices": [{"message": None}]}), id="200 without a message"),
        pytest.param(json_answer([1]), id="200 with an array"),
        pytest.param(HTML, id="200 in HTML"),
        pytest.param(BODILESS, id="200 without a body"),
        pytest.param(Answer(200, b"\xff\xfe{", {"content-type": "application/json"}), id="200 in no text"),
    ],
)
def test_a_passing_fault_is_asked_again_once_and_costs_no_turn(
    tmp_path: Path, server_url: str, fault: Answer
) -> None:
    ended, llm = play(tmp_path, server_url, fault)
    assert_all_played(ended)
    assert len(llm.requests) == 7
    assert llm.requests[0].body == llm.requests[1].body


@pytest.mark.parametrize("slow", [Answer(wait=60), Answer(drip=60)], ids=["silent", "byte by byte"])
def test_a_slow_answer_is_given_up(tmp_path: Path, server_url: str, slow: Answer) -> None:
    flags = ("--request-timeout", "2", "--retries", "9")
    ended, llm = play(tmp_path, server_url, slow, flags=flags)
    assert_all_played(ended)
    assert len(llm.requests) >= 7
    assert "asking again" in ended.stderr


def test_retry_after_is_honoured(tmp_path: Path, server_url: str) -> None:
    ended, llm = play(tmp_path, server_url, fails(429, headers={"retry-after": "1"}))
    assert_all_played(ended)
    assert llm.requests[1].at - llm.requests[0].at >= 1.0


@pytest.mark.parametrize("asked", ["86400", "Wed, 01 Jan 2120 00:00:00 GMT"])
def test_retry_after_is_bounded(tmp_path: Path, server_url: str, asked: str) -> None:
    ended, _ = play(tmp_path, server_url, fails(429, headers={"retry-after": asked}))
    assert_all_played(ended)
    assert "asking again in 1.5 s" in ended.stderr


def test_a_parameter_that_is_refused_is_sent_no_more(tmp_path: Path, server_url: str) -> None:
    no_temperature = fails(400, "Unsupported value: only the default of 1.", param="temperature")
    other_name = fails(400, "'max_tokens' is not supported. Use 'max_completion_tokens'.")
    neither = json_answer(
        {"detail": [{"loc": ["body", "max_completion_tokens"], "msg": "Extra inputs"}]}, 422
    )
    ended, llm = play(tmp_path, server_url, no_temperature, other_name, neither)
    assert_all_played(ended)
    model = {"model": llm.sent[0]["model"]}
    assert llm.sent[:4] == [
        {**model, "temperature": 0.7, "max_tokens": 2048},
        {**model, "max_tokens": 2048},
        {**model, "max_completion_tokens": 2048},
        model,
    ]
    assert llm.sent[3:] == [model] * 6


def test_a_fault_that_stays_breaks_its_episode_off_and_no_other(tmp_path: Path, server_url: str) -> None:
    ended, llm = play(tmp_path, server_url, says("no"), *[fails(500)] * 3)
    broken, *others = ended.episodes
    assert [str(step) for step in broken.steps] == ["none -0.10 unparseable"]
    assert not broken.success
    assert [len(episode.steps) for episode in others] == [2, 2]
    assert len(llm.requests) == 1 + 3 + 4
    assert f"incomplete, not counted: medium seed {SEED} after 1 turns" in ended.stderr
    assert "api_error 1" in ended.stderr


def test_a_broken_off_episode_keeps_its_score_but_is_no_success(tmp_path: Path, server_url: str) -> None:
    plays_well: list[Answer | None] = [None] * 6
    ended, _ = play(tmp_path, server_url, *plays_well, fails(404), flags=("--turns", "15"))
    broken = ended.episodes[0]
    assert len(broken.steps) == 6
    assert broken.score >= 0.1
    assert not broken.success


def test_a_request_that_is_wrong_is_not_made_again(tmp_path: Path, server_url: str) -> None:
    ended, llm = play(tmp_path, server_url, fails(400, "messages must not be empty", param="messages"))
    assert [len(episode.steps) for episode in ended.episodes] == [0, 2, 2]
    assert len(llm.requests) == 5


def test_a_prompt_that_does_not_fit_is_no_fault_of_the_service(tmp_path: Path, server_url: str) -> None:
    ended, _ = play(tmp_path, server_url, fails(400, "too long", code="context_length_exceeded"))
    assert [len(episode.steps) for episode in ended.episodes] == [0, 2, 2]
    assert "ends: turn_budget 2, context_limit 1" in ended.stderr


@pytest.mark.parametrize(
    "final",
    [
        pytest.param(fails(401, f"Incorrect API key: {KEY}"), id="401"),
        pytest.param(fails(403), id="403"),
        pytest.param(fails(404, "no such model"), id="404"),
        pytest.param(fails(429, code="insufficient_quota"), id="no money"),
        pytest.param(json_answer({"error": {"message": "bad key", "code": 401}}), id="200 with a 401"),
    ],
)
def test_a_final_fault_ends_all_episodes_with_one_request(
    tmp_path: Path, server_url: str, final: Answer
) -> None:
    ended, llm = play(tmp_path, server_url, final)
    assert len(llm.requests) == 1
    for episode in ended.episodes:
        assert (episode.steps, episode.success, episode.score) == ([], False, 0.01)
    assert "ends: incomplete 3" in ended.stderr


def test_nobody_listens(tmp_path: Path, server_url: str) -> None:
    with scripted_llm() as llm:
        gone = llm.url
    variables = {"API_KEY": KEY, "API_BASE_URL": gone, "ENV_BASE_URL": server_url}
    ended = run(tmp_path, ["--retries", "1", "--retry-pause", "0.01"], variables)
    assert ended.status == 0
    assert [episode.task for episode in ended.episodes] == ["easy"] * 3 + ["medium"] * 3 + ["hard"] * 3
    assert "ends: incomplete 9" in ended.stderr


def test_the_key_goes_where_it_belongs_and_nothing_else_does(tmp_path: Path, server_url: str) -> None:
    with scripted_llm() as llm:
        variables = {
            "API_KEY": KEY,
            "API_BASE_URL": llm.url,
            "ENV_BASE_URL": server_url,
            "OPENAI_API_KEY": "other",
            "OPENAI_ORG_ID": "org-secret",
            "OPENAI_PROJECT_ID": "proj-secret",
        }
        run(tmp_path, ["--tasks", "easy", "--episodes", "1", "--turns", "1"], variables)
    (request,) = llm.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert "secret" not in json.dumps({**request.headers, "authorization": ""})
