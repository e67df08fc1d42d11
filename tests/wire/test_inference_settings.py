"""inference.py and what it is told: keys, endpoints, .env files, the command line."""

import subprocess
import sys
from pathlib import Path

import pytest

from quantum_circuit_env.agents.endpoint import EndpointError, choose_endpoint
from support.inference_runs import SCRIPT, modules_listed, run
from support.scripted_llm import scripted_llm
from support.transcripts import assert_replays

SHORT = ("--tasks", "easy", "--episodes", "1", "--turns", "1")


def env_file(folder: Path, **variables: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in variables.items()))


def test_without_a_key_the_builtin_agent_plays_the_nine_episodes(tmp_path: Path, server_url: str) -> None:
    ended = run(tmp_path, (), {"ENV_BASE_URL": server_url})
    assert ended.status == 0
    assert [episode.task for episode in ended.episodes] == ["easy"] * 3 + ["medium"] * 3 + ["hard"] * 3
    for episode in ended.episodes:
        assert episode.model == "builtin-greedy"
        assert_replays(episode, {"easy": 42, "medium": 7, "hard": 13}[episode.task])
        assert episode.steps[-1].done or len(episode.steps) == 15
        assert all(step.error is None for step in episode.steps)
    assert "built-in greedy agent" in ended.stderr
    assert "Results of builtin-greedy" in ended.stderr


def test_other_seeds_are_played_once_each(tmp_path: Path, server_url: str) -> None:
    ended = run(tmp_path, ["--tasks", "medium,easy", "--seeds", "0-2,7"], {"ENV_BASE_URL": server_url})
    assert [episode.task for episode in ended.episodes] == ["medium"] * 4 + ["easy"] * 4
    for episode, seed in zip(ended.episodes, [0, 1, 2, 7] * 2, strict=True):
        assert_replays(episode, seed)


def test_settings_of_the_folder_are_used(tmp_path: Path, server_url: str) -> None:
    with scripted_llm() as llm:
        settings = {"OPENAI_API_KEY": "filed", "API_BASE_URL": llm.url, "MODEL_NAME": "filed-model"}
        env_file(tmp_path, **settings, ENV_BASE_URL=server_url)
        ended = run(tmp_path, SHORT)
    assert ended.episode.model == "filed-model"
    assert llm.requests[0].headers["authorization"] == "Bearer filed"


def test_the_process_environment_beats_the_folder(tmp_path: Path, server_url: str) -> None:
    with scripted_llm() as llm, scripted_llm() as decoy:
        env_file(
            tmp_path,
            API_KEY="decoy",
            API_BASE_URL=decoy.url,
            MODEL_NAME="decoy",
            ENV_BASE_URL="http://127.0.0.1:9",
            HF_TOKEN="decoy",  # noqa: S106
        )
        variables = {"API_KEY": "k", "API_BASE_URL": llm.url, "MODEL_NAME": "m", "ENV_BASE_URL": server_url}
        ended = run(tmp_path, SHORT, variables)
    assert (ended.episode.model, len(ended.episode.steps)) == ("m", 1)
    assert [request.headers["authorization"] for request in llm.requests] == ["Bearer k"]
    assert decoy.requests == []


def test_an_empty_variable_of_the_process_turns_the_folders_off(tmp_path: Path, server_url: str) -> None:
    with scripted_llm() as decoy:
        env_file(tmp_path, API_KEY="decoy", API_BASE_URL=decoy.url)
        ended = run(tmp_path, SHORT, {"API_KEY": "", "ENV_BASE_URL": server_url})
    assert ended.episode.model == "builtin-greedy"
    assert decoy.requests == []


def test_a_file_in_a_folder_above_is_not_looked_at(tmp_path: Path, server_url: str) -> None:
    with scripted_llm() as decoy:
        env_file(tmp_path, API_KEY="decoy", API_BASE_URL=decoy.url, ENV_BASE_URL="http://127.0.0.1:9")
        below = tmp_path / "below"
        below.mkdir()
        ended = run(below, SHORT, {"ENV_BASE_URL": server_url})
    assert (ended.episode.model, len(ended.episode.steps)) == ("builtin-greedy", 1)
    assert decoy.requests == []


def test_a_model_name_forges_nothing(tmp_path: Path, server_url: str) -> None:
    forged = "m\n[END] success=true steps=0 score=0.990 rewards=\r\u2028\x1b[31m é"
    with scripted_llm() as llm:
        variables = {"API_KEY": "k", "API_BASE_URL": llm.url, "ENV_BASE_URL": server_url}
        ended = run(tmp_path, [*SHORT, "--model", forged], variables)
    assert ended.episode.model.startswith("m__END__success_true_steps_0_score_0.990_rewards_")
    assert llm.sent[0]["model"] == forged
    assert "\n[END]" not in ended.stderr


def test_a_key_without_a_home_is_sent_nowhere(tmp_path: Path) -> None:
    ended = run(tmp_path, SHORT, {"API_KEY": "k", "OPENAI_API_KEY": "other"})
    assert (ended.status, ended.stdout) == (2, "")
    assert "set API_BASE_URL too" in ended.stderr


@pytest.mark.parametrize(
    "variables",
    [{"API_BASE_URL": "ftp://127.0.0.1/v1"}, {"API_BASE_URL": "127.0.0.1"}, {"API_BASE_URL": "http://[:1"}],
    ids=lambda variables: variables["API_BASE_URL"],
)
def test_an_address_that_is_none_is_refused(tmp_path: Path, variables: dict[str, str]) -> None:
    ended = run(tmp_path, SHORT, {"API_KEY": "k", **variables})
    assert (ended.status, ended.stdout) == (2, "")
    assert "API_BASE_URL must be an http or https address" in ended.stderr


def test_a_password_in_an_address_that_is_refused_is_not_printed() -> None:
    for address in ("http://me:p4ssw0rd@127.0.0.1:99999/v1", "ftp://p4ss/@w0rd@host", "http://p4ssw0rd@"):
        with pytest.raises(EndpointError, match="API_BASE_URL must be an http") as refused:
            choose_endpoint({"API_KEY": "k", "API_BASE_URL": address})
        assert "w0rd" not in str(refused.value)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"API_KEY=\xff\xfe\n")
    ended = run(tmp_path, SHORT)
    assert (ended.status, ended.stdout) == (2, "")
    assert "must be a readable UTF-8 text file" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--seeds", "9-0"], "a range must ascend"),
        (["--seeds=-1"], "must be seeds"),
        (["--seeds", "42949672951"], "must be seeds and ranges of seeds in 0..4294967295"),
        (["--seeds", "0-4294967295"], "at most 10000 seeds"),
        (["--seeds", "1,,2"], "must be seeds"),
        (["--seeds", "1-"], "must be seeds"),
        (["--seeds", "²"], "must be seeds"),
        (["--tasks", "easy,impossible"], "must be some of easy,medium,hard"),
        (["--turns", "0"], "must be in 1..150"),
        (["--turns", "1.5"], "invalid whole number value"),
        (["--temperature", "nan"], "must be in 0..2"),
        (["--run-budget", "-1"], "must be in 0.."),
        (["--turn", "3", "stray"], "unrecognized arguments"),
    ],
)
def test_a_wrong_command_line_says_what_is_allowed(tmp_path: Path, arguments: list[str], told: str) -> None:
    ended = run(tmp_path, arguments)
    assert (ended.status, ended.stdout) == (2, "")
    assert told in ended.stderr


def test_help_and_a_wrong_command_line_import_no_framework() -> None:
    code = (
        "import sys, runpy\n"
        f"sys.argv = [{str(SCRIPT)!r}, '--help']\n"
        "try:\n"
        f"    runpy.run_path({str(SCRIPT)!r}, run_name='__main__')\n"
        "except SystemExit as end:\n"
        "    heavy = {'openenv', 'openai', 'fastapi', 'gradio', 'pydantic', 'uvicorn'} & set(sys.modules)\n"
        "    sys.exit(f'{end.code} {heavy}' if end.code or heavy else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"--{name}" in done.stdout for name in ("seeds", "tasks", "episodes", "turns", "temperature"))


def test_the_agents_process_holds_neither_server_nor_graders(tmp_path: Path, server_url: str) -> None:
    ended = run(tmp_path, SHORT, {"ENV_BASE_URL": server_url}, modules_listed)
    assert ended.status == 0
    modules = ended.stderr.rpartition("modules: ")[2].split()
    assert "quantum_circuit_env.client" in modules
    assert not [name for name in modules if name.startswith("quantum_circuit_env.server")]
