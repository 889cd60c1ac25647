"""Convert the engine's result for two objects to a row of the report."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from sys import intern
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..messages import Sentence
from ..types.slices import Slice
from ..types.steps import hold_progress
from ..types.verdict import TOUCHING
from .cloud_scene import PlacedCloud
from .curves import curve_steps
from .engine_scene import EngineScene, SceneObjects
from .frame_scene import Progress, SourceMesh, SourceObject
from .pair_row import PairRow, PairSide, Point
from .regions import ContactFaces, cut_steps
from .review.revisions import pair_id
from .verdicts import CONTACT, CONTAINED, MEETS, QUIET_VERDICTS, UNDECIDED, severity_of
from .world import to_world

TRIANGLES_AT_ONCE = 1 << 15  # that are brought into world space in one step
FILE_TRIANGLES_AT_ONCE = 1 << 11  # that are read from a massive file in one step

ROWS_AT_ONCE = 32
"""That are drawn together: some milliseconds of work in each step."""
FIRSTS_AT_ONCE = 128
"""Rows of first contacts that are created in one step."""

_NO_FACES = np.empty(0, np.int32)
_MEASURES = ("depth", "depth_lower", "depth_upper")
"""Fields of the engine's verdicts that rows have under the same names."""


@dataclass(frozen=True)
class _Finding:
    """A pair in the engine's order, with the values that differ between the two objects."""

    ids: tuple[int, int]
    members: tuple[np.ndarray, np.ndarray]
    """Triangles that are in contact, or points of a scan."""
    contacts: Any
    """The engine's `Contacts` or `CloudContacts`, or None."""
    points: tuple[np.ndarray, np.ndarray] | None = None
    nearest: tuple[int, int] | None = None
    """Triangles on which the points lie."""
    is_turned: bool = False
    """Whether the first object is the second one of the contacts."""
    alike: tuple[_SideOfEach, _SideOfEach] | None = None
    """The same data of a pair with the same contacts, or None."""

    def turned(self) -> _Finding:
        """Return the same data with the two objects exchanged."""
        return replace(
            self, ids=self.ids[::-1], members=self.members[::-1], points=self.points and self.points[::-1],
            nearest=self.nearest and self.nearest[::-1], is_turned=not self.is_turned,
            alike=self.alike and self.alike[::-1],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Draft:
    """A row before the faces and curves to draw are known.

    Attributes:
        row: the row.
        parts: the two objects of the row, in its order.
        contacts: the engine's contacts, or None.
        is_turned: whether the first object is the second one of the contacts.
        region: world box (2, 3) that is drawn instead of curves, or None.
    """

    row: PairRow
    parts: tuple[_Part, _Part]
    contacts: Any
    is_turned: bool
    region: np.ndarray | None = None


def contacts_draft(world: EngineScene, found: Any, frame: int) -> Draft:
    """Create the row of a `PairVerdict`.

    Args:
        world: the scene of the query.
        found: the engine's result for two of its objects.
        frame: the frame of the scene.
    """
    ids, contacts = (found.a, found.b), found.contacts
    verdict = UNDECIDED if found.undecided else intern(found.verdict.name.lower())
    if world.has_scan(ids):
        members, location = (found.touched(0), found.touched(1)), _point(found.location)
        return _draft(world, _Finding(ids, members, contacts), frame, verdict, location, **_judged(found))
    faces, known = _Faces.of(world, ids), world.last_drafted
    alike = known if known is not None and known.contacts is contacts and known.faces.equal(faces) else None
    location = _point(found.location) if alike is None else alike.location
    finding = _Finding(ids, _sides(contacts.pairs), contacts, alike=None if alike is None else alike.sides)
    draft = _draft(world, finding, frame, verdict, location, **_judged(found))
    if alike is None:
        a, b = (draft.row.b, draft.row.a) if draft.is_turned else (draft.row.a, draft.row.b)
        world.last_drafted = Drafted(contacts, faces, (_SideOfEach(a), _SideOfEach(b)), location)
    return draft


class _Faces(NamedTuple):
    """How the meshes of a pair number their faces."""

    a: SourceMesh
    b: SourceMesh

    @classmethod
    def of(cls, world: EngineScene, ids: tuple[int, int]) -> _Faces:
        """Return the meshes of two objects."""
        first, second = (world.meshes[world.objects.named(key).mesh_key] for key in ids)
        return cls(first, second)

    def equal(self, other: _Faces) -> bool:
        """Return whether equal triangles have equal faces in both pairs."""
        return all(
            one is two
            or (
                one.file is two.file is None
                and one.faces_are_original == two.faces_are_original
                and np.array_equal(one.face_of_triangle, two.face_of_triangle)
            )
            for one, two in zip(self, other, strict=True)
        )


class _SideOfEach:
    """The data of one side of a row, for each object that is this side in pairs of the same contacts.

    Among 1,000 objects at one place each object is a side of 999 rows, which share its data.

    Args:
        side: the data of one of the objects.
    """

    def __init__(self, side: PairSide) -> None:
        self._side, self._made = side, dict[str, PairSide]()

    def of(self, item: SourceObject) -> PairSide:
        """Return the data of an object."""
        made = self._made.get(item.identity)
        if made is None:
            side = self._side
            made = PairSide(item.name, item.owner, item.source, side.faces, side.original_faces)
            self._made[item.identity] = made
        return made


class Drafted(NamedTuple):
    """The data of a drafted row that it shares with pairs of the same contacts: copies at one place."""

    contacts: Any
    faces: _Faces
    sides: tuple[_SideOfEach, _SideOfEach]
    """In the order of the contacts."""
    location: Point | None


def first_contact_draft(
    engine: ModuleType, world: EngineScene, first: Any, frame: int, distance: float | None = None
) -> Draft:
    """Create the row of a `FirstContact`: the pair counts as a clash until more is known.

    Args:
        distance: 0 if the test measures distances.
    """
    return surfaces_draft(engine, world, first, CONTACT, frame, distance)


@dataclass(frozen=True, eq=False)
class FirstContacts:
    """Pairs of meshes in memory of which only a first contact is known, with the data that their rows need later.

    Attributes:
        engine: the meshclash module.
        objects, meshes: objects and meshes of the scene of the query.
        found: a `FirstContact` for each pair.
        frame: the frame of the scene.
        distance: 0 if the test measures distances.
    """

    engine: ModuleType
    objects: SceneObjects
    meshes: Mapping[Hashable, SourceMesh]
    found: Sequence[Any]
    frame: int
    distance: float | None

    def row_steps(self) -> Generator[None, None, list[PairRow]]:
        """Create the rows in steps, with the two triangles for drawing: each pair counts as a clash until more is
        known.
        """
        return (yield from _first_contact_steps(self)) if self.found else []


def _first_contact_steps(pairs: FirstContacts) -> Generator[None, None, list[PairRow]]:
    from ..geometry.intersection import contact_segments  # noqa: PLC0415 - registering needs no compiler

    found, places = dict[int, Any](), dict[int, list[int]]()
    for place, first in enumerate(pairs.found):
        found[id(first.found)] = first.found
        places.setdefault(id(first.found), []).append(place)
    told = [found[key].first_contacts(np.array([pairs.found[k].job for k in places[key]])) for key in places]
    numbers, kinds, corners = (np.concatenate(column) for column in zip(*told, strict=True))
    of_a, of_b = (np.ascontiguousarray(corners[:, side]) for side in (0, 1))  # else other kernels are compiled
    curves = contact_segments(of_a, of_b, kinds)[0]
    middles = curves.mean(axis=1).tolist()
    curves, corners = curves.astype(np.float32), corners.astype(np.float32)
    yield
    named = pairs.objects.named
    items = [[named(pairs.found[k].a), named(pairs.found[k].b)] for k in chain.from_iterable(places.values())]
    triangles = zip(chain.from_iterable(items), numbers.ravel().tolist(), strict=True)
    faces = np.array([pairs.meshes[item.mesh_key].face_of_triangle[k] for item, k in triangles], np.int32).reshape(
        -1, 2
    )
    severity, frame, distance, rows = severity_of(pairs.engine, CONTACT), pairs.frame, pairs.distance, list[PairRow]()
    for at, (first, second) in enumerate(items):
        a, b = _first_side(pairs, first, at, 0, faces, corners), _first_side(pairs, second, at, 1, faces, corners)
        if not in_order(first, second):
            a, b = b, a
        name, (x, y, z), curve = pair_id(first.identity, second.identity), middles[at], curves[at : at + 1]
        rows.append(PairRow(name, a, b, frame, CONTACT, severity, 1, (x, y, z), distance=distance, curves=curve))
        if len(rows) % FIRSTS_AT_ONCE == 0:
            yield
    return rows


def _first_side(
    pairs: FirstContacts, item: SourceObject, at: int, side: int, faces: np.ndarray, corners: np.ndarray
) -> PairSide:
    """Return the row's data for an object of which one triangle is known to meet another triangle."""
    own = faces[at, side : side + 1]
    original = own if pairs.meshes[item.mesh_key].faces_are_original else None
    return PairSide(item.name, item.owner, item.source, own, original, highlight=corners[at, side : side + 1])


def surfaces_draft(
    engine: ModuleType,
    world: EngineScene,
    found: Any,
    verdict: str,
    frame: int,
    distance: float | None = None,
    region: str = "",
) -> Draft:
    """Create the row of two objects whose contacts are known, but nothing else; arguments as for `contacts_draft`.

    Args:
        engine: the meshclash module.
        verdict: the verdict of the row.
        distance: 0 if the test measures distances.
        region: as in `PairRow`.
    """
    ids, contacts, probability = (found.a, found.b), found.contacts, None
    if world.has_scan(ids):
        members, location = (contacts.touched(0), contacts.touched(1)), _middle(contacts.points)
        probability = 1.0 if verdict == MEETS else None
    else:
        members, location = _sides(contacts.pairs), contacts.segments([0])[0].mean(axis=0)
    return _draft(
        world, _Finding(ids, members, contacts), frame, verdict, _point(location),
        severity=severity_of(engine, verdict), distance=distance, probability=probability, region=region,
    )  # fmt: skip


def gap_draft(world: EngineScene, gap: Any, apart: str, frame: int) -> Draft:
    """Create the row of a `PairGap`; arguments as for `contacts_draft`.

    Args:
        apart: the verdict of a pair that does not meet. If no near triangles are given, the triangles of the nearest
            points are used.
    """
    ids, meets = (gap.a, gap.b), gap.severity > 0
    contacts = gap.contacts if meets else None
    members, nearest, location = (gap.near_a, gap.near_b), gap.triangles, gap.location
    if nearest is not None and not (len(gap.near_a) or len(gap.near_b)):
        members = np.array(nearest[:1]), np.array(nearest[1:])
    if world.has_scan(ids):
        nearest, location = None, location if meets else None
    finding = _Finding(ids, members, contacts, None if gap.points is None else tuple(gap.points), nearest)
    verdict = UNDECIDED if gap.undecided else intern(gap.verdict.name.lower()) if meets else apart
    return _draft(world, finding, frame, verdict, _point(location), distance=float(gap.gap), **_judged(gap))


def probability_draft(engine: ModuleType, world: EngineScene, found: Any, frame: int) -> Draft:
    """Create the row of a `ProbablePair`; arguments as for `contacts_draft`.

    The contact is drawn, or a box in which a contact is possible.
    """
    i, j = ([], []) if found.triangles is None else ([t] for t in found.triangles)
    members = np.array(i, np.int64), np.array(j, np.int64)
    draft = _draft(
        world, _Finding((found.a, found.b), members, None), frame, found.verdict,
        _point(None if found.region is None else found.region.mean(axis=0)),
        severity=severity_of(engine, found.verdict), probability=found.probability,
        probability_lower=found.interval[0], probability_upper=found.interval[1],
    )  # fmt: skip
    certain_scan = found.complete and world.has_scan((found.a, found.b))
    row = replace(draft.row, contacts=int(found.triangles is not None or certain_scan))
    return replace(draft, row=row, region=None if found.complete else found.region)


_CORNERS = np.array(list(np.ndindex(2, 2, 2)))
_EDGES = np.array([(c, c | 1 << k) for k in range(3) for c in range(8) if not c & 1 << k])


def _box_edges(box: np.ndarray) -> np.ndarray:
    """Return the edges of a box (2, 3), as (12, 2, 3) float32."""
    places = _CORNERS[_EDGES].reshape(-1, 3)
    return np.take_along_axis(box.astype(np.float32), places, axis=0).reshape(12, 2, 3)


def _draft(
    world: EngineScene,
    finding: _Finding,
    frame: int,
    verdict: str,
    location: Point | None,
    *,
    region: str = "",
    **values: Any,
) -> Draft:
    """Create the draft of a row; `values` are the fields that are the same for both objects."""
    parts = _part(world, finding.ids[0]), _part(world, finding.ids[1])
    if not in_order(parts[0].item, parts[1].item):
        finding, parts = finding.turned(), parts[::-1]
    if finding.alike is not None:
        a, b = (side.of(part.item) for part, side in zip(parts, finding.alike, strict=True))
    else:
        points, nearest = finding.points or (None, None), finding.nearest or (None, None)
        found = zip(parts, finding.members, points, nearest, strict=True)
        a, b = (part.side(members, point, triangle) for part, members, point, triangle in found)
    row = PairRow(
        id=pair_id(parts[0].item.identity, parts[1].item.identity, region=region),
        a=a, b=b, frame=frame, verdict=verdict,
        contacts=0 if finding.contacts is None else len(finding.contacts),
        location=location, region=region, **values,
    )  # fmt: skip
    return Draft(row, parts, finding.contacts, finding.is_turned)


class _Part(NamedTuple):
    """One object of a pair: a mesh or a scan."""

    item: SourceObject
    mesh: SourceMesh | None
    scan: PlacedCloud | None

    def side(self, members: np.ndarray, point: np.ndarray | None, nearest: int | None) -> PairSide:
        """Return the row's data of this object.

        Args:
            members: triangles, or points of a scan, that are in contact.
            point: the point of this object nearest to the other object.
            nearest: the triangle that contains this point.
        """
        item, place = self.item, _point(point)
        if self.scan is not None:
            points = self.scan.own_indices(members)
            return PairSide(item.name, item.owner, item.source, _NO_FACES, _NO_FACES, points, is_scan=True, point=place)
        assert self.mesh is not None
        faces = faces_of(self.mesh, members)
        original = faces if self.mesh.faces_are_original else None
        return PairSide(item.name, item.owner, item.source, faces, original, point=place, face=self._face(nearest))

    def _face(self, triangle: int | None) -> int | None:
        """Return the face that contains a triangle; for a massive file, the triangle itself."""
        assert self.mesh is not None
        if triangle is None or self.mesh.file is not None:
            return triangle
        return int(self.mesh.face_of_triangle[triangle])


def _part(world: EngineScene, key: int) -> _Part:
    item, scan = world.objects[key], world.scans.get(key)
    return _Part(item, world.meshes[item.mesh_key] if scan is None else None, scan)


def row_steps(
    engine: ModuleType, drafts: Iterable[Draft], highlights: bool
) -> Generator[Progress, None, list[PairRow]]:
    """Complete the rows of drafts, in slices.

    Args:
        engine: the meshclash module.
        drafts: `ROWS_AT_ONCE` or fewer; a slice ends between two of them.
        highlights: whether to fill in the triangles, points and curves for drawing.
    """
    made, piece = list[Draft](), Slice()
    for draft in drafts:
        made.append(draft)
        if piece.over:
            yield _progress(draft.row)
            piece = Slice()
    if made:
        yield _progress(made[-1].row)
    if not highlights:
        return [draft.row for draft in made]
    crossed = [k for k, draft in enumerate(made) if draft.contacts is not None and not draft.row.scans]
    told = hold_progress(
        curve_steps(engine, [made[k].contacts for k in crossed]), Progress(1.0, "Finding curves to draw")
    )
    curves = dict(zip(crossed, (yield from told), strict=True))
    rows = []
    for k, draft in enumerate(made):
        progress = _progress(draft.row)
        if draft.row.scans:
            rows.append((yield from hold_progress(_scan_drawing_steps(draft.row, draft.parts), progress)))
        else:
            rows.append((yield from hold_progress(_drawing_steps(draft, curves.get(k, draft.row.curves)), progress)))
        yield progress
    loud = [k for k, row in enumerate(rows) if row.verdict not in QUIET_VERDICTS and not row.scans]
    cut = hold_progress(cut_steps([rows[k] for k in loud]), Progress(1.0, "Finding curves to draw"))
    for k, row in zip(loud, (yield from cut), strict=True):
        rows[k] = row
    for k, draft in enumerate(made):
        if draft.region is not None:
            rows[k] = replace(rows[k], curves=_box_edges(draft.region))
    return rows


def _progress(row: PairRow) -> Progress:
    return Progress(1.0, Sentence("Writing the results of {a} and {b}", a=row.a.name, b=row.b.name))


def _drawing_steps(draft: Draft, curves: np.ndarray) -> Generator[None, None, PairRow]:
    """Complete the row of two meshes with its curves and whole faces."""
    row, parts = draft.row, draft.parts
    if row.verdict == CONTAINED and not row.contacts:
        highlights = yield from _inner_object_steps(*parts)
        a, b = (replace(side, highlight=found) for side, found in zip(row.sides, highlights, strict=True))
        return replace(row, a=a, b=b, curves=curves)
    drawn = []
    columns = (1, 0) if draft.is_turned else (0, 1)
    for part, side, column in zip(parts, row.sides, columns, strict=True):
        found = yield from _touched_steps(part, side.faces, draft.contacts, column)
        drawn.append(replace(side, highlight=found.triangles, whole=found.faces))
    return replace(row, a=drawn[0], b=drawn[1], curves=curves)


def _scan_drawing_steps(row: PairRow, parts: tuple[_Part, _Part]) -> Generator[None, None, PairRow]:
    """Complete the row of a pair with a scan: its points, and the whole faces of a mesh."""
    drawn = []
    for part, side in zip(parts, row.sides, strict=True):
        if part.scan is not None:
            drawn.append(replace(side, dots=part.scan.world_points(side.points), dot_radius=part.scan.world_radius))
        else:
            found = yield from _world_face_steps(part, side.faces)
            drawn.append(replace(side, highlight=found.triangles))
    return replace(row, a=drawn[0], b=drawn[1])


def _middle(points: np.ndarray) -> np.ndarray:
    """Return the point nearest to the mean of all points."""
    middle: np.ndarray = points[np.argmin(((points - points.mean(axis=0)) ** 2).sum(axis=1))]
    return middle


def _sides(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangles of both sides of pairs (k, 2)."""
    return pairs[:, 0], pairs[:, 1]


def in_order(a: SourceObject, b: SourceObject) -> bool:
    """Return whether `a` comes first: `a` is in set A, or its name comes first if both orders are possible."""
    forward, backward = a.in_a and b.in_b, b.in_a and a.in_b
    return forward and (not backward or (a.name, a.identity) <= (b.name, b.identity))


def first_of(a: SourceObject, b: SourceObject) -> SourceObject:
    """Return the object of a pair that comes first in its row."""
    return a if in_order(a, b) else b


def faces_of(mesh: SourceMesh, triangles: np.ndarray) -> np.ndarray:
    """Return the sorted faces (k,) int32 of some triangles; for a massive file the triangles, int64 if their number
    requires it.
    """
    if mesh.file is not None:
        return np.unique(triangles)
    faces: np.ndarray = np.sort(mesh.face_of_triangle[triangles])
    return faces[np.append(True, faces[1:] != faces[:-1])[: len(faces)]].astype(np.int32)  # a third of np.unique's time


def _of_faces(mesh: SourceMesh, faces: np.ndarray) -> np.ndarray:
    """Return the indices of the triangles of some faces."""
    if not len(faces):
        return np.empty(0, np.int64)
    wanted = np.zeros(int(mesh.face_of_triangle.max()) + 1, dtype=bool)
    wanted[faces] = True
    return np.flatnonzero(wanted[mesh.face_of_triangle])


def _touched_steps(part: _Part, faces: np.ndarray, contacts: Any, column: int) -> Generator[None, None, ContactFaces]:
    """Return the world triangles of some faces, in slices; for a massive file the triangles in contact, read from the
    file.

    Args:
        part: the object.
        faces: faces of the object.
        contacts: the engine's contacts; None: no triangles of a massive file are drawn, because the contacts are needed
            to find them.
        column: index of the object in the contacts, 0 or 1.
    """
    assert part.mesh is not None
    if part.mesh.file is None:
        return (yield from _world_face_steps(part, faces))
    if contacts is None:
        return ContactFaces(np.empty((0, 3, 3), np.float32), np.empty(0, np.int64))
    numbers, first = np.unique(contacts.pairs[:, column], return_index=True)
    world = np.empty((len(numbers), 3, 3), np.float32)
    for begin in range(0, len(numbers), FILE_TRIANGLES_AT_ONCE):
        some = slice(begin, begin + FILE_TRIANGLES_AT_ONCE)
        world[some] = contacts.world_triangles(column, first[some])
        yield
    return ContactFaces(world, numbers.astype(np.int64))


def _world_face_steps(side: _Part, faces: np.ndarray) -> Generator[None, None, ContactFaces]:
    """Return the world triangles of some faces of a mesh, in slices."""
    item, mesh = side.item, side.mesh
    assert mesh is not None
    index = _of_faces(mesh, faces)
    corners = yield from world_triangle_steps(item, mesh, mesh.triangles[index])
    return ContactFaces(corners, mesh.face_of_triangle[index].astype(np.int64))


def world_triangle_steps(
    item: SourceObject, mesh: SourceMesh, triangles: np.ndarray
) -> Generator[None, None, np.ndarray]:
    """Return the corners (t, 3, 3) float32 of triangles in world space, in slices."""
    world = np.empty((len(triangles), 3, 3), np.float32)
    for begin in range(0, len(triangles), TRIANGLES_AT_ONCE):
        some = slice(begin, begin + TRIANGLES_AT_ONCE)
        world[some] = to_world(mesh.vertices[triangles[some]], item.matrix)
        if some.stop < len(triangles):
            yield
    return world


def _inner_object_steps(side_a: _Part, side_b: _Part) -> Generator[None, None, tuple[np.ndarray, np.ndarray]]:
    """Return all triangles of the smaller object, and none of the larger one."""
    assert side_a.mesh is not None and side_b.mesh is not None
    all_a = yield from world_triangle_steps(side_a.item, side_a.mesh, side_a.mesh.triangles)
    all_b = yield from world_triangle_steps(side_b.item, side_b.mesh, side_b.mesh.triangles)
    none = np.empty((0, 3, 3), dtype=np.float32)
    return (all_a, none) if np.ptp(all_a, axis=(0, 1)).sum() <= np.ptp(all_b, axis=(0, 1)).sum() else (none, all_b)


def _point(coordinates: np.ndarray | None) -> Point | None:
    if coordinates is None:
        return None
    x, y, z = map(float, coordinates)
    return x, y, z


def measures_of(verdict: Any) -> dict[str, float | None]:
    """Return the measures of an engine verdict, by the fields of `PairRow`."""
    return {name: _finite(getattr(verdict, name)) for name in _MEASURES}


def _judged(verdict: Any) -> dict[str, Any]:
    """Return the fields of `PairRow` that describe an engine verdict."""
    severity = int((TOUCHING if verdict.undecided else verdict.verdict).severity)
    certainty = float(verdict.certainty)
    return {"severity": severity, "flush": verdict.flush, "certainty": certainty, **measures_of(verdict)}


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None
