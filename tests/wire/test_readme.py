"""README's examples run as they are written, and its tables say what the code says."""

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from qrewrite.rules import RULES
from qrewrite.tasks import TIERS
from quantum_circuit_env.server.settings import Settings

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
WEBSOCKET, CLIENT = EXAMPLES


def run(example: str, server_url: str, folder: Path) -> str:
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", example]
    environ = {**os.environ, "ENV_BASE_URL": server_url}
    done = subprocess.run(
        command, env=environ, cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_websocket_example(server_url: str, tmp_path: Path) -> None:
    *prompt, answer = run(WEBSOCKET, server_url, tmp_path).splitlines()
    assert "Circuit (index: gate qubits; the first gate acts first):" in prompt
    assert answer in ("-0.05 swapped", "-0.1 not_commuting")


def test_client_example(server_url: str, tmp_path: Path) -> None:
    said = run(CLIENT, server_url, tmp_path)
    assert re.fullmatch(r"(optimized|dead_end|step_limit): \d+ gates left, score 0\.\d\d\n", said)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_table_of_actions(rule: object) -> None:
    from qrewrite.rules import Rule

    assert isinstance(rule, Rule)
    reward = f"{rule.reward:+.2f}".replace("-", "−")
    row = (rule.action_type, rule.name, rule.condition, rule.effect, reward)
    assert f"| {' | '.join(map(str, row))} |" in README


@pytest.mark.parametrize("task", TIERS)
def test_table_of_tiers(task: str) -> None:
    tier = TIERS[task]
    assert f"| {task} | {tier.num_qubits} | {tier.gate_count} | {tier.par} | c" in README


def test_table_of_settings() -> None:
    defaults = {field.name: str(field.default) for field in fields(Settings)}
    named = {
        "`QUANTUM_TASK`": f"`{defaults['task']}`",
        "`MAX_CONCURRENT_ENVS`": defaults["sessions"],
        "`HOST`, `PORT`": f"{defaults['host']}, {defaults['port']}",
        "`WORKERS`": defaults["workers"],
        "`ENABLE_WEB_INTERFACE`": defaults["web"].lower(),
        "`LOG_LEVEL`": defaults["log_level"],
    }
    assert len(named) == len(defaults) - 1
    for name, default in named.items():
        assert f"| {name} | {default} |" in README
