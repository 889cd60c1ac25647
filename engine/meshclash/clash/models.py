"""Models are the files of a detection under permanent names; several models may share objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..reading.file_names import file_names
from ..reading.part import MeshPart
from .errors import InputError

SAME = 1e-6
"""[m] Coordinates and positions with a smaller difference are equal, because files store them as text."""
FAR = 1e4
"""[m] Models whose centres are farther apart, and that do not overlap, have different origins."""
SCALES = (1000.0, 304.8)
"""Ratios between the sizes of models that indicate mixed units: millimetres read as metres, or as feet."""


@dataclass(frozen=True)
class Model:
    """One file of a detection.

    Attributes:
        name: the name given by the user, else the shortest name that distinguishes the file from the others. Decisions
            are stored with the name of the model.
        path: path of the file.
        discipline: for example "HVAC"; "" if the user does not state it.
        revision: for example "R04"; "" if the user does not state it.
    """

    name: str
    path: Path
    discipline: str = ""
    revision: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return the model as a dictionary for reports; the file without its folders."""
        return {"name": self.name, "file": self.path.name, "discipline": self.discipline, "revision": self.revision}


def named(text: str) -> tuple[str, str]:
    """Parse "NAME=TEXT"; raises ValueError if name or text is missing."""
    name, _, rest = text.partition("=")
    name, rest = name.strip(), rest.strip()
    if not name or not rest or not name.isprintable() or ", " in name:
        raise ValueError(text)
    return name, rest


def models_of(
    files: Sequence[Path],
    chosen: Sequence[tuple[str, str]] = (),
    disciplines: Iterable[tuple[str, str]] = (),
    revisions: Iterable[tuple[str, str]] = (),
) -> list[Model]:
    """Return the models of files, in the same order.

    Args:
        files: without a name of the user's.
        chosen: names of the user's, with their files.
        disciplines, revisions: the user's information about models, by their names.

    Raises:
        InputError: two files have the same name, or an option refers to a model that does not exist.
    """
    taken = {Path(file).absolute() for _, file in chosen}
    plain = [file for file in files if file.absolute() not in taken]
    names = file_names([file.absolute() for file in plain])
    found = [*map(Model, names, plain), *(Model(name, Path(file)) for name, file in chosen)]
    paths: dict[str, Path] = {}
    for model in found:
        if paths.setdefault(model.name, model.path).absolute() != model.path.absolute():
            raise InputError(f"two files have the model name '{model.name}': {paths[model.name]} and {model.path}")
    for attribute, said in (("discipline", disciplines), ("revision", revisions)):
        for name, text in said:
            if name not in paths:
                raise InputError(
                    f"--{attribute}: there is no model '{name}'; available models: {', '.join(sorted(paths))}"
                )
            found = [_said(model, attribute, text) if model.name == name else model for model in found]
    return found


def _said(model: Model, attribute: str, text: str) -> Model:
    return replace(model, discipline=text) if attribute == "discipline" else replace(model, revision=text)


@dataclass(frozen=True)
class Shared:
    """An object that several models contain.

    Attributes:
        name: name of the object in the report.
        global_id: GlobalId of the object in each of the models.
        models: names of the models that share the object.
    """

    name: str
    global_id: str
    models: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """Return the object as a dictionary for reports."""
        return {"name": self.name, "GlobalId": self.global_id, "models": list(self.models)}


def one_thing_each(parts: Sequence[tuple[MeshPart, Model]]) -> list[tuple[MeshPart, tuple[Model, ...]]]:
    """Return the parts with the models that contain them; parts that several models share are returned once.

    That are parts of equal GlobalId, shape and place. Within one model, equal parts stay duplicates.
    """
    found: list[tuple[MeshPart, tuple[Model, ...]]] = []
    known: dict[str, list[int]] = {}
    for part, model in parts:
        key = part.properties.get("GlobalId", "")
        at = next((k for k in known.get(key, ()) if _is_in_another(found[k], part, model)), None)
        if at is None:
            if key:
                known.setdefault(key, []).append(len(found))
            found.append((part, (model,)))
        else:
            found[at] = (found[at][0], (*found[at][1], model))
    return found


def _is_in_another(known: tuple[MeshPart, tuple[Model, ...]], part: MeshPart, model: Model) -> bool:
    other, models = known
    if any(item.name == model.name for item in models) or not np.allclose(other.matrix, part.matrix, 0.0, SAME):
        return False
    if other.shape is part.shape or other.shape.digest == part.shape.digest:
        return True
    one, two = other.shape, part.shape
    if one.vertices.shape != two.vertices.shape or not np.allclose(one.vertices, two.vertices, 0.0, SAME):
        return False
    if one.triangles is None or two.triangles is None:
        return one.triangles is two.triangles
    return np.array_equal(one.triangles, two.triangles)


def warnings(boxes: Mapping[str, np.ndarray]) -> list[str]:
    """Return warnings about models that do not match: different units, different origins, no common region.

    Args:
        boxes: (2, 3) [m] around each model, by its name.
    """
    found = list[str]()
    sizes = {name: float((box[1] - box[0]).max()) for name, box in boxes.items()}
    for name, box in boxes.items():
        others = [other for other in boxes if other != name]
        factor = next((factor for other in others if (factor := _factor(sizes[name], sizes[other]))), 0.0)
        if factor:
            found.append(f"model '{name}' is about {factor:,g} times as large as another one: is its unit right?")
        elif others and not any(_overlap(box, boxes[other]) for other in others):
            nearest = min(_gap(box, boxes[other]) for other in others)
            if nearest > FAR:
                what = f"is {nearest / 1000.0:,.0f} km away from the others: do all have the same origin?"
            else:
                what = f"does not overlap another one: the nearest is {nearest:.3g} m away"
            found.append(f"model '{name}' {what}")
    return found


def _factor(size: float, other: float) -> float:
    """Return the factor between two units by which one size exceeds another; 0 if no factor matches."""
    if not other:
        return 0.0
    return next((factor for factor in SCALES if 0.7 < size / other / factor < 1.4), 0.0)


def _overlap(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((a[0] <= b[1]).all() and (b[0] <= a[1]).all())


def _gap(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(a[0] - b[1], b[0] - a[1]))))
