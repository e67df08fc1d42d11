"""The probes as graders of OpenEnv's validation, one for each check that they serve.

`pyproject.toml` names those that an OpenEnv may load by itself, under the entry-point group
`openenv.validation.graders`: checks that OpenEnv lists and has no grader for. Openenv 0.10 loads none.
"""

from functools import cache, cached_property
from types import SimpleNamespace
from typing import Any, Final

from quantum_circuit_env.evals.audit.openenv_report import POLICY, check_result
from quantum_circuit_env.evals.audit.probe import Finding, find
from quantum_circuit_env.evals.audit.probes import PROBES
from quantum_circuit_env.evals.audit.shipped import ENV_NAME, at, in_process
from quantum_circuit_env.evals.audit.subject import Audit

GROUP: Final = "openenv.validation.graders"
"""Entry-point group under which OpenEnv looks for graders."""

_NEEDED: Final = {
    "runtime.rubric_introspectable": "rubric_tree",
    "runtime.reward_attribution": "rubric_tree",
    "runtime.task_declaration_accuracy": "task_api",
    "semantic.oracle_max": "oracle",
    "semantic.canary_floor": "canaries",
}
"""Check → the capability without whose declaration it says nothing."""

_OWN: Final = "audit."


class ProbeGrader:
    """The probes that serve one check, as OpenEnv's `Grader`.

    Attributes:
        check_id: the check.
    """

    requires_provider: frozenset[Any] = frozenset()

    def __init__(self, check_id: str) -> None:
        self.check_id = check_id

    @cached_property
    def level(self) -> Any:
        """OpenEnv's level of the check; semantic for our own."""
        from openenv.validation.policy import load_policy
        from openenv.validation.types import Level

        levels = {entry.check_id: entry.level for entry in load_policy(POLICY).entries}
        return levels.get(self.check_id, Level.SEMANTIC)

    @property
    def requires_capabilities(self) -> frozenset[str]:
        """The capability that the manifest must declare, if there is one."""
        return frozenset({_NEEDED[self.check_id]} if self.check_id in _NEEDED else ())

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What must have passed before: above the static level, that the server starts."""
        return ("runtime.startup",) if self.level > 1 else ()

    def applies_to(self, manifest: Any) -> bool:
        """Return whether the package is this one: an entry point is seen by every package's validation."""
        return bool(manifest.name == ENV_NAME)

    def run(self, subject: Any) -> Any:
        """Run the probes on the subject's server, or in process when none is running."""
        url = subject.running.base_url if subject.running is not None else None
        found = [_found(probe.id, url) for probe in PROBES.values() if self.check_id in probe.check_ids]
        return check_result(self.check_id, found)


@cache
def _audited(url: str | None) -> Audit:
    return Audit(in_process() if url is None else at(url))


@cache
def _found(probe: str, url: str | None) -> Finding:
    """Return what a probe finds; one that serves several checks is run once."""
    return find(PROBES[probe], _audited(url))


GRADERS: Final = {
    check: ProbeGrader(check)
    for check in sorted({check for probe in PROBES.values() for check in probe.check_ids})
}
"""Check id → its grader."""


def _family(prefix: str) -> SimpleNamespace:
    """Return the graders of the checks `prefix.*`, each by what follows the dot."""
    named = {
        check.partition(".")[2]: grader for check, grader in GRADERS.items() if check.startswith(f"{prefix}.")
    }
    return SimpleNamespace(**named)


static, runtime, semantic = _family("static"), _family("runtime"), _family("semantic")
statistical, hub, audit = _family("statistical"), _family("hub"), _family("audit")
"""The graders by check id, as entry points name them: `graders:semantic.oracle_max`."""
