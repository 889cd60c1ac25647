"""Draw pictures of clashes: both objects, their overlap, and the objects around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..colours import COLOUR_A, COLOUR_B
from . import raster
from .nearby import Triangles, focus_of

WIDTH, HEIGHT = 720, 450
COLOURS = COLOUR_A, COLOUR_B
DIRECTIONS = ((0.55, -0.62, 0.56), (-0.62, -0.55, 0.56), (-0.55, 0.62, 0.56), (0.62, 0.55, 0.56), (0.55, -0.62, -0.56))
"""Viewing directions for a clash; the direction that shows most of the overlap is chosen."""
SMALL = 8
"""Factor by which the width and height of a trial image are smaller."""
MOST_PICTURES, MOST_OF_GROUPS = 500, 40
"""Maximum number of pictures of pairs, and of groups with one picture each."""
MOST_TRIANGLES = 200_000
"""Of one object that is drawn."""
MOST_EDGES = 40_000
"""Triangles of an object up to which its edges are drawn."""
SHARP = np.cos(np.radians(28.0))
"""Two faces that meet at a larger angle have a visible edge between them."""
CUT = -0.3
"""Depth of the section plane in half heights of the image: other objects before this depth are not drawn."""
RING = 0.0025
"""Share of the image below which an overlap is pointed at by a ring."""
RING_COLOUR = (0.95, 0.45, 0.0)


def pictures(
    pairs: Iterable[dict[str, Any]], triangles: Triangles, names: Iterable[str], most: int
) -> dict[str, bytes]:
    """Return PNG images by pair id.

    Args:
        pairs: pairs of a report; if a pair has several rows, the first one is drawn.
        triangles: world triangles (t, 3, 3) [m] of an object by its name.
        names: the objects that are drawn around a clash.
        most: pictures that are drawn.
    """
    found, drawn = dict[str, bytes](), _Around(triangles, names)
    for pair in pairs:
        if len(found) == most:
            break
        if pair["id"] not in found and (picture := drawn.png(pair)) is not None:
            found[pair["id"]] = picture
    return found


class _Around:
    """Draws pairs among the other objects of one scene."""

    def __init__(self, triangles: Triangles, names: Iterable[str]) -> None:
        self._triangles = triangles
        self._names: list[str] = []
        boxes = []
        for name in names:
            corners = triangles(name).reshape(-1, 3)
            if len(corners):
                self._names.append(name)
                boxes.append((corners.min(axis=0), corners.max(axis=0)))
        self._boxes = np.array(boxes, np.float64).reshape(-1, 2, 3)

    def png(self, pair: dict[str, Any]) -> bytes | None:
        """Return a picture of a pair of a report; None if the location of the pair is unknown, or one of the objects
        has no faces.
        """
        if pair["location"] is None:
            return None
        both = [self._triangles(pair[side]).astype(np.float64) for side in "ab"]
        if not all(0 < len(one) <= MOST_TRIANGLES for one in both):
            return None
        centre, reach = np.array(pair["location"]), focus_of(pair, both)
        closed = all(map(is_closed, both))
        scenes = [_Scene(both, closed, centre, reach, direction) for direction in DIRECTIONS]
        best = max(scenes, key=lambda scene: scene.overlap(SMALL))
        return raster.to_png(best.image(self._around(pair, centre, reach)))

    def _around(self, pair: dict[str, Any], centre: np.ndarray, reach: float) -> list[np.ndarray]:
        """Return the triangles of the other objects near a clash."""
        wide = 2.5 * reach  # what an image shows of the diagonal, and what is behind it
        near = ((self._boxes[:, 0] <= centre + wide) & (self._boxes[:, 1] >= centre - wide)).all(axis=1)
        names = [self._names[k] for k in np.flatnonzero(near).tolist()]
        found = [self._triangles(name).astype(np.float64) for name in names if name not in (pair["a"], pair["b"])]
        return [one for one in found if len(one) <= MOST_TRIANGLES]


class _Scene:
    """Two objects seen from one direction."""

    def __init__(
        self, both: Sequence[np.ndarray], closed: bool, centre: np.ndarray, reach: float, towards: Any
    ) -> None:
        right = np.cross((0.0, 0.0, 1.0), towards)
        right /= np.linalg.norm(right)
        ahead = np.array(towards) / np.linalg.norm(towards)
        self._axes = np.stack([right, np.cross(ahead, right), ahead])
        self._centre, self._reach, self._closed = centre, reach, closed
        self._both = [self._seen(one) for one in both]

    def _seen(self, triangles: np.ndarray) -> np.ndarray:
        """Return corners as right, up and towards the viewer, in units of half the image height."""
        return (triangles - self._centre) @ self._axes.T / self._reach

    def overlap(self, smaller: int) -> int:
        """Return the pixels of a small image that show the overlap."""
        width, height = WIDTH // smaller, HEIGHT // smaller
        _, overlaps = self._blended(self._layers(width, height), np.full((height, width), -1.0))
        return int(overlaps.sum())

    def _layers(self, width: int, height: int) -> tuple[np.ndarray, ...]:
        """Return the surfaces of both solids that each pixel shows, as computed by ``raster.fill``."""
        found = _no_surfaces(width, height, raster.MOST_LAYERS)
        no_limits = np.full((height, width), -np.inf)
        for owner, triangles in enumerate(self._both):
            owners = np.full(len(triangles), owner)
            corners = _pixels(triangles, width, height)
            raster.fill(corners, owners, raster.shades(triangles), no_limits, *found)
        return found

    def _blended(self, layers: tuple[np.ndarray, ...], behind: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the image of both objects over the background, and 1 for each pixel where they overlap."""
        image, overlaps = np.empty((*behind.shape, 3)), np.zeros(behind.shape, np.int64)
        colours = np.array([*COLOURS, raster.CONTEXT, raster.PAPER, raster.OVERLAP])
        raster.blend(*layers, self._closed, behind, colours, image, overlaps)
        return image, overlaps

    def image(self, around: Sequence[np.ndarray]) -> np.ndarray:
        """Return the picture (h, w, 3), colours from 0 to 1."""
        layers = self._layers(WIDTH, HEIGHT)
        front = np.ascontiguousarray(layers[0][:, :, 0])
        covered = np.isfinite(front)
        limits = np.where(covered, front, CUT)
        nearest = _no_surfaces(WIDTH, HEIGHT, 1)
        others = [self._seen(one) for one in around]
        for one in others:
            owners = np.zeros(len(one), np.int64)
            raster.fill(_pixels(one, WIDTH, HEIGHT), owners, 0.4 + 0.6 * raster.shades(one), limits, *nearest)
        depth = nearest[0][:, :, 0]
        behind = np.where(nearest[3] > 0, nearest[1][:, :, 0], -1.0)
        image, overlaps = self._blended(layers, behind)
        ink = np.array(raster.INK)
        lines = _joined([_pixels(sharp_edges(one), WIDTH, HEIGHT) for one in others])
        raster.draw_lines(lines, np.where(covered, -np.inf, depth), 0.02, 0.02, 0.0, 0.3, ink, image)
        lines = _joined([_pixels(sharp_edges(one), WIDTH, HEIGHT) for one in self._both])
        raster.draw_lines(lines, front, np.inf, 0.01, 0.2, 0.75, ink, image)
        if overlaps.sum() < RING * overlaps.size:
            _ring(image)
        return image


def _no_surfaces(width: int, height: int, layers: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return depths, brightnesses and sides (h, w, layers) and counts (h, w) of pixels that show nothing yet."""
    shape = height, width, layers
    return np.full(shape, np.inf), np.zeros(shape), np.zeros(shape, np.int64), np.zeros(shape[:2], np.int64)


def _pixels(seen: np.ndarray, width: int, height: int) -> np.ndarray:
    """Convert points to columns, rows and depths away from the viewer."""
    x, y, z = np.moveaxis(seen, -1, 0)
    return np.stack([0.5 * (width + height * x), 0.5 * height * (1.0 - y), -z], axis=-1)


def _joined(lines: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty((0, 2, 3)), *lines])


def _ring(image: np.ndarray) -> None:
    """Draw a ring around the centre of an image."""
    height, width, _ = image.shape
    rows, columns = np.ogrid[:height, :width]
    off = np.hypot(columns - 0.5 * width, rows - 0.5 * height) - 0.11 * height
    for wide, colour in ((5.0, (1.0, 1.0, 1.0)), (2.5, RING_COLOUR)):
        share = np.clip(wide + 0.5 - np.abs(off), 0.0, 1.0)[:, :, None]
        image += share * (np.array(colour) - image)


def is_closed(triangles: np.ndarray) -> bool:
    """Return whether each edge is used equally often in both directions, so that the triangles enclose a volume."""
    corners = _numbered(triangles)
    count = int(corners.max()) + 1
    first, second = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
    forth, back = first * count + second, second * count + first
    return bool((np.sort(forth[first != second]) == np.sort(back[first != second])).all())


def sharp_edges(triangles: np.ndarray) -> np.ndarray:
    """Return the edges (n, 2, 3) of triangles (t, 3, 3) between faces at an angle, and the edges with one face only."""
    if len(triangles) > MOST_EDGES:
        return np.empty((0, 2, 3))
    corners = _numbered(triangles)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(lengths > 0.0, lengths, 1.0)
    ends = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2)
    face = np.repeat(np.arange(len(triangles)), 3)
    keys = np.sort(ends, axis=1) @ np.array([int(corners.max()) + 1, 1])
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    same = sorted_keys[1:] == sorted_keys[:-1]
    flat = same & ((normals[face[order[1:]]] * normals[face[order[:-1]]]).sum(axis=1) > SHARP)
    inner_edges = np.zeros(len(keys), bool)  # both halves of an edge between faces of nearly one plane
    inner_edges[order[1:][flat]] = inner_edges[order[:-1][flat]] = True
    places = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2, 3)
    return places[~inner_edges]


def _numbered(triangles: np.ndarray) -> np.ndarray:
    """Number the corners (t, 3) of triangles; corners at the same position get the same number."""
    points = triangles.reshape(-1, 3)
    grid = np.rint((points - points.min(axis=0)) * (1e6 / (float(np.ptp(points, axis=0).max()) or 1.0))).astype(
        np.int64
    )
    keys = (grid[:, 0] << 42) | (grid[:, 1] << 21) | grid[:, 2]
    return np.unique(keys, return_inverse=True)[1].reshape(-1, 3).astype(np.int64)
