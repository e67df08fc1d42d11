"""How the gates of a list are shown: their texts and their records, kept up to date edit by edit."""

from typing import TypeAlias

from qrewrite.circuits.gates import Gate, GateRecord

Edit: TypeAlias = int | tuple[int, Gate | None]
"""An edit of a list: the index of the first of two gates that were exchanged; or the index of a gate and the
gate that took its place, None if it was removed."""


class Listing:
    """The list of a circuit as observations show it.

    Attributes:
        records: each gate as JSON-ready record; the records are read-only.
        texts: each gate as text.
        json: each gate's record as it is written in JSON.
    """

    __slots__ = ("json", "records", "texts")

    def __init__(self, gates: list[Gate]) -> None:
        self.records: list[GateRecord] = [gate.record for gate in gates]
        self.texts: list[str] = [gate.text for gate in gates]
        self.json: list[str] = [gate.json for gate in gates]

    def edit(self, edits: list[Edit]) -> None:
        """Do what has been done to the list, in its order."""
        records, texts, json = self.records, self.texts, self.json
        for edit in edits:
            if isinstance(edit, int):
                after = edit + 1
                records[edit], records[after] = records[after], records[edit]
                texts[edit], texts[after] = texts[after], texts[edit]
                json[edit], json[after] = json[after], json[edit]
                continue
            index, gate = edit
            if gate is None:
                del records[index], texts[index], json[index]
            else:
                records[index], texts[index], json[index] = gate.record, gate.text, gate.json
