"""Judge a pair under every reading of its meshes, where it is not certain how some of their components face.

A component inside another one is a cavity or material, depending on how it faces. If all readings of the components
that come near the other object give the same verdict, the verdict does not depend on what is uncertain. The bounds of
a depth then are those of all readings.
"""

from collections import defaultdict
from collections.abc import Generator, Mapping
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from ..types.mesh import TriangleMesh, mesh_over
from .boundary_mesh import BoundaryMesh, boundary_mesh_steps
from .case import Case, Limits
from .depth_intervals import LOWER, UPPER
from .facing import NO_DOUBTS, UNNUMBERED, met_doubts
from .open_judge import as_drawn_steps
from .rules import State, applied_steps

_MOST_COMPONENTS = 3  # of uncertain facing, in both meshes of a pair: 8 readings

Flipped = frozenset[tuple[int, int]]
"""Components that a reading turns over, each as the tree and the number of the component."""


class Doubted(NamedTuple):
    """What the uncertain facing of components means for k pairs."""

    highest: np.ndarray
    """Highest certainty of each verdict, (k,)."""
    readable: dict[Flipped, list[int]]
    """Pairs for which all other readings are known, by the components that these turn over in any combination."""


def doubted_steps(case: Case, drawn: Mapping[int, BoundaryMesh]) -> Generator[None, None, Doubted]:
    """Find the pairs of a case in which an object comes near components of the other one whose facing is uncertain.

    ``drawn`` holds the boundaries of the trees that are judged by other meshes.
    """
    count, closed = len(case.jobs), case.solids.closed.copy()
    closed[list(drawn)] = [found.mesh.is_closed for found in drawn.values()]
    highest, unreadable = np.ones(count), np.zeros(count, np.bool_)
    uncertain: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for tree in np.unique(case.jobs).tolist():
        doubts = yield from _doubts_steps(case.tree_set.parts[tree].mesh)
        if not len(doubts):
            continue
        numbers = doubts[:, 7].astype(np.int64)
        flat = (doubts[:, :3] == doubts[:, 3:6]).any(axis=1)  # no volume, so that it is the same to solids
        for side, (rows, others) in enumerate(((case.rows_a, case.boxes_b), (case.rows_b, case.boxes_a))):
            own = np.flatnonzero(case.jobs[:, side] == tree)
            met = met_doubts(doubts, rows[own], others[own])
            met &= ~(flat & closed[case.jobs[own, 1 - side], None])
            highest[own] = np.minimum(highest[own], np.where(met, doubts[:, 6], 1.0).min(axis=1))
            unreadable[own] |= (met & (numbers == UNNUMBERED)).any(axis=1)
            for row, doubt in np.argwhere(met).tolist():
                uncertain[int(own[row])].add((tree, int(numbers[doubt])))
    readable = defaultdict(list)
    for job, components in uncertain.items():
        if not unreadable[job]:
            readable[frozenset(components)].append(job)
    return Doubted(highest, readable)


def _doubts_steps(mesh: TriangleMesh) -> Generator[None, None, np.ndarray]:
    """Return ``BoundaryMesh.doubts``; a closed mesh whose faces agree has none. The result is cached with the mesh."""
    if "doubts" not in mesh.derived:
        plain = mesh.is_closed and not (mesh.topology.orientation < 0).any()
        mesh.derived["doubts"] = NO_DOUBTS if plain else (yield from boundary_mesh_steps(mesh)).doubts
    doubts: np.ndarray = mesh.derived["doubts"]
    return doubts


def agree_steps(
    case: Case, limits: Limits, state: State, doubted: Doubted, drawn: Mapping[int, BoundaryMesh]
) -> Generator[None, None, None]:
    """Raise ``doubted.highest`` to 1 for pairs whose verdict is the same in all readings.

    The certainties and depths of these pairs in ``state`` become those that hold in all readings. The generator yields
    every few milliseconds.

    Args:
        case, limits: the pairs, and their permitted overlaps.
        state: the results for one reading.
        doubted: what is uncertain.
        drawn: the boundaries of the trees of the case that are judged by other meshes.
    """
    for components, every in doubted.readable.items():
        chosen = np.zeros(len(case.jobs), np.bool_)
        chosen[every] = True
        chosen &= state.certainties > doubted.highest
        some = yield from _undecided_steps(case, components)
        if not chosen.any() or len(some) > _MOST_COMPONENTS:
            continue
        readings = []
        for flipped in chain.from_iterable(combinations(some, n + 1) for n in range(len(some))):
            meshes = dict(drawn)
            for tree in {tree for tree, _ in flipped}:
                mesh = case.tree_set.parts[tree].mesh
                meshes[tree] = yield from _reading_steps(mesh, [number for own, number in flipped if own == tree])
            part = yield from as_drawn_steps(case.chosen(chosen), meshes)
            readings.append((yield from applied_steps(part, limits)))
        _merge(state, np.flatnonzero(chosen), readings, doubted.highest)


def _undecided_steps(case: Case, components: Flipped) -> Generator[None, None, list[tuple[int, int]]]:
    """Return the components that a reading may turn over; a mesh of which all components are turned over is the same
    solid, so that one component of such a mesh is left out.
    """
    some = sorted(components)
    for tree in sorted({tree for tree, _ in some}):
        drawn = yield from boundary_mesh_steps(case.tree_set.parts[tree].mesh)
        own = [component for component in some if component[0] == tree]
        if len(own) == drawn.mesh.topology.component_count:
            some.remove(own[0])
    return some


def _reading_steps(mesh: TriangleMesh, numbers: list[int]) -> Generator[None, None, BoundaryMesh]:
    """Return the boundary of a mesh with some of its components turned over; the result is cached with the mesh."""
    readings = mesh.derived.setdefault("readings", {})
    key = tuple(numbers)
    if key not in readings:
        drawn = yield from boundary_mesh_steps(mesh)
        topology = drawn.mesh.topology
        turned = (topology.orientation < 0) != np.isin(topology.component, numbers)
        triangles = np.where(turned[:, None], drawn.mesh.triangles[:, ::-1], drawn.mesh.triangles)
        readings[key] = drawn._replace(mesh=mesh_over(drawn.mesh, triangles, mesh.resolution))
    reading: BoundaryMesh = readings[key]
    return reading


def _merge(state: State, jobs: np.ndarray, readings: list[State], highest: np.ndarray) -> None:
    """Write what holds in all readings of pairs (n,) into a state, where all readings give the same verdict and are
    more certain of it than ``highest``, which becomes 1.
    """
    every = [state.certainties[jobs], *(reading.certainties for reading in readings)]
    surer = np.min(every, axis=0) > highest[jobs]
    for reading in readings:
        surer &= (reading.codes == state.codes[jobs]) & (reading.flush == state.flush[jobs])
    own = jobs[surer]
    highest[own], state.certainties[own] = 1.0, np.min(every, axis=0)[surer]
    for reading in readings:
        state.balls[own] = np.minimum(state.balls[own], reading.balls[surer])
        for column, bound in ((LOWER, np.minimum), (UPPER, np.maximum)):
            state.depths[own, column] = bound(state.depths[own, column], reading.depths[surer, column])
