"""Counters of a long run of a bench, kept in a file, so that a run that was stopped goes on where it was.

The file is JSON. It is written beside and renamed, so that a run that is stopped at any moment leaves a whole one.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

SECONDS_BETWEEN_SAVES = 10.0
SHOWN = 3
"""Notes of a class of cases that are kept."""


class TallyError(ValueError):
    """A file of counters cannot be gone on with; the message names it and says why."""


class Tally:
    """Portions of a run that are done, and what was counted in them.

    Attributes:
        done: portions, from the first one on.
        counts: name -> number.
        notes: lines to show at the end, for example pairs that differ.
        seconds: how long all of it took.
    """

    def __init__(self, key: dict[str, Any], path: Path | None = None) -> None:
        """``key`` is what a run is decided by: a file with another one is refused (TallyError)."""
        self.done, self.seconds = 0, 0.0
        self.counts: Counter[str] = Counter()
        self.notes: list[str] = []
        self._key, self._path = key, path
        self._begin = self._saved = time.perf_counter()
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            key, self.done, self.seconds = content["key"], int(content["done"]), float(content["seconds"])
            self.counts, self.notes = Counter(dict(content["counts"])), list(content["notes"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise TallyError(f"{path} holds no counters ({error!r}): name another file") from None
        if key != self._key:
            raise TallyError(f"{path} is of a run with {key}, this one has {self._key}: name another file")

    def add(self, name: str, counts: Mapping[str, float], notes: Sequence[str] = ()) -> None:
        """Count for a class of cases; the first few of its notes are kept."""
        for counter, value in counts.items():
            self.counts[f"{name}: {counter}"] += value
        kept = sum(note.startswith(f"{name}: ") for note in self.notes)
        self.notes += [f"{name}: {note}" for note in notes[: max(0, SHOWN - kept)]]

    def of(self, name: str, counters: Iterable[str]) -> dict[str, Any]:
        """Counters of a class."""
        return {counter: self.counts[f"{name}: {counter}"] for counter in counters}

    def sum(self, counters: Container[str]) -> int:
        """What was counted under these names, of all classes together."""
        return int(sum(value for name, value in self.counts.items() if name.rpartition(": ")[2] in counters))

    def portion_done(self, last: bool = False) -> bool:
        """Count one portion more; whether the file was written, as it is every few seconds and after the last."""
        self.done += 1
        due = last or time.perf_counter() - self._saved > SECONDS_BETWEEN_SAVES
        if due:
            self.save()
        return due

    def save(self) -> None:
        """Write the file, if there is one."""
        now = time.perf_counter()
        self._saved = now
        if self._path is None:
            return
        self.seconds, self._begin = self.total_seconds(), now
        content = {
            "key": self._key, "done": self.done, "seconds": self.seconds, "counts": self.counts, "notes": self.notes
        }  # fmt: skip
        beside = self._path.with_name(self._path.name + ".new")
        beside.write_text(json.dumps(content, indent=1), encoding="utf-8")
        beside.replace(self._path)

    def total_seconds(self) -> float:
        """How long the portions took, in this run and those before."""
        return self.seconds + time.perf_counter() - self._begin
