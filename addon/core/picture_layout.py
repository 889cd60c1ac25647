"""Compute the content of a picture of contacts as plain arrays: surfaces, tubes along curves, the view, labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from unicodedata import east_asian_width

import numpy as np
from meshclash.clash.cell_text import format_length
from meshclash.clash.frame_scene import FrameScene
from meshclash.clash.pair_row import PairRow
from meshclash.clash.regions import cut_row
from meshclash.clash.verdicts import CLASH, PICTURED_VERDICTS
from meshclash.clash.world import to_world

from .short_names import commonness, shorten

VIEW_DIRECTION = np.array([-0.52, 0.70, -0.49])  # from the camera into the scene
MARGIN = 1.08
MOST_CONTEXT = 1.6  # largest size of a scene shown as a whole, in sizes of the objects involved
STAND_OFF = 0.0006  # share of the view's height: offset of highlights from their surface
CURVE_RADIUS = 0.0018  # share of the view's height
EDGE_RADIUS = 0.0005
DOT_RADIUS = 0.0012  # radius of points of scans; doubled for points in contact
MOST_DOTS = 20_000  # for a scan, and for the points in contact of a pair
SHARP_COSINE = 0.88  # edges between faces that turn by more than about 28 degrees are drawn
MOST_EDGE_TRIANGLES = 500_000  # larger scenes are drawn without edges
TUBE_SIDES = 6
_NO_SEGMENTS = np.empty((0, 2, 3), np.float32)
MOST_LABELS = 16
SIGN = " / "  # separates the names of a label
LABEL_HEIGHT = 0.021  # share of the view's height
LABEL_STEP = 1.9  # distance between the lines of labels, in label heights
LABEL_ROOM = 0.45  # largest share of the view's width for a label, so that labels of both sides never meet
CHARACTER = 0.55  # width of a letter of Blender's own font, in label heights: names have 0.4 to 0.51 on average


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles (t, 3) int32 over world vertices (n, 3) float32."""

    vertices: np.ndarray
    triangles: np.ndarray


@dataclass(frozen=True, eq=False)
class View:
    """An orthographic camera.

    Attributes:
        centre: (3,) point in the middle of the picture, world.
        axes: (3, 3) rows: right, up, backwards.
        width, height: size of the picture in world lengths.
        reach: half of the scene's extent along the view.
    """

    centre: np.ndarray
    axes: np.ndarray
    width: float
    height: float
    reach: float

    def project(self, points: np.ndarray) -> np.ndarray:
        """Convert world points (..., 3) to camera coordinates (..., 3)."""
        return (points - self.centre) @ self.axes.T


@dataclass(frozen=True)
class Label:
    """The names of a pair next to the picture, with a line to its location; camera coordinates, world lengths."""

    a: str
    b: str
    note: str
    anchor: tuple[float, float]
    target: tuple[float, float]
    at_left: bool


@dataclass
class PictureLayout:
    """Everything that the picture shows."""

    view: View
    others: Surface
    involved: Surface
    highlight_a: Surface
    highlight_b: Surface
    curves: Surface
    edges: Surface
    scans: Surface
    labels: list[Label] = field(default_factory=list)


def lay_out(rows: Sequence[PairRow], scene: FrameScene, aspect: float, metres_per_unit: float = 1.0) -> PictureLayout:
    """Lay out the picture of one frame.

    Args:
        rows: the rows of the frame, worst first, with their triangles and curves.
        scene: all objects of the frame; at least one object.
        aspect: width of the picture divided by its height.
        metres_per_unit: length of a Blender unit in metres.
    """
    chosen = [row for row in rows if row.verdict in PICTURED_VERDICTS]
    shown = [cut_row(row) for row in chosen or rows]
    names = {name for row in shown for name in row.names}
    others, involved = _merged(scene, names, inside=False), _merged(scene, names, inside=True)
    points = _scan_points(scene)
    view = _view(replace(others, vertices=np.concatenate((others.vertices, *points))), involved, aspect)
    offset = STAND_OFF * view.height
    dot = DOT_RADIUS * view.height
    return PictureLayout(
        view,
        others,
        involved,
        _soup([*(row.a.highlight for row in shown), *(_dots(row.a.dots, 2.0 * dot) for row in shown)], offset),
        _soup([*(row.b.highlight for row in shown), *(_dots(row.b.dots, 2.0 * dot) for row in shown)], 1.5 * offset),
        _tubes(
            np.concatenate([_NO_SEGMENTS, *(row.curves for row in shown), *(row.gap for row in shown)]),
            CURVE_RADIUS * view.height,
        ),
        _tubes(np.concatenate([_sharp_edges(others), _sharp_edges(involved)]), EDGE_RADIUS * view.height),
        _soup([_dots(part, dot) for part in points], 0.0),
        _labels(shown[:MOST_LABELS], view, metres_per_unit),
    )


def _scan_points(scene: FrameScene) -> list[np.ndarray]:
    """Return world positions (k, 3) float32 of a sample of points for each scan."""
    return [
        to_world(_thinned(scene.clouds[item.mesh_key].points), item.matrix).astype(np.float32) for item in scene.scans
    ]


def _thinned(points: np.ndarray) -> np.ndarray:
    """Return at most `MOST_DOTS` of the points, evenly spread over their order."""
    if len(points) <= MOST_DOTS:
        return points
    return points[np.linspace(0, len(points) - 1, MOST_DOTS).astype(np.int64)]


def _dots(points: np.ndarray, radius: float) -> np.ndarray:
    """Return octahedra around at most `MOST_DOTS` of the points, (8 k, 3, 3) float32."""
    points = _thinned(points)
    axes = np.eye(3, dtype=np.float32)
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
    corners = signs[:, :, None] * axes
    inward = np.prod(signs, axis=1) < 0
    corners[inward] = corners[inward][:, ::-1]
    return (points[:, None, None, :] + radius * corners).reshape(-1, 3, 3).astype(np.float32)


def _merged(scene: FrameScene, names: set[str], inside: bool) -> Surface:
    vertices, triangles, count = [np.empty((0, 3))], [np.empty((0, 3), np.int32)], 0
    for item in scene.objects:
        if (item.name in names) == inside:
            mesh = scene.meshes[item.mesh_key]
            vertices.append(to_world(mesh.vertices, item.matrix))
            triangles.append(mesh.triangles + count)
            count += len(mesh.vertices)
    return Surface(np.concatenate(vertices).astype(np.float32), np.concatenate(triangles).astype(np.int32))


def _soup(parts: Sequence[np.ndarray], offset: float) -> Surface:
    """Combine separate triangles, moved outwards so that they hide the surface below."""
    triangles = np.concatenate([np.empty((0, 3, 3), np.float32), *parts])
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
    vertices = (triangles + offset * normals[:, None]).reshape(-1, 3).astype(np.float32)
    return Surface(vertices, np.arange(len(vertices), dtype=np.int32).reshape(-1, 3))


def _sharp_edges(surface: Surface) -> np.ndarray:
    """Return the sharp edges (s, 2, 3) of a manifold surface; an empty array for huge surfaces."""
    corners = surface.triangles
    if not 0 < len(corners) <= MOST_EDGE_TRIANGLES:
        return _NO_SEGMENTS
    a, b, c = (surface.vertices[corners[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    edges = np.sort(corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    edges, faces = edges[order], np.repeat(np.arange(len(corners)), 3)[order]
    same = np.flatnonzero((edges[1:] == edges[:-1]).all(axis=1))
    turned = (normals[faces[same]] * normals[faces[same + 1]]).sum(axis=1) < SHARP_COSINE
    return surface.vertices[edges[same[turned]]]


def _tubes(segments: np.ndarray, radius: float) -> Surface:
    """Return a prism around each segment (s, 2, 3), slightly longer than it so that neighbours join."""
    segments = segments.astype(np.float64)
    along = segments[:, 1] - segments[:, 0]
    lengths = np.linalg.norm(along, axis=1)
    segments, along = segments[lengths > 0], along[lengths > 0] / lengths[lengths > 0, None]
    helper = np.eye(3)[np.abs(along).argmin(axis=1)]
    side = np.cross(along, helper)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    other = np.cross(along, side)
    angles = 2 * np.pi * np.arange(TUBE_SIDES) / TUBE_SIDES
    ring = radius * (np.cos(angles)[:, None] * side[:, None] + np.sin(angles)[:, None] * other[:, None])
    ends = segments + 0.5 * radius * np.stack((-along, along), axis=1)
    vertices = (ends[:, :, None] + ring[:, None]).reshape(-1, 3).astype(np.float32)
    k = np.arange(TUBE_SIDES)
    following = (k + 1) % TUBE_SIDES
    first = np.stack((k, following, following + TUBE_SIDES), axis=1)
    second = np.stack((k, following + TUBE_SIDES, k + TUBE_SIDES), axis=1)
    start = 2 * TUBE_SIDES * np.arange(len(segments))[:, None, None]
    triangles = (start + np.concatenate((first, second))).reshape(-1, 3).astype(np.int32)
    return Surface(vertices, triangles)


def _view(others: Surface, involved: Surface, aspect: float) -> View:
    """Return a view of the whole scene, or only of the objects involved if they are much smaller."""
    everything = _fit(np.concatenate((others.vertices, involved.vertices)), aspect)
    if not len(involved.vertices):
        return everything
    subject = _fit(involved.vertices, aspect)
    return subject if MOST_CONTEXT * subject.height < everything.height else everything


def _fit(points: np.ndarray, aspect: float) -> View:
    """Return the view along `VIEW_DIRECTION` that just contains the points."""
    back = -VIEW_DIRECTION / np.linalg.norm(VIEW_DIRECTION)
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    axes = np.stack((right, np.cross(back, right), back))
    inside = points.astype(np.float64) @ axes.T
    low, high = inside.min(axis=0), inside.max(axis=0)
    spans = high - low
    height = MARGIN * max(spans[1], spans[0] / aspect, 1e-6 * max(1.0, float(np.abs(high).max())))
    return View((low + high) / 2 @ axes, axes, height * aspect, height, max(float(spans[2]), height) / 2)


def _noted(row: PairRow, metres_per_unit: float) -> str:
    """Return the text after the names on a label: the gap, or the verdict."""
    return format_length(row.distance * metres_per_unit) if row.distance else row.verdict


def _label_names(row: PairRow, note: str, room: float, common: Counter[str]) -> tuple[str, str]:
    """Return both names, shortened if the label would be wider than `room` letters."""
    left = room - _letters(note) - _letters(SIGN)
    short = [shorten(name, 0.5 * left, _letters, common) for name in row.names]
    for at in (0, 1):  # space that one name leaves is used by the other
        short[at] = shorten(row.names[at], left - _letters(short[1 - at]), _letters, common)
    return short[0], short[1]


def _letters(text: str) -> float:
    """Return the width of a text in letters; East Asian letters are twice as wide."""
    return float(sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text))


def _labels(rows: Sequence[PairRow], view: View, metres_per_unit: float) -> list[Label]:
    """Arrange the names of pairs in a column at each side, in the order of their locations, so that no lines cross."""
    targets = [(view.project(np.array(row.location)), row) for row in rows if row.location is not None]
    targets.sort(key=lambda item: item[0][0])
    half = len(targets) // 2
    step = LABEL_STEP * LABEL_HEIGHT * view.height
    labels, common = [], commonness(name for _, row in targets for name in row.names)
    room = LABEL_ROOM * view.width / (CHARACTER * LABEL_HEIGHT * view.height)
    for at_left, found in ((True, targets[:half]), (False, targets[half:])):
        side = sorted(found, key=lambda item: -item[0][1])
        top = _column_top([float(target[1]) for target, _ in side], step, view.height)
        edge = (-0.5 if at_left else 0.5) * view.width * 0.97
        for line, (target, row) in enumerate(side):
            note = "" if row.verdict == CLASH else f" ({_noted(row, metres_per_unit)})"
            anchor, place = (edge, top - line * step), (float(target[0]), float(target[1]))
            labels.append(Label(*_label_names(row, note, room, common), note, anchor, place, at_left))
    return labels


def _column_top(heights: Sequence[float], step: float, height: float) -> float:
    """Return the start of a column of labels, centred on its targets and within the picture."""
    if not heights:
        return 0.0
    length = (len(heights) - 1) * step
    centred = sum(heights) / len(heights) + length / 2
    return float(np.clip(centred, -0.47 * height + length, 0.45 * height))
