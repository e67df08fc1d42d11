"""Specs of agents: what is read, what is written, and what is refused with which words."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from quantum_circuit_env.agents.registry import AGENTS, agent_factory
from quantum_circuit_env.agents.spec import CATALOGUE, AgentSpec, SpecError
from quantum_circuit_env.cli import app

MODEL = "meta-llama/Llama-3.1-8B-Instruct:free"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("null", "null"),
        ("beam", "beam:width=8"),
        ("beam:width=064", "beam:width=64"),
        ("best-of:k=20", "best-of:k=20"),
        (f"llm:model={MODEL}", f"llm:max_tokens=2048,model={MODEL},temperature=0.7"),
        ("llm:temperature=2e-1,model=m,max_tokens=1", "llm:max_tokens=1,model=m,temperature=0.2"),
        ("llm:temperature=1,model=m", "llm:max_tokens=2048,model=m,temperature=1.0"),
    ],
)
def test_the_canonical_text_has_every_option_and_parses_back(text: str, canonical: str) -> None:
    spec = AgentSpec.parse(text)
    assert str(spec) == canonical
    again = AgentSpec.parse(canonical)
    assert again == spec
    assert hash(again) == hash(spec)


@given(
    model=st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=",="), min_size=1),
    temperature=st.floats(0, 2).map(abs),
    tokens=st.integers(1, 10**6),
)
def test_whatever_is_allowed_comes_back(model: str, temperature: float, tokens: int) -> None:
    spec = AgentSpec.parse(f"llm:model={model},temperature={temperature!r},max_tokens={tokens}")
    assert AgentSpec.parse(str(spec)) == spec
    assert (spec["model"], spec["temperature"], spec["max_tokens"]) == (model, temperature, tokens)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "unknown agent ''; the agents are null, invalid-spam"),
        ("Beam", "the agents are .*, beam, optimal, llm"),
        ("beam ", "unknown agent"),
        ("beam:", "after beam: come option=value, separated by commas, got ''"),
        ("beam:64", "come option=value"),
        ("beam:width=8,", "come option=value"),
        ("beam:width=8,width=8", "'width' is given twice"),
        ("beam:depth=8", "beam has no option 'depth'; its options: width"),
        ("null:k=1", "null has no option 'k'; its options: none"),
        ("beam:width=0", r"width must be an integer in 1\.\.4096, got '0'"),
        ("beam:width=4097", "in 1..4096"),
        ("beam:width=8.0", "an integer"),
        ("beam:width=+8", "an integer"),
        ("beam:width=1_0", "an integer"),
        ("beam:width=٨", "an integer"),
        (f"beam:width={'9' * 5000}", "an integer"),
        ("llm", "llm needs model=…: 1 to 200 visible ASCII characters without , and ="),
        ("llm:model=", "model must be 1 to 200"),
        ("llm:model=a b", "model must be"),
        ("llm:model=a=b", "model must be"),
        ("llm:model=m\n", "model must be"),
        ("llm:model=m,temperature=nan", "temperature must be a number in 0..2"),
        ("llm:model=m,temperature=1e999", "a number in 0..2"),
        ("llm:model=m,temperature=-0.0", "a number in 0..2"),
    ],
)
def test_what_is_no_spec_is_refused_with_what_is_allowed(text: str, says: str) -> None:
    with pytest.raises(SpecError, match=says) as caught:
        AgentSpec.parse(text)
    assert len(str(caught.value)) < 300


def test_the_registry_makes_every_agent_of_the_catalogue() -> None:
    assert list(AGENTS) == list(CATALOGUE)
    assert all(entry.options == CATALOGUE[name].options for name, entry in AGENTS.items())


def test_a_model_is_made_with_a_provider() -> None:
    spec = AgentSpec.parse("llm:model=m")
    with pytest.raises(ValueError, match="with a provider"):
        AGENTS["llm"].make(spec, Random(0))
    assert agent_factory(AgentSpec.parse("null"))(Random(0)).name == "null"


def test_the_command_lists_them_all() -> None:
    listed = CliRunner().invoke(app, ["agents"], env={"COLUMNS": "200"})
    assert listed.exit_code == 0
    for name, listing in CATALOGUE.items():
        assert re.search(rf"^│ {name} +│ {re.escape(listing.summary)}", listed.output, re.MULTILINE)
        assert all(str(option) in listed.output for option in listing.options)
