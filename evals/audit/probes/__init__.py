"""The probes, one module for each family."""

from typing import Final

from quantum_circuit_env.evals.audit.probe import Probe
from quantum_circuit_env.evals.audit.probes import (
    determinism,
    disclosure,
    equivalence,
    evaluation,
    floor,
    isolation,
    leakage,
    manipulation,
    oracle,
    reward,
    statistics,
    termination,
    wellformed,
)

PROBES: Final[dict[str, Probe]] = {
    probe.id: probe
    for family in (
        oracle,
        floor,
        reward,
        equivalence,
        termination,
        manipulation,
        determinism,
        leakage,
        disclosure,
        isolation,
        wellformed,
        statistics,
        evaluation,
    )
    for probe in family.PROBES
}
"""Id → probe, family by family."""
