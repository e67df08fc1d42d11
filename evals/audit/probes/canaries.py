"""The canaries as probes use them: made from the game's own code, each replayed on a session of its own."""

from functools import cache

from quantum_circuit_env.evals import canaries, trajectories
from quantum_circuit_env.evals.audit.probe import AuditError
from quantum_circuit_env.evals.audit.subject import Audit


@cache
def _all() -> tuple[canaries.Canary, ...]:
    return tuple(trajectories.canaries())


def canaries_of(probe: str) -> tuple[canaries.Canary, ...]:
    """Return the canaries of a probe; the same that `validation/canaries.jsonl` holds."""
    return tuple(one for one in _all() if one.id.partition(".")[0] == probe)


def violated(audit: Audit, probe: str) -> list[str]:
    """Replay a probe's canaries and return a sentence for each condition that does not hold."""
    told = []
    for canary in canaries_of(probe):
        with audit.session() as play:
            try:
                told += canaries.violations(canary, canaries.replay(canary, play.session.ask))
            except canaries.CanaryError as error:
                raise AuditError(str(error)) from error
    return told
