"""The results of a run, for people."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import mean

from quantum_circuit_env.agents.loop import Record
from quantum_circuit_env.agents.transcript import plain
from quantum_circuit_env.agents.vocabulary import EndReason, ErrorClass


def summary(records: Sequence[Record], *, model: str) -> str:
    """Return a table with a line for each task; episodes that were broken off are listed apart."""
    lines = [
        f"Results of {plain(model)}",
        f"{'task':<8}{'episodes':>9}{'mean':>8}{'min':>8}{'max':>8}{'success':>9}",
    ]
    lines.extend(
        _row(task, [record for record in records if record.plan.task == task])
        for task in dict.fromkeys(record.plan.task for record in records)
    )
    classes = sum((record.classes for record in records), Counter[ErrorClass]())
    lines.append(f"turns: {_counted([(each.value, classes[each]) for each in ErrorClass])}")
    ends = Counter(record.end for record in records)
    lines.append(f"ends: {_counted([(each.value, ends[each]) for each in EndReason])}")
    lines.extend(_incomplete(records))
    return "\n".join(lines)


def _row(task: str, records: Sequence[Record]) -> str:
    complete = [record for record in records if record.end is not EndReason.INCOMPLETE]
    scores = [record.score for record in complete]
    if not scores:
        return f"{task:<8}{0:>9}{'-':>8}{'-':>8}{'-':>8}{'-':>9}"
    won = sum(record.success for record in complete)
    figures = "".join(f"{value:>8.3f}" for value in (mean(scores), min(scores), max(scores)))
    return f"{task:<8}{len(complete):>9}{figures}{f'{won}/{len(complete)}':>9}"


def _counted(pairs: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {count}" for name, count in pairs if count) or "none"


def _incomplete(records: Sequence[Record]) -> Iterator[str]:
    for record in records:
        if record.end is EndReason.INCOMPLETE:
            task, seed = record.plan
            yield f"incomplete, not counted: {task} seed {seed} after {len(record.turns)} turns"
