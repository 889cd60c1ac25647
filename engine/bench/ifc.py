"""Verdicts of all pairs of elements of IFC models beside ifcopenshell's geometry tree; differences judged exactly.

Both get the same triangles in world coordinates. "touch" compares whether two surfaces meet with
`clash_collision_many(allow_touching=True)`, "volume" compares CLASH, CONTAINED and DUPLICATE with
`clash_intersection_many(tolerance=0)`. Which side is wrong is said by `oracle.classify_pairs` for the surfaces and by
`solid_oracle.have_common_volume` for the volumes, which share no code with the engine.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from meshclash import PairVerdict, Scene, TriangleMesh, warm_up
from oracles.oracle import APART, boxes_meet, classify_pairs
from oracles.solid_oracle import have_common_volume, turned_alike

from .table import Row, format_table, write_json
from .timing import least

_NO_PARTS = ("IfcOpeningElement", "IfcSpace")  # holes and rooms: nothing is built of them
_WITH_VOLUME = ("CLASH", "CONTAINED", "DUPLICATE")
_PARTS = ("depths", "contacts", "verdicts", "scenes")  # of the warm-up
_RUNS = 3
_TREE = "opencascade.trianglebvh"

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Element:
    """An element of a model: its number in the file, what it is, and its triangles in the world [m]."""

    number: int
    label: str
    mesh: TriangleMesh

    @property
    def corners(self) -> np.ndarray:
        """Corners of its triangles (m, 3, 3) [m]."""
        return self.mesh.vertices[self.mesh.triangles]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.ifc", help="models; none comes with the project")
    parser.add_argument("--judge", choices=("differences", "all"), default="differences", help="pairs that are judged")
    parser.add_argument("--seconds", type=float, default=120.0, help="of judging for each model; the rest is counted")
    parser.add_argument("--show", type=int, default=3, metavar="N", help="wrong pairs of ours that are named")
    parser.add_argument("--json", type=Path)


def run(options: argparse.Namespace) -> int:
    """Compare every model; 1 if a verdict of ours is wrong, 2 without ifcopenshell."""
    try:
        from ifcopenshell import geom
    except ImportError as error:
        print(f"this bench needs ifcopenshell (pip install ifcopenshell): {error}")
        return 2
    rows = []
    for _ in warm_up(_PARTS):
        pass  # what is compiled is no part of the times
    for path in options.files:
        rows.append(_compare(geom, path, options))
        print(format_table(rows[-1:]), flush=True)
    print("\n" + format_table(rows))
    if options.json:
        write_json(options.json, {"bench": "ifc", "models": rows})
    return int(any(row["ours wrong"] for row in rows))


def _compare(geom: Any, path: Path, options: argparse.Namespace) -> Row:
    elements, tree, model = _read(geom, path)
    by_number = {element.number: element for element in elements}
    scene = Scene()
    numbers = {scene.add(element.mesh): element.number for element in elements}
    scene.collides()  # builds the hierarchies: the tree has its own by now, too
    seconds = {
        "collides [ms]": least(scene.collides, _RUNS)[0],
        "no depths [ms]": least(lambda: scene.contacts(depth=False), _RUNS)[0],
    }
    seconds["contacts [ms]"], found = least(lambda: scene.contacts().pairs, _RUNS)
    ours = _verdicts(found, numbers)
    entities = [model.by_id(element.number) for element in elements]
    seconds["tree collision [ms]"], met_there = least(
        lambda: tree.clash_collision_many(entities, entities, True), _RUNS
    )
    touch = _pairs_of(met_there)
    seconds["tree intersection [ms]"], crossed = least(
        lambda: tree.clash_intersection_many(entities, entities, 0.0, True), _RUNS
    )
    volume = _pairs_of(crossed)
    met = {pair for pair, (_, contacts) in ours.items() if contacts}
    common = {pair for pair, (name, _) in ours.items() if name in _WITH_VOLUME}
    judge = _Judge(by_number, ours, options)
    for question, mine, theirs in (("touch", met, touch), ("volume", common, volume)):
        asked = mine ^ theirs if options.judge == "differences" else set(ours) | theirs
        for pair in sorted(asked):
            judge.ask(question, pair, pair in mine, pair in theirs)
    names = Counter(name for name, _ in ours.values())
    return {
        "model": path.stem[:20],
        "elements": len(elements),
        "closed": sum(element.mesh.is_closed for element in elements),
        **{name.lower(): names[name] for name in (*_WITH_VOLUME, "TOUCHING")},
        **{name: 1e3 * value for name, value in seconds.items()},
        "differ": len(met ^ touch) + len(common ^ volume),
        **judge.counts,
    }


def _read(geom: Any, path: Path) -> tuple[list[Element], Any, Any]:
    """The elements with triangles, and ifcopenshell's tree of the same triangles."""
    import ifcopenshell

    model = ifcopenshell.open(str(path))
    elements, tree = [], geom.tree(backend=_TREE)
    for element, shape in read_elements(geom, model):
        elements.append(element)
        tree.add_element(shape)
    return elements, tree, model


def read_elements(geom: Any, model: Any) -> Iterator[tuple[Element, Any]]:
    """The elements of an open model that have triangles and are built, and ifcopenshell's shapes of them."""
    settings = geom.settings()
    settings.set("use-world-coords", True)
    settings.set("weld-vertices", True)
    iterator = geom.iterator(settings, model, 1)
    found = iterator.initialize()
    while found:
        shape = iterator.get()
        vertices = np.array(shape.geometry.verts, np.float64).reshape(-1, 3)
        triangles = np.array(shape.geometry.faces, np.int64).reshape(-1, 3)
        if len(triangles) and shape.type not in _NO_PARTS:
            yield Element(shape.id, f"{shape.type} #{shape.id}", TriangleMesh(vertices, triangles)), shape
        found = iterator.next()


def _verdicts(found: list[PairVerdict], numbers: dict[int, int]) -> dict[Pair, tuple[str, int]]:
    """Verdict and number of contacts of each pair of elements that is not apart, by their numbers in the file."""
    return {_ordered(numbers[pair.a], numbers[pair.b]): (pair.verdict.name, len(pair.contacts.pairs)) for pair in found}


def _pairs_of(clashes: Any) -> set[Pair]:
    return {_ordered(clash.a.id(), clash.b.id()) for clash in clashes if clash.a.id() != clash.b.id()}


def _ordered(a: int, b: int) -> Pair:
    return min(a, b), max(a, b)


class _Judge:
    """Says which side is right about pairs, until the time is over."""

    def __init__(
        self, elements: dict[int, Element], ours: dict[Pair, tuple[str, int]], options: argparse.Namespace
    ) -> None:
        self.counts = dict.fromkeys(("judged", "ours wrong", "tree wrong", "open", "unjudged"), 0)
        self._elements, self._ours, self._shown = elements, ours, options.show
        self._end = time.perf_counter() + options.seconds

    def ask(self, question: str, pair: Pair, ours: bool, theirs: bool) -> None:
        """Counts whether each of the two answers is right; volumes are asked of closed meshes only."""
        a, b = (self._elements[number] for number in pair)
        if question == "volume" and not (a.mesh.is_closed and b.mesh.is_closed):
            self.counts["open"] += 1
            return
        if time.perf_counter() > self._end:
            self.counts["unjudged"] += 1
            return
        if question == "touch":
            right = _surfaces_meet(a, b)
        else:
            right = have_common_volume(turned_alike(a.corners), turned_alike(b.corners))
        self.counts["judged"] += 1
        self.counts["tree wrong"] += theirs != right
        self.counts["ours wrong"] += ours != right
        if ours != right and self._shown > 0:
            self._shown -= 1
            said = self._ours.get(pair, ("APART", 0))[0]
            print(f"ours is wrong: {a.label} and {b.label}: {said}, but {question} is {right}", flush=True)


def _surfaces_meet(a: Element, b: Element) -> bool:
    """Whether any two triangles of two elements have a common point."""
    near = list(product(_near(a.corners, b.corners), _near(b.corners, a.corners)))
    if not near:
        return False
    i, j = np.array(near).T
    first, second = a.corners[i], b.corners[j]
    meet = boxes_meet(first, second)
    return bool((classify_pairs(first[meet], second[meet]) != APART).any())


def _near(corners: np.ndarray, others: np.ndarray) -> list[int]:
    """Triangles whose box meets that of all of the others."""
    low, high = others.min(axis=(0, 1)), others.max(axis=(0, 1))
    meet = (corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)
    return np.flatnonzero(meet.all(axis=1)).tolist()
