"""What is audited: an evaluator, as its sessions, its graders and what it tells besides."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from random import Random

from qrewrite.tasks import PUBLISHED_SEEDS, SPLITS
from quantum_circuit_env.agents.agent import Decision
from quantum_circuit_env.agents.agent import Seen as Asked
from quantum_circuit_env.agents.llm import messages
from quantum_circuit_env.agents.replies import Reply, read_reply
from quantum_circuit_env.evals.audit.local import LocalGame
from quantum_circuit_env.evals.audit.play import Session
from quantum_circuit_env.evals.compare_warnings import BASELINES
from quantum_circuit_env.evals.units import Unit
from quantum_circuit_env.server.graders import GRADERS


@contextmanager
def captured() -> Iterator[Callable[[], str]]:
    """Note all that is logged and printed in this process."""
    stream, root = StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(stream), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with redirect_stdout(stream), redirect_stderr(stream):
            yield stream.getvalue
    finally:
        root.setLevel(level)
        root.removeHandler(handler)


@dataclass(frozen=True, slots=True)
class Evaluator:
    """An evaluator: its sessions, and the parts that judge and play outside of them.

    Attributes:
        name: what reports call it.
        open: opens a session.
        in_process: whether its sessions hand out their own objects, and not JSON.
        graders: task → grader.
        read_reply: how a model's reply is read.
        splits: name → seeds that belong to it, the same for each tier.
        baselines: agents without which a comparison warns.
        published: seeds that stand in the documentation.
        agent_modules: what the process of a language-model agent imports.
        grader_module: where the graders are.
        ask_model: what a language model is asked.
        stream: the randomness of a unit.
        pages: name → text of what is told outside of sessions: schemas, lists of tasks; JSON where it can be.
        log: while it is entered, notes what the evaluator logs, and gives a way to read it; None if nobody
            can.
    """

    name: str
    open: Callable[[], Session] = LocalGame
    in_process: bool = True
    graders: Mapping[str, Callable[[object], float]] = field(default_factory=lambda: GRADERS)
    read_reply: Callable[[Reply], Decision] = read_reply
    splits: Mapping[str, Sequence[int]] = field(
        default_factory=lambda: {name: split.seeds for name, split in SPLITS.items()}
    )
    baselines: tuple[str, ...] = BASELINES
    published: tuple[int, ...] = tuple(PUBLISHED_SEEDS.values())
    agent_modules: tuple[str, ...] = ("quantum_circuit_env.inference", "quantum_circuit_env.agents.llm")
    grader_module: str = "quantum_circuit_env.server.graders"
    ask_model: Callable[[Asked], Sequence[Mapping[str, str]]] = messages
    stream: Callable[[Unit], Random] = Unit.rng
    pages: Callable[[], Mapping[str, str]] = dict
    log: Callable[[], AbstractContextManager[Callable[[], str]]] | None = captured
