"""What scans do to each other and to meshes: pairs, queries in slices, rows of the report."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from .candidates import candidate_pairs
from .cloud_scene import CloudScene, PlacedCloud
from .engine_scene import EngineScene
from .frame_scene import FrameScene, Progress, SourceMesh, SourceObject
from .options import DetectOptions
from .pair_row import PairRow, Point
from .queries import test_named
from .rows import RowSteps, faces_of, identified, in_order, triangles_of_faces, world_triangle_steps
from .rules import Rules
from .steps import telling, within
from .verdicts import CLASH, CONTAINED, MEETS, TOUCHING, chance_verdict, severity_of

WARM_UP_END, BUILD_END = 0.2, 0.5
CONTACTS_END, DEPTHS_END = 0.5, 0.75  # of one pair
LEAST_SECONDS_OF_SCANS = 1e-4  # seconds for all pairs together, whatever is left of a budget


@dataclass(frozen=True, eq=False)
class Side:
    """A scan or an object with triangles, and how the engine asks about it."""

    item: SourceObject
    thing: Any
    pose: Any
    placed: PlacedCloud | None = None
    mesh: SourceMesh | None = None


@dataclass(frozen=True, eq=False)
class Finding:
    """What a row says of a scan (first) and another object (second); lengths are Blender units.

    Attributes:
        verdict: the row's.
        members: of both, the engine's indices of what is in contact, or nearest: points or triangles.
        contacts: number of points on both surfaces.
        location: where, world, or None.
        depth: of the deepest point of the scan inside the other, or None.
        distance: of the two, 0 where they meet or one is inside; None where the test does not ask.
        nearest: points of the two that are nearest to each other, world, or None.
        probability: that the surfaces meet; None where the test does not state it.
    """

    verdict: str
    members: tuple[np.ndarray, np.ndarray]
    contacts: int = 0
    location: np.ndarray | None = None
    depth: float | None = None
    distance: float | None = None
    nearest: tuple[np.ndarray, np.ndarray] | None = None
    probability: float | None = None


@dataclass(frozen=True)
class Limits:
    """What the options mean for scans, lengths in Blender units.

    Attributes:
        permitted: depth up to which a scan in a closed mesh only touches.
        reach: how far apart two surfaces may be to be reported.
        apart: the verdict of those.
        measures: whether rows give distances.
        surfaces: whether rows only say whether surfaces meet.
        budget: seconds for all pairs together, where rows state probabilities; else None.
    """

    permitted: float
    reach: float
    apart: str
    measures: bool
    surfaces: bool
    budget: float | None


def limits_of(options: DetectOptions, scale_length: float) -> Limits:
    """What a test asks of scans."""
    test = test_named(options.test)
    permitted, reach = options.permitted_length / scale_length, test.reach(options) / scale_length
    budget = options.budget if "budget" in test.takes else None
    return Limits(permitted, reach, test.apart, "distance" in test.measures, MEETS in test.verdicts, budget)


def scan_steps(
    engine: ModuleType,
    world: EngineScene,
    clouds: CloudScene,
    frame: FrameScene,
    options: DetectOptions,
    scale_length: float,
    highlights: bool,
) -> Generator[Any, None, list[PairRow]]:
    """Asks about every pair of a scan of one set and any object of the other.

    A scan has no inside and carries noise. It clashes with what its surface meets; what a closed mesh encloses of it
    gives the depth, and where nothing is deeper than the permitted overlap it only touches. Which of the pairs that do
    not meet are reported depends on the test.
    """
    yield from within(clouds.warm_up_steps(), 0.0, WARM_UP_END)
    yield from within(clouds.update_steps(frame), WARM_UP_END, BUILD_END)
    limits = limits_of(options, scale_length)
    pairs = pairs_in_question(world, clouds, options.rules, limits.reach)
    left, rows = limits.budget, []
    for count, (scan, other) in enumerate(pairs):
        low, high = (BUILD_END + (1.0 - BUILD_END) * k / len(pairs) for k in (count, count + 1))
        names = f"{scan.item.name} and {other.item.name}: "
        if left is None:
            ask = surely_steps if limits.surfaces else finding_steps
            finding = yield from within(ask(engine, scan, other, limits), low, high, names)
        else:
            started = time.thread_time()
            finding = estimate(engine, scan, other, max(left, LEAST_SECONDS_OF_SCANS) / (len(pairs) - count))
            left -= time.thread_time() - started
            yield Progress(high, names + "searching")
        if finding is not None:
            steps = scan_row_steps(engine, scan, other, finding, frame.frame, highlights)
            rows.append((yield from within(steps, high, high)))
    return rows


def pairs_in_question(world: EngineScene, clouds: CloudScene, rules: Rules, reach: float) -> list[tuple[Side, Side]]:
    """A scan and another object each: let through by sets and rules, their boxes no farther apart than `reach`."""
    ids, mesh_boxes = world.scene.boxes(0.5 * reach)
    placed = clouds.placed
    items = [*(scan.item for scan in placed), *(world.objects[key] for key in ids.tolist())]
    boxes = np.concatenate((_world_boxes(placed, 0.5 * reach), mesh_boxes))
    found = candidate_pairs(items, boxes, rules, len(placed))
    sides = {k: _side(world, placed, ids, k) for k in np.unique(found).tolist()}
    return [(sides[i], sides[j]) for i, j in found.tolist()]


def _side(world: EngineScene, placed: Sequence[PlacedCloud], ids: np.ndarray, place: int) -> Side:
    """Of the scans, and after them the objects with triangles in the order of their ids."""
    if place < len(placed):
        scan = placed[place]
        return Side(scan.item, scan.cloud, scan.pose, placed=scan)
    key = int(ids[place - len(placed)])
    thing, pose = world.scene.posed(key)
    item = world.objects[key]
    return Side(item, thing, pose, mesh=world.meshes[item.mesh_key])


def _world_boxes(placed: Sequence[PlacedCloud], reach: float) -> np.ndarray:
    """World boxes (n, 6) of scans, with what their surfaces may reach beyond their points, and `reach`."""
    if not placed:
        return np.empty((0, 6))
    bounds = np.stack([scan.cloud.bounds for scan in placed])
    rows = np.stack([np.asarray(scan.pose.matrix)[:3] for scan in placed])
    corners = np.stack([bounds[:, list(choice), range(3)] for choice in np.ndindex(2, 2, 2)], axis=1)
    world = corners @ rows[:, :, :3].transpose(0, 2, 1) + rows[:, None, :, 3]
    margin = np.array([[scan.cloud.lengths.margin + reach] for scan in placed])
    return np.concatenate((world.min(axis=1) - margin, world.max(axis=1) + margin), axis=1)


def estimate(engine: ModuleType, scan: Side, other: Side, seconds: float) -> Finding | None:
    """Whether the surfaces of a pair meet, as surely as that many seconds allow; None where they certainly do not."""
    found = engine.cloud_collision(scan.thing, other.thing, scan.pose, other.pose, budget=seconds)
    certain = found.point is not None
    if found.complete and not certain:
        return None
    none = np.empty(0, np.int32)
    verdict = chance_verdict(found.probability, certain)
    return Finding(verdict, (none, none), int(certain), found.point, probability=float(found.probability))


def surely_steps(engine: ModuleType, scan: Side, other: Side, _limits: Limits) -> Generator[Any, None, Finding | None]:
    """As `estimate`, with certainty and in slices."""
    hits = yield from engine.cloud_contacts_steps(scan.thing, other.thing, scan.pose, other.pose)
    if not len(hits):
        return None
    members = hits.touched(0), hits.touched(1)
    return Finding(MEETS, members, len(hits), _location(scan, hits.points, *members), probability=1.0)


def finding_steps(engine: ModuleType, scan: Side, other: Side, limits: Limits) -> Generator[Any, None, Finding | None]:
    """What is to be said of a pair; None where the two are too far apart to be reported."""
    steps = engine.cloud_contacts_steps(scan.thing, other.thing, scan.pose, other.pose)
    hits = yield from within(steps, 0.0, CONTACTS_END)
    inside, depths = np.empty(0, np.int32), np.empty(0)
    closed = other.mesh is not None and _is_closed(other.thing)
    if closed:
        inside, depths = yield from within(hits.depths_steps(0), CONTACTS_END, DEPTHS_END)
    if not len(hits) and not len(inside):
        return (yield from within(apart_steps(engine, scan, other, limits), DEPTHS_END, 1.0))
    depth = float(depths.max()) if len(depths) else None
    verdict = CLASH
    if closed and limits.permitted > 0.0 and (depth or 0.0) <= limits.permitted:
        verdict = TOUCHING
    elif not len(hits) and len(inside) == scan.thing.point_count:
        verdict = CONTAINED
    location = _location(scan, hits.points, inside, depths)
    return Finding(
        verdict,
        (np.union1d(hits.touched(0), inside), hits.touched(1)),
        len(hits),
        location,
        depth,
        0.0 if limits.measures else None,
        (location, location) if limits.measures and len(hits) else None,
    )


def _is_closed(thing: Any) -> bool:
    return bool(getattr(thing, "mesh", thing).is_closed)


def apart_steps(engine: ModuleType, scan: Side, other: Side, limits: Limits) -> Generator[Any, None, Finding | None]:
    """Two surfaces that do not meet, where they are near enough to be reported."""
    if limits.reach <= 0.0:
        return None
    gap = yield from engine.cloud_distance_steps(scan.thing, other.thing, scan.pose, other.pose)
    if gap.distance > limits.reach:
        return None
    nearest = (gap.point_a, gap.point_b)
    members = (np.array([gap.index_a]), np.array([gap.index_b]))
    if not limits.measures:
        return Finding(limits.apart, (members[0][:0], members[1][:0]), location=gap.point_a)
    return Finding(limits.apart, members, distance=float(gap.distance), nearest=nearest)


def scan_row_steps(
    engine: ModuleType, scan: Side, other: Side, finding: Finding, frame: int, highlights: bool
) -> RowSteps:
    """The row of a pair in slices, in the report's order of the two; with `highlights` also what is drawn."""
    row = _row(engine, scan, other, finding, frame)
    progress = Progress(1.0, f"Writing up {row.a} and {row.b}")
    if highlights:
        row = yield from telling(_drawing_steps(row, scan, other), progress)
    yield progress
    return row


def _row(engine: ModuleType, scan: Side, other: Side, finding: Finding, frame: int) -> PairRow:
    sides, members, nearest = [scan, other], list(finding.members), list(finding.nearest or (None, None))
    if not in_order(scan.item, other.item):
        for pair in (sides, members, nearest):
            pair.reverse()
    a, b = (side.item for side in sides)
    (faces_a, points_a), (faces_b, points_b) = map(_members, sides, members)
    return PairRow(
        **identified(a, b),
        frame=frame,
        verdict=finding.verdict,
        severity=severity_of(engine, finding.verdict),
        contacts=finding.contacts,
        faces_a=faces_a,
        faces_b=faces_b,
        original_faces_a=faces_a if _has_original_faces(sides[0]) else None,
        original_faces_b=faces_b if _has_original_faces(sides[1]) else None,
        location=_point(finding.location),
        depth=finding.depth,
        distance=finding.distance,
        point_a=_point(nearest[0]),
        point_b=_point(nearest[1]),
        probability=finding.probability,
        points_a=points_a,
        points_b=points_b,
        scans="".join(letter for letter, side in zip("ab", sides, strict=True) if side.placed is not None),
    )


def _has_original_faces(side: Side) -> bool:
    """A scan has: none at all."""
    return side.mesh is None or side.mesh.faces_are_original


def _point(place: np.ndarray | None) -> Point | None:
    return None if place is None else (float(place[0]), float(place[1]), float(place[2]))


def _members(side: Side, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(faces, points) in contact, one of them empty."""
    none = np.empty(0, dtype=np.int32)
    if side.placed is not None:
        return none, side.placed.own_indices(indices)
    assert side.mesh is not None
    return faces_of(side.mesh, indices), none


def _location(scan: Side, points: np.ndarray, inside: np.ndarray, depths: np.ndarray) -> np.ndarray:
    """A contact point in the middle of the others, or the deepest point; world."""
    if len(points):
        return points[np.argmin(((points - points.mean(axis=0)) ** 2).sum(axis=1))]
    assert scan.placed is not None
    return scan.placed.world_points(scan.placed.own_indices(inside[[np.argmax(depths)]]))[0]


def _drawing_steps(row: PairRow, scan: Side, other: Side) -> Generator[None, None, PairRow]:
    """The row with what is drawn of it; the caller says what is being done."""
    by_name = {side.item.name: side for side in (scan, other)}
    drawn: dict[str, Any] = {}
    for letter, name in (("a", row.a), ("b", row.b)):
        side = by_name[name]
        if side.placed is not None:
            drawn[f"dots_{letter}"] = side.placed.world_points(getattr(row, f"points_{letter}"))
            drawn[f"dot_radius_{letter}"] = side.placed.world_radius
        elif side.mesh is not None:
            triangles = triangles_of_faces(side.mesh, getattr(row, f"faces_{letter}"))
            drawn[f"highlight_{letter}"] = yield from world_triangle_steps(side.item, side.mesh, triangles)
    return replace(row, **drawn)
