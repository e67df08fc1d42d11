"""Reading replies: whatever a model writes is read as exactly what was written, or as no action."""

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from qrewrite.game import Action
from quantum_circuit_env.agents.agent import Decision
from quantum_circuit_env.agents.replies import MAX_REPLY, Reply, read_reply
from quantum_circuit_env.agents.vocabulary import UNUSABLE, ErrorClass

ACTION = '{"target_index": 3, "action_type": 1}'
WRITTEN = re.compile(
    r'\{\s*"(target_index|action_type)"\s*:\s*(-?\d+)\s*,\s*"(target_index|action_type)"\s*:\s*(-?\d+)\s*\}'
)

pieces = st.sampled_from(
    [
        *"{}[]\":,`\\\n 0123456789-.eE'",
        "<think>",
        "</think>",
        "<THINKING>",
        "</thinking>",
        "```json\n",
        '"target_index"',
        '"action_type"',
        "target_index",
        "true",
        "null",
        "NaN",
        "1e3",
        str(2**70),
        "\ud800",
        "\u2028",
        "\x00",
        ACTION,
        ACTION.replace("3", "4"),
        '{"action": ',
    ]
)
replies = st.one_of(st.text(), st.lists(pieces, max_size=40).map("".join))


@given(text=replies, cut_off=st.booleans(), refused=st.booleans())
def test_no_text_is_read_as_an_action_that_does_not_stand_in_it(
    text: str, cut_off: bool, refused: bool
) -> None:
    decision = read_reply(Reply(text, cut_off=cut_off, refused=refused))
    assert (decision.action is None) == (decision.error in UNUSABLE)
    if decision.action is not None:
        assert decision.error is None
        assert not refused
        written = [
            {first: int(one), second: int(other)} for first, one, second, other in WRITTEN.findall(text)
        ]
        assert decision.action._asdict() in written


@given(
    index=st.integers(0, 10**6),
    kind=st.integers(1, 4),
    before=st.text(st.characters(exclude_characters="{[<")),
    after=st.text(st.characters(exclude_characters="{[<")),
    indent=st.sampled_from([None, 2]),
    swapped=st.booleans(),
)
def test_an_action_in_prose_is_read_as_written(
    index: int, kind: int, before: str, after: str, indent: int | None, swapped: bool
) -> None:
    fields = {"target_index": index, "action_type": kind}
    written = dict(reversed(fields.items())) if swapped else fields
    decision = read_reply(Reply(before + json.dumps(written, indent=indent) + after))
    assert decision == Decision(Action(index, kind), None, strict=not (before + after).strip())


# JSON values, of which none but the right one is an action.
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(index=values, kind=values)
def test_values_are_neither_rounded_nor_converted(index: object, kind: object) -> None:
    decision = read_reply(Reply(json.dumps({"target_index": index, "action_type": kind})))
    right = type(index) is int and 0 <= index < 2**63 and type(kind) is int and 1 <= kind <= 4
    assert (decision.action is not None) == right
    assert right or decision.error is ErrorClass.WRONG_TYPE_OR_RANGE


@given(value=values)
def test_other_json_is_no_action(value: object) -> None:
    decision = read_reply(Reply(json.dumps(value)))
    assert decision.action is None
    if isinstance(value, dict):
        assert decision.error is ErrorClass.WRONG_KEYS


@settings(max_examples=30)
@given(
    piece=pieces.filter(lambda piece: piece not in (ACTION, ACTION.replace("3", "4"))),
    head=st.sampled_from(["", "{", "[", '"', "<think>", '{"action": ', '[{"a": "', "\\"]),
)
def test_the_longest_reply_is_read_in_one_pass(piece: str, head: str) -> None:
    assert read_reply(Reply(head + piece * ((MAX_REPLY - 50) // len(piece)))).action is None


def test_a_reply_beyond_the_longest_is_not_looked_at() -> None:
    assert read_reply(Reply(" " * (MAX_REPLY - len(ACTION)) + ACTION)).action == Action(3, 1)
    assert read_reply(Reply(" " * MAX_REPLY + ACTION)).error is ErrorClass.UNPARSEABLE


def test_what_is_inside_of_something_else_is_not_taken_out_of_it() -> None:
    for text in (
        f"[{ACTION}]",
        f'{{"plan": [{ACTION}',
        f"{{{ACTION}}}",
        f'{{"action": {ACTION}',
        f"{{'a': {ACTION}}}",
    ):
        assert read_reply(Reply(text)).error is ErrorClass.UNPARSEABLE
    assert read_reply(Reply(f'{{"action": {ACTION}}}')).error is ErrorClass.WRONG_KEYS
    assert read_reply(Reply(json.dumps({"answer": ACTION}))).error is ErrorClass.WRONG_KEYS


def test_braces_of_prose_are_no_obstacle() -> None:
    for text in (r"\frac{1}{2}", "the set {H, X}", "if (a) { then", "[[1]]", "[a](b)", "}", "{}}"):
        assert read_reply(Reply(f"{text} so {ACTION}")).action == Action(3, 1)


def test_a_cut_off_reply_counts_if_its_action_was_complete() -> None:
    assert read_reply(Reply(f"{ACTION} since", cut_off=True)).action == Action(3, 1)
    assert read_reply(Reply(f"{ACTION} or " + ACTION[:20], cut_off=True)).action == Action(3, 1)
    assert read_reply(Reply("I think", cut_off=True)).error is ErrorClass.BUDGET_EXHAUSTED


def test_the_first_class_that_fits_counts() -> None:
    assert read_reply(Reply("", cut_off=True)).error is ErrorClass.EMPTY_OUTPUT
    assert read_reply(Reply("", refused=True)).error is ErrorClass.REFUSAL
    assert read_reply(Reply("I must", cut_off=True, refused=True)).error is ErrorClass.BUDGET_EXHAUSTED
    assert read_reply(Reply('{"target_index": true, "why": 1}')).error is ErrorClass.WRONG_KEYS
