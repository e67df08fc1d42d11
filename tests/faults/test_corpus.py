"""What once was or could be dangerous is tried first: each input has the answer that its file names."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from qrewrite.circuits import Circuit, CircuitError, circuit_from_json
from support.corpus import entries, written
from support.tried import Tried

FRAMES = entries("frames")
CIRCUITS = entries("circuits")


@pytest.fixture(scope="module")
def tried(server_url: str) -> Iterator[Tried]:
    with ExitStack() as stack:
        yield Tried(server_url, stack)


@pytest.mark.parametrize("entry", FRAMES.values(), ids=FRAMES)
def test_a_frame_of_the_corpus_has_its_answer_and_no_other_effect(
    tried: Tried, entry: dict[str, Any]
) -> None:
    with tried.renewed_if_it_fails():
        assert tried.send(written(entry)) == entry["answer"]
        tried.step(0, 2)
        tried.restart()


@pytest.mark.parametrize("entry", CIRCUITS.values(), ids=CIRCUITS)
def test_a_circuit_of_the_corpus_is_read_or_refused(entry: dict[str, Any]) -> None:
    def read() -> Circuit:
        text = written(entry)
        if "text" in entry:
            return Circuit.parse(str(text), num_qubits=entry["num_qubits"])
        return circuit_from_json(text)

    if entry["answer"] == "circuit":
        assert Circuit.parse(str(read()), num_qubits=read().num_qubits) == read()
    else:
        with pytest.raises(CircuitError) as refusal:
            read()
        assert len(str(refusal.value)) < 400
