"""Strict JSON: all of JSON within its bounds and nothing else; and the glance that spares reading steps."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantum_circuit_env.server import messages
from quantum_circuit_env.server.messages import answer_frame
from quantum_circuit_env.server.strict_json import MAX_DEPTH, MAX_DIGITS, MalformedError, loads

text = st.text(st.characters(exclude_categories=["Cs"]))
documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner) | st.dictionaries(text, inner),
    max_leaves=20,
)


@given(documents, st.booleans())
def test_what_json_can_say_is_read(document: Any, ascii_only: bool) -> None:
    written = json.dumps(document, ensure_ascii=ascii_only)
    assert loads(written) == document
    assert loads(written.encode()) == document


@given(st.text())
def test_whatever_is_read_can_be_read_and_written_by_anybody(raw: str) -> None:
    try:
        document = loads(raw)
    except MalformedError:
        return
    assert json.loads(json.dumps(document, ensure_ascii=False).encode()) == document


@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_nesting_is_allowed_up_to_its_bound(brackets: str) -> None:
    opening, closing = ("[", "]") if brackets == "[]" else ('{"a": ', "}")
    assert loads(opening * MAX_DEPTH + "0" + closing * MAX_DEPTH) is not None
    with pytest.raises(MalformedError, match="nested"):
        loads(opening * (MAX_DEPTH + 1) + "0" + closing * (MAX_DEPTH + 1))


def test_lists_are_as_deep_as_they_are_nested_whatever_is_inside() -> None:
    assert loads("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None
    with pytest.raises(MalformedError, match="nested"):
        loads("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))


def test_many_lists_beside_each_other_are_not_deep() -> None:
    assert len(loads(f"[{','.join(['[[]]'] * 1000)}]")) == 1000


def test_numbers_are_allowed_up_to_their_bound() -> None:
    assert loads("9" * MAX_DIGITS) == 10**MAX_DIGITS - 1
    assert math.isfinite(loads("1e308"))
    with pytest.raises(MalformedError, match="digits"):
        loads("9" * (MAX_DIGITS + 1))


def test_whole_surrogate_pairs_are_text() -> None:
    assert loads('"\\ud83d\\ude00"') == "😀"


@given(
    st.sampled_from(["", " ", "  ", "\n"]),
    st.sampled_from(
        ["0", "7", "007", "-1", "-0", "123456789", "1234567890", "1.0", "1e1", '"1"', "true", "٣"]
    ),
    st.sampled_from(["0", "1", "2", "3", "4", "5", "14", "1.0", "true"]),
    st.sampled_from(["", ",", "}", ' "x": 1', ', "x": 1', "\n"]),
)
def test_the_glance_lets_pass_only_what_reading_lets_pass(
    space: str, index: str, kind: str, more: str
) -> None:
    data = f'{{"target_index":{space}{index},{space}"action_type":{space}{kind}{more}}}'
    frame = f'{{"type":{space}"step",{space}"data":{space}{data}}}{more if more.isspace() else ""}'
    glanced = messages._ORDINARY_STEP.fullmatch(frame) is not None
    if glanced:
        # The same frame in another spelling is read in full.
        assert answer_frame(f" {frame}") is None
    assert glanced <= (answer_frame(frame) is None)


def test_the_glance_knows_the_frames_of_our_client() -> None:
    frame = json.dumps({"type": "step", "data": {"target_index": 69, "action_type": 4}})
    assert messages._ORDINARY_STEP.fullmatch(frame)
