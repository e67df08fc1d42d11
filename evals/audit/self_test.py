"""The audit of the audit: each probe must find its mutants, and nothing in a clean game."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from quantum_circuit_env.evals.audit.probe import Finding, Status, find
from quantum_circuit_env.evals.audit.probes import PROBES
from quantum_circuit_env.evals.audit.subject import Audit
from quantum_circuit_env.evals.audit.zoo import CLEAN, MUTANTS

SEEDS: Final = 2
"""Tasks of each tier that the self-test plays on the clean game."""


class Trial(NamedTuple):
    """A probe that has been tried on an evaluator whose defect is known.

    Attributes:
        finding: what it found.
        defect: the defect; None for the clean game.
    """

    finding: Finding
    defect: str | None

    @property
    def name(self) -> str:
        """What it was tried on, in words."""
        return "a clean game" if self.defect is None else self.defect

    @property
    def right(self) -> bool:
        """Whether the probe told the clean game from a mutant; on a clean one it need not apply."""
        if self.defect is None:
            return self.finding.status in (Status.PASS, Status.NOT_APPLICABLE)
        return self.finding.status is Status.FAIL


def self_test(probes: Iterable[str] = tuple(PROBES), *, clean: Audit | None = None) -> Iterator[Trial]:
    """Yield each probe's trials: on the clean game, then on its mutants.

    Args:
        probes: ids of the probes to try.
        clean: an audit of the clean game, for who tries probes in several calls.
    """
    clean = Audit(CLEAN, seeds=SEEDS) if clean is None else clean
    for probe in map(PROBES.__getitem__, probes):
        yield Trial(find(probe, clean), None)
        for mutant in MUTANTS:
            if mutant.probe == probe.id:
                yield Trial(find(probe, Audit(mutant.evaluator, seeds=mutant.seeds)), mutant.defect)
