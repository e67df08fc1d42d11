"""What every reader of a format is given, and what it fills."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from quantum_circuit_env.evals.ingest.errors import IngestError
from quantum_circuit_env.evals.ingest.fields import Fields, Source
from quantum_circuit_env.evals.ingest.records import (
    INCOMPLETE,
    NON_IID,
    UNKNOWN,
    RecordError,
    SampleError,
    SampleRecord,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the caller says about files that do not say it themselves.

    Attributes:
        agent: identity of the agent, for every record.
        suite: name of the suite, for every record.
        evaluator: revision of the evaluator, where the files name none.
        metric: which of several verdicts or scores is meant; each format says what it calls them.
        columns: column of a table → field of the record.
        sequential: the attempts at a task were not independent of each other.
        allow_missing: samples that are not there, or that have no score, are left out.
    """

    agent: str | None = None
    suite: str | None = None
    evaluator: str | None = None
    metric: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    sequential: bool = False
    allow_missing: bool = False


@dataclass(slots=True)
class Batch:
    """The samples of one file, as its reader finds them.

    Attributes:
        records: what was found.
        missing: for each sample that ought to be there, or ought to have a score, one line that says so.
        sidecars: other files that were read for it.
    """

    source: Source
    options: Options
    records: list[SampleRecord] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    sidecars: list[Source] = field(default_factory=list)

    def add(
        self,
        place: Fields,
        *,
        suite: str,
        agent: str,
        task: str,
        sample: int,
        passed: bool | None = None,
        score: float | None = None,
        valid: bool | None = None,
        error: SampleError | str | None = None,
        evaluator: str | None = None,
        flags: Iterable[str] = (),
    ) -> None:
        """Add a sample; what the options say beats what the file says, but for the evaluator."""
        marks = {*flags, NON_IID} if self.options.sequential else {*flags}
        try:
            record = SampleRecord(
                suite=self.options.suite or suite,
                agent_id=self.options.agent or agent,
                task=task,
                sample=sample,
                passed=passed,
                score=score,
                valid=valid,
                error_class=None if error is None else str(error),
                source_sha256=self.source.sha256,
                evaluator_revision=evaluator or self.options.evaluator or UNKNOWN,
                flags=tuple(sorted(marks)),
            )
        except RecordError as wrong:
            raise place.error(str(wrong)) from None
        self.records.append(record)

    def sidecar(self, name: str) -> Source | None:
        """Return the file of that name beside the source, and remember that it was read."""
        found = self.source.beside(name)
        if found is not None:
            self.sidecars.append(found)
        return found

    def expect(self, found: int, declared: int | None, what: str) -> None:
        """Note that samples are missing if fewer were found than the file declares; more is an error."""
        if declared is None or found == declared:
            return
        problem = f"{found} {what} where {declared} are declared"
        if found > declared:
            raise IngestError(self.source.name, "", problem)
        self.missing.append(f"{self.source.name}: {problem}")

    def marked(self) -> "Batch":
        """Return the batch with its samples flagged as incomplete if some are missing."""
        if not self.missing:
            return self
        records = [replace(one, flags=tuple(sorted({*one.flags, INCOMPLETE}))) for one in self.records]
        return replace(self, records=records)

    def unscored(self, place: Fields, why: str) -> None:
        """Note that a sample is there but has no score."""
        self.missing.append(str(place.error(why)))


Reader: TypeAlias = Callable[[Batch], None]
"""Read `batch.source` into the batch; IngestError for what is not in the format."""


def numbered(rows: Iterable[tuple[str, Fields]]) -> Iterator[tuple[str, int, Fields]]:
    """Yield task, number of the sample and row, for rows (task, row) of files that do not number samples.

    The samples of a task are numbered in the order of their digests: the order of lines is of no meaning.
    """
    tasks: dict[str, list[Fields]] = defaultdict(list)
    for task, row in rows:
        tasks[task].append(row)
    for task, members in tasks.items():
        for number, row in enumerate(sorted(members, key=Fields.digest)):
            yield task, number, row


def named(option: str | None, flag: str, source: Source, what: str) -> str:
    """Return what the caller said where the format cannot, or raise an IngestError that names the option."""
    if option is None:
        raise IngestError(source.name, "", f"files of this format do not name the {what}: say it with {flag}")
    return option


def failure(passed: bool, error: SampleError) -> SampleError | None:
    """Return the error of a sample that did not pass."""
    return None if passed else error
