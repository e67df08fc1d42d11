"""README's commands and examples run as they are written, and its tables say what the code says."""

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import fields
from inspect import getdoc
from pathlib import Path
from typing import Any

import pytest

from qrewrite.game import STEP_LIMIT
from qrewrite.rules import RULES, Rule
from qrewrite.tasks import GAME_VERSION, PUBLISHED_SEEDS, SPLITS, TIERS
from quantum_circuit_env.evals import depth
from quantum_circuit_env.inference import EPISODES
from quantum_circuit_env.models import ObservationMetadata, QuantumCircuitObservation
from quantum_circuit_env.server.settings import Settings
from support import readme
from support.servers import environ
from support.sockets import session

ROOT = readme.README.parent
README = readme.README.read_text("utf-8")
CLIENT, TRAINING, BATCHED = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def told(command: str, **variables: str) -> str:
    """Run a command of README's in the tests' own environment and return what it prints."""
    if shutil.which("uv") is None:
        pytest.skip("uv, which README's commands need, is not on the path")
    # What is installed is taken as it is: installing it is tried in a clean clone, by .ci/legs/readme.
    variables = {"UV_NO_SYNC": "1", "UV_OFFLINE": "1", "PYTHONUTF8": "1", **variables}
    done = subprocess.run(
        shlex.split(command),
        cwd=ROOT,
        env=environ(**variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_command_is_run_somewhere() -> None:
    assert sorted(readme.commands()) == sorted(readme.COMMANDS)


def test_the_scripts_that_commands_run_exist() -> None:
    scripts = set(re.findall(r"uv run python ([\w/]+\.py)", README))
    assert "inference.py" in scripts
    assert {name for name in scripts if not (ROOT / name).is_file()} == set()


@pytest.mark.parametrize(
    "leg", sorted({leg for _, why in readme.COMMANDS.values() for leg in re.findall(r"^\.ci/[\w/]+", why)})
)
def test_the_legs_that_run_commands_exist(leg: str) -> None:
    assert os.access(ROOT / leg, os.X_OK)


@pytest.mark.parametrize("command", [one for one in readme.COMMANDS if "show" in one and "--svg" not in one])
def test_picture(command: str) -> None:
    picture = told(command).strip("\n")
    assert f"```text\n{picture}\n```" in README


@pytest.mark.parametrize("command", [one for one in readme.COMMANDS if "--svg" in one])
def test_drawing(command: str, tmp_path: Path) -> None:
    draw, file = command.split(" --svg ")
    told(f"{draw} --svg {tmp_path / 'drawn.svg'}")
    assert (tmp_path / "drawn.svg").read_bytes() == (ROOT / file).read_bytes()
    assert re.search(rf"^!\[[^]]+\]\({re.escape(file)}\)$", README, re.MULTILINE)


def test_every_image_is_drawn_by_a_command() -> None:
    drawn = {command.split(" --svg ")[1] for command in readme.COMMANDS if "--svg" in command}
    assert {str(image.relative_to(ROOT)) for image in (ROOT / "docs" / "images").iterdir()} == drawn


def test_depth() -> None:
    printed = told("uv run quantum-circuit-env depth --seeds 2")
    assert f"2 seeds, game version {GAME_VERSION}" in printed
    table = rows(f"200 seeds, game version {GAME_VERSION}", *TIERS)
    assert [row[0] for row in table] == list(depth.rows("easy", [depth.sample("easy", 0)]))


def test_inference(server_url: str) -> None:
    lines = told(
        "uv run python inference.py --offline --tasks easy --seeds 0-2", ENV_BASE_URL=server_url
    ).splitlines()
    assert [line for line in lines if line.startswith("[START]")] == [
        "[START] task=easy env=quantum_circuit_env model=builtin-greedy"
    ] * 3
    assert sum(line.startswith("[END] success=true ") for line in lines) == 3


@pytest.fixture
def output(server_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> "Runner":
    monkeypatch.setenv("ENV_BASE_URL", server_url)
    return Runner(capsys)


class Runner:
    """Runs an example as a script of its own, in this process, which has imported OpenEnv already."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, example: str) -> list[str]:
        exec(compile(example, "README.md", "exec"), {"__name__": "__main__"})  # noqa: S102
        return self._capsys.readouterr().out.splitlines()


def test_client_example(output: Runner) -> None:
    (said,) = output(CLIENT)
    assert re.fullmatch(r"(optimized|dead_end|step_limit): \d+ gates left, score 0\.\d\d", said)


def test_training_example(output: Runner) -> None:
    said = output(TRAINING)
    assert len(said) == 8
    assert all(re.fullmatch(r"return -?\d+\.\d\d, score 0\.\d\d", line) for line in said)


def test_batched_example(output: Runner) -> None:
    (said,) = output(BATCHED)
    reward, *terminations = said.split()
    assert -0.1 <= float(reward) <= 2.0
    assert set(terminations) <= {"optimized", "dead_end", "step_limit"}


def rows(*header: str) -> list[tuple[str, ...]]:
    """Cells of README's one table with this header, code cells without their backticks."""
    (found,) = re.findall(
        rf"^\| {re.escape(' | '.join(header))} \|\n\|[-:| ]+\|\n((?:\|.*\|\n)+)", README, re.MULTILINE
    )
    return [
        tuple(re.sub("^`([^`]*)`$", r"\1", cell.strip()) for cell in line.strip("|").split(" | "))
        for line in found.splitlines()
    ]


def signed(reward: float) -> str:
    return f"{reward:+.2f}".replace("-", "−")


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_table_of_actions(rule: Rule) -> None:
    row = (rule.action_type, rule.name, rule.condition, rule.effect, signed(rule.reward))
    assert tuple(map(str, row)) in rows("type", "name", "legal when", "effect", "reward")


def test_table_of_steps(server_url: str) -> None:
    with session(server_url) as one:
        one.reset(task="easy", seed=42)
        for message, reward, result, gates in rows("message", "reward", "`action_result`", "gates"):
            data = one.ask(message)["data"]
            seen = data["observation"]
            answer = (signed(data["reward"]), seen["metadata"]["action_result"], str(seen["gate_count"]))
            assert answer == (reward, result, gates)


def type_name(schema: dict[str, Any]) -> str:
    """What README calls a JSON type."""
    if "anyOf" in schema:
        first, null = schema["anyOf"]
        assert null == {"type": "null"}
        return f"{type_name(first)} or null"
    if "$ref" in schema:
        return "str" if schema["$ref"].endswith(("ActionResult", "Termination")) else "object"
    names = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "array": "list"}
    return names[schema["type"]]


def test_tables_of_observations(schema: dict[str, Any]) -> None:
    observation, metadata = (
        {name: (kind, text) for name, kind, text in table} for table in _observation_tables()
    )
    published = schema["observation"]["properties"]
    assert observation == {
        name: (type_name(published[name]), field.description)
        for name, field in QuantumCircuitObservation.model_fields.items()
    }
    keys = re.split(r"^    (\w+): ", getdoc(ObservationMetadata).partition("Keys:\n")[2], flags=re.MULTILINE)
    texts = {name: " ".join(text.split()) for name, text in zip(keys[1::2], keys[2::2], strict=True)}
    published = schema["observation"]["$defs"]["ObservationMetadata"]["properties"]
    assert {name: (kind, f"{text}.") for name, (kind, text) in metadata.items()} == {
        name: (type_name(published[name]), text) for name, text in texts.items()
    }


def _observation_tables() -> list[list[tuple[str, ...]]]:
    return [rows("field", "type", "what it is"), rows("key", "type", "what it is")]


@pytest.mark.parametrize("task", TIERS)
def test_table_of_tiers(task: str) -> None:
    tier = TIERS[task]
    gates = ", ".join(tier.two_qubit_gates) or "none"
    row = (task, tier.num_qubits, tier.pairs, tier.noise, tier.gate_count, gates, tier.par)
    header = ("task", "qubits", "pairs", "noise", "gates at the start", "two-qubit gates", "par")
    assert tuple(map(str, row)) in rows(*header)


@pytest.mark.parametrize("task", TIERS)
def test_table_of_grades(task: str) -> None:
    scoring = TIERS[task].scoring
    grade = "c"
    if scoring.bonus:
        grade += f", plus {scoring.bonus:.2f} once an action of type 3 or 4 has succeeded"
    if scoring.gate:
        grade += f", but {scoring.floor:.2f} if c is below {scoring.gate:.2f}"
    found = {row[0]: row[1] for row in rows("task", "grade", "a full score requires")}
    assert found[task] == grade
    assert f"clamped to [{scoring.floor}, {scoring.ceiling}]" in README


def test_table_of_settings() -> None:
    defaults = {field.name: str(field.default) for field in fields(Settings)}
    named = {
        "`QUANTUM_TASK`": f"`{defaults['task']}`",
        "`MAX_CONCURRENT_ENVS`": defaults["sessions"],
        "`HOST`, `PORT`": f"{defaults['host']}, {defaults['port']}",
        "`WORKERS`": defaults["workers"],
        "`ENABLE_WEB_INTERFACE`": defaults["web"].lower(),
        "`LOG_LEVEL`": defaults["log_level"],
        "`LOG_FORMAT`": defaults["log_format"],
        "`IDLE_TIMEOUT_S`": defaults["idle_timeout_s"],
        "`SHUTDOWN_TIMEOUT_S`": defaults["shutdown_timeout_s"],
        "`MAX_MESSAGE_BYTES`": defaults["max_message_bytes"],
        "`MAX_CIRCUIT_GATES`": defaults["max_circuit_gates"],
        "`MAX_CIRCUIT_QUBITS`": defaults["max_circuit_qubits"],
        "`MAX_SESSION_REQUESTS`": "none",
        "`MAX_REQUESTS_PER_SECOND`": "none",
        "`METRICS_DIR`": "none",
    }
    unset = {"max_session_requests": "0", "max_requests_per_second": "0", "metrics_dir": "None"}
    assert {name: defaults[name] for name in unset} == unset
    assert len(named) == len(defaults) - 1
    for name, default in named.items():
        assert f"| {name} | {default} |" in README


def test_numbers_in_the_text() -> None:
    train, validation, test = (f"{len(SPLITS[name]):,}" for name in ("train", "validation", "test"))
    assert validation == test
    assert f"`train` ({train} tasks), `validation` and `test` ({test} each" in README
    assert f"after {STEP_LIMIT} steps" in README
    assert f"({', '.join(f'{task} {seed}' for task, seed in PUBLISHED_SEEDS.items())}) three times" in README
    assert EPISODES == 3


def test_front_matter() -> None:
    assert README.startswith("---\n")
    lines = README.split("---\n")[1].splitlines()
    matter = dict(line.split(": ", 1) for line in lines if ": " in line)
    assert matter["sdk"] == "docker"
    assert matter["app_port"] == "8000"
    assert matter["base_path"] == "/web"
    assert matter["license"] == "mit"
    assert 0 < len(matter["short_description"]) <= 60
    assert lines[lines.index("tags:") + 1] == "  - openenv"


@pytest.mark.parametrize(
    "page",
    [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")],
    ids=lambda page: page.name,
)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text("utf-8")):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        found = page.parent / name if name else page
        assert found.exists(), target
        assert not anchor or anchor in _anchors(found), target


def _anchors(page: Path) -> set[str]:
    titles = re.findall("^#+ (.*)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}
