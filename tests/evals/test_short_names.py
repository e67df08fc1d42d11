"""What tables call models: by what sets them apart; the JSON has the specs."""

import json
from pathlib import Path

import pytest

from quantum_circuit_env.agents.spec import AgentSpec
from quantum_circuit_env.evals.compare import compare
from quantum_circuit_env.evals.report import render_html, render_markdown
from quantum_circuit_env.evals.report.names import named, short_names
from support.compared import run_of


def spec(text: str) -> str:
    return str(AgentSpec.parse(text))


@pytest.mark.parametrize(
    ("specs", "names"),
    [
        (["llm:model=m"], ["llm:model=m"]),
        (["llm:model=m,temperature=0.5"], ["llm:model=m,temperature=0.5"]),
        (["llm:model=m,temperature=0.5", "llm:model=n,temperature=0.5"], ["llm:model=m", "llm:model=n"]),
        (["llm:model=m", "llm:model=m,temperature=0.5"], ["llm:model=m", "llm:model=m,temperature=0.5"]),
        (["llm:model=m,max_tokens=9", "llm:model=n"], ["llm:model=m,max_tokens=9", "llm:model=n"]),
        (["beam", "llm:model=m"], ["beam:width=8", "llm:model=m"]),
    ],
)
def test_options_that_tell_nothing_are_left_out(specs: list[str], names: list[str]) -> None:
    labels = list(map(spec, specs))
    assert list(short_names(labels).values()) == names


def test_runs_behind_a_name_stay_and_what_is_no_spec_is_left_alone() -> None:
    labels = [f"{spec('llm:model=m')} [one]", f"{spec('llm:model=m')} [two]", "llm:odd", "llm:model=a b"]
    assert list(short_names(labels).values()) == [
        "llm:model=m [one]",
        "llm:model=m [two]",
        "llm:odd",
        "llm:model=a b",
    ]


def test_pages_have_the_short_names_and_say_what_they_are(tmp_path: Path) -> None:
    first, second = spec("llm:model=first"), spec("llm:model=second,temperature=0.5")
    rows = [[0.1 * seed] for seed in range(8)]
    found = compare([run_of(tmp_path / "r", {first: {"easy": rows}, second: {"easy": rows[::-1]}})])
    assert first in json.dumps(found.as_json())
    shown = named(found)
    assert {own.agent for own in shown.comparison.tiers[0].standings} == {
        "llm:model=first",
        "llm:model=second,temperature=0.5",
    }
    assert set(shown.labels.values()) == {first, second}
    assert named(shown.comparison).comparison == shown.comparison
    for page in (render_html(found), render_markdown(found).replace("\\", "")):
        head, _, full = page.partition("Names in full")
        assert first not in head
        assert "llm:model=first" in head
        assert first in full
        assert second in full
