"""What a long run of a bench has done so far: counters per class of cases, kept in a file.

The file is JSON. It is written beside and renamed, so that a run that is stopped at any moment leaves a whole one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from oracles.generators import CLASSES

COUNTERS = (
    "pairs", "verdict differs", "kind differs", "exact", "apart", "crossing", "coplanar", "touching", "engine seconds",
    "oracle seconds",
)  # fmt: skip
"""Of the bench ``exactness``."""
SHOWN_OFFENDERS = 3

Counts = dict[str, Any]


class StateError(ValueError):
    """A state file cannot be gone on with; the message names it and says why."""


class State:
    """Counters of every class, and how many portions have been counted.

    Attributes:
        SCHEMA, COUNTERS, WRONG: what the file is of, what is counted, and which of that are wrong answers.
        done: portions, from the first one on.
        classes: name -> counters (``COUNTERS``).
        offenders: pairs that differ, as text, the first few of each class.
    """

    SCHEMA: str = "bench.exactness/1"
    COUNTERS: tuple[str, ...] = COUNTERS
    WRONG: tuple[str, ...] = ("verdict differs", "kind differs")

    def __init__(
        self, seed: int, portion: int | list[int], path: Path | None = None, names: Iterable[str] = CLASSES
    ) -> None:
        self._path = path
        self._key = {"schema": self.SCHEMA, "seed": seed, "portion": portion, "names": list(names)}
        self.done = 0
        self.classes: dict[str, Counts] = {name: dict.fromkeys(self.COUNTERS, 0) for name in names}
        self.offenders: dict[str, list[str]] = {name: [] for name in names}
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            key = {name: content[name] for name in self._key}
            done, classes, offenders = content["done"], content["classes"], content["offenders"]
            whole = isinstance(done, int) and all(
                classes[c].keys() == set(self.COUNTERS) and offenders[c] is not None for c in self.classes
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise StateError(f"{path} is no state of this bench ({error!r}): name another file") from None
        for name, value in self._key.items():
            if key[name] != value:
                raise StateError(f"{path} is of a run with {name} {key[name]!r}, this one has {value!r}")
        if not whole:
            raise StateError(f"{path} is no state of this bench (counters are missing): name another file")
        self.done, self.classes, self.offenders = done, classes, offenders

    def add(self, name: str, counts: Counts, offenders: list[str]) -> None:
        """Count one more portion."""
        own = self.classes[name]
        for counter, value in counts.items():
            own[counter] += value
        self.offenders[name] = (self.offenders[name] + offenders)[:SHOWN_OFFENDERS]
        self.done += 1

    def saved(self) -> str:
        """What the file holds."""
        return json.dumps({**self._key, "done": self.done, "classes": self.classes, "offenders": self.offenders})

    def save(self) -> None:
        """Write the file, if there is one: beside, then renamed."""
        if self._path is None:
            return
        partial = self._path.with_name(f"{self._path.name}.{os.getpid()}.partial")
        with partial.open("w", encoding="utf-8") as file:
            file.write(self.saved())
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self._path)

    @property
    def pairs(self) -> int:
        """Pairs, or other cases, counted so far."""
        return int(sum(counts[self.COUNTERS[0]] for counts in self.classes.values()))

    @property
    def wrong(self) -> int:
        """Pairs that differ so far."""
        return int(sum(counts[name] for counts in self.classes.values() for name in self.WRONG))
