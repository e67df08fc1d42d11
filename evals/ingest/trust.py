"""Whether samples were judged by the same evaluator, as far as their files tell."""

from collections import defaultdict
from collections.abc import Iterable

from quantum_circuit_env.evals.ingest.records import UNKNOWN, SampleRecord


class MixedEvaluatorsError(ValueError):
    """Raised when samples that are to be compared may have been judged by different evaluators."""


def check_evaluators(records: Iterable[SampleRecord], *, trust_unknown: bool = False) -> None:
    """Return if the samples of each suite may be compared.

    They may if one revision judged them all. One that did not say its name is only itself within one file;
    `trust_unknown` takes it for the revision of the others. Two names are two evaluators, trusted or not.

    Raises:
        MixedEvaluatorsError: that names the suite, the revisions and what can be done.
    """
    suites: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for record in records:
        suites[record.suite][record.evaluator_revision].add(record.source_sha256)
    for suite, revisions in suites.items():
        known = sorted(revisions.keys() - {UNKNOWN})
        if len(known) > 1:
            raise MixedEvaluatorsError(
                f"{suite} was judged by different evaluators, {' and '.join(known)}: they compare"
                " once one of them has judged all outputs; --side-by-side shows them without comparing"
            )
        unknown = len(revisions[UNKNOWN]) if UNKNOWN in revisions else 0
        if unknown and (unknown > 1 or known) and not trust_unknown:
            raise MixedEvaluatorsError(
                f"{suite} has {unknown} files that do not say which evaluator judged them:"
                " --trust-same-evaluator takes it to be one; --side-by-side shows them without comparing"
            )
