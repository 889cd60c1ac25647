"""Properties of the objects of a report that a page shows: models, kinds and storeys."""

from __future__ import annotations

import ntpath
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any

from ...reading.file_names import file_names
from ..review.names import families
from ..verdicts import QUIET_VERDICTS

SEPARATORS = (" ", "-", "_", ".", "/")
"""Between the words of a file's name."""
MOST_KINDS = 12
"""Maximum number of rows of a matrix; less frequent kinds are counted together."""
OTHERS, SEVERAL = "all others", "several models"

Pair = dict[str, Any]


class Objects:
    """The objects of a report by name.

    Attributes:
        models: names of the compared models; empty if the report does not contain them.
        shared_name: the common beginning of the names of all models, for example "Harbour House"; "" if the names have
            no common beginning.
        kind_word: the meaning of ``kind``: "class", "collection" or "family".
    """

    def __init__(self, report: dict[str, Any]) -> None:
        self._said: Mapping[str, Mapping[str, str]] = {item["name"]: item for item in report["objects"]}
        self.models = model_names(report)
        self._model_of = {name: self._told_model(said) for name, said in self._said.items()}
        self.shared_name, self._short = short_names(self.models)
        self.kind_word, self._kinds = self._kinds_of(report["pairs"])

    def said(self, name: str) -> Mapping[str, str]:
        """Return the properties of an object; empty if they are unknown."""
        return self._said.get(name, {})

    def short(self, model: str) -> str:
        """Return the name of a model without the part that all model names share."""
        return self._short.get(model, model)

    def model(self, pair: Pair, side: str) -> str:
        """Return the model of object "a" or "b" of a pair; "" if the model is unknown, ``SEVERAL`` for a shared
        object.
        """
        told = pair.get(f"model_{side}") or self._model_of.get(pair[side], "")
        return told if told in self.models or not told else SEVERAL

    def kind(self, pair: Pair, side: str) -> str:
        """Return the class of one object of a pair, or else its collection or family, depending on ``kind_word``."""
        return self._kinds.get(pair[side], "")

    def storeys(self, pair: Pair) -> list[str]:
        """Return the storeys of both sides, each once."""
        return [name for name in dict.fromkeys(self.said(pair[side]).get("storey", "") for side in "ab") if name]

    def is_shared(self, pair: Pair) -> bool:
        """Return whether both sides are one element that two models contain: equal GlobalId, shape and place."""
        ids = {self.said(pair[side]).get("GlobalId", "") for side in "ab"}
        models = {self.model(pair, side) for side in "ab"}
        return pair["verdict"] == "duplicate" and len(ids) == 1 and "" not in ids and len(models) == 2

    def _told_model(self, said: Mapping[str, str]) -> str:
        """Return the model in an object's properties, or else the file among its collections."""
        if said.get("model"):
            return said["model"]
        groups = f", {said.get('collection', '')}, "
        return next((name for name in self.models if f", {name}, " in groups), "") if len(self.models) > 1 else ""

    def _kinds_of(self, pairs: list[Pair]) -> tuple[str, dict[str, str]]:
        names = list(dict.fromkeys(pair[side] for pair in pairs for side in "ab"))
        for word in ("class", "collection"):
            found = {name: self.said(name).get(word, "") for name in names}
            if len(set(found.values()) - {""}) > 1:
                return word, {name: kind.removeprefix("Ifc") or "no class" for name, kind in found.items()}
        return "family", dict(zip(names, families(names), strict=True))


def model_names(report: dict[str, Any]) -> list[str]:
    """Return the names of the compared models without folders: "architecture" for "/projects/architecture.ifc"."""
    if models := report.get("models"):
        return [str(item["name"]) for item in models]
    if files := report.get("files"):
        return file_names([PurePosixPath(item["path"].replace("\\", "/")) for item in files])
    return [name] if (name := base_name(report["file"] or "")) else []


def short_names(names: list[str]) -> tuple[str, dict[str, str]]:
    """Return the common beginning of all names, and the rest of each: "Tower - Structure" and "Tower - Walls" begin
    with "Tower".
    """
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    shared = "".join(letters[0] for letters in alike) if len(names) > 1 else ""
    length = max((shared.rfind(sign) + 1 for sign in SEPARATORS), default=0)
    short = {name: name[length:].strip() for name in names}
    begin = shared[:length].strip("".join(SEPARATORS))
    return (begin, short) if begin and all(short.values()) else ("", {name: name for name in names})


def base_name(path: str) -> str:
    """Return the name of a file without its folders, on any operating system."""
    return ntpath.basename(path)


class Matrix:
    """The number of pairs between every two models or kinds.

    Attributes:
        names: names of rows and columns, those with most pairs first.
        counts: numbers of pairs by the places of both names, the smaller place first.
    """

    def __init__(self, pairs: Iterable[tuple[str, str, str]], order: Iterable[str] = ()) -> None:
        """Count pairs, given as (id, name, other name); ``order`` lists names that are always shown, and come first."""
        found = {pair: tuple(sorted(names)) for pair, *names in pairs if all(names)}
        total = Counter(name for names in found.values() for name in set(names))
        listed = [*dict.fromkeys([*order, *(name for name, _ in total.most_common())])]
        rare = listed[MOST_KINDS - 1 :] if len(listed) > MOST_KINDS else []
        self.names = [name for name in listed if name not in rare] + ([OTHERS] if rare else [])
        self._place = {name: k for k, name in enumerate(listed) if name not in rare}
        self._place |= dict.fromkeys(rare, len(self.names) - 1)
        self.counts = Counter(self.cell(*names) for names in found.values())

    def cell(self, name: str, other: str) -> tuple[int, int] | None:
        """Return the row and column of two names; None if the matrix does not contain both names."""
        places = sorted(self._place.get(each, -1) for each in (name, other))
        return None if places[0] < 0 else (places[0], places[1])


def matrices(report: dict[str, Any], objects: Objects) -> dict[str, Matrix]:
    """Return the matrices of a page by the letter that rows use: "m" for models, "k" for kinds.

    A matrix with a single name contains no information and is left out.
    """
    counted = [
        pair for pair in report["pairs"] if pair["verdict"] not in QUIET_VERDICTS and not objects.is_shared(pair)
    ]
    found = {
        "m": Matrix(
            ((pair["id"], objects.model(pair, "a"), objects.model(pair, "b")) for pair in counted), objects.models
        ),
        "k": Matrix((pair["id"], objects.kind(pair, "a"), objects.kind(pair, "b")) for pair in counted),
    }
    return {letter: matrix for letter, matrix in found.items() if len(matrix.names) > 1 and matrix.counts}
