"""The zoo: evaluators with one defect each, in the order of the probes that must find them."""

from typing import Final

from quantum_circuit_env.evals.audit.mutants import grades, harness, rules, seeds, sessions, telling
from quantum_circuit_env.evals.audit.mutants.mutant import CLEAN, Mutant
from quantum_circuit_env.evals.audit.probes import PROBES

__all__ = ["CLEAN", "MUTANTS", "Mutant"]

_FAMILIES: Final = (grades, rules, seeds, sessions, telling, harness)
_ORDER: Final = tuple(PROBES)

MUTANTS: Final = tuple(
    sorted(
        (mutant for family in _FAMILIES for mutant in family.MUTANTS),
        key=lambda mutant: _ORDER.index(mutant.probe),
    )
)
"""All mutants; each probe has some."""
