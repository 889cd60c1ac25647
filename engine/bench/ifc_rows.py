"""The first rows of the list of an IFC model, each judged by the common volume that manifold3d finds.

What a person reads first has to be a clash: a row with common volume whose elements share less than a cubic millimetre
is wrong there, unless it says itself that it is no deeper than a nanometre (``thin``). Elements are read
in double precision in world coordinates. For manifold3d equal places are welded, faces are turned alike, and both
elements are moved to a corner of their common box, so that large coordinates cost no digits; it is asked in both
orders, and the larger volume counts. Small volumes get a second opinion from points: the share of a grid in the common
box that winding numbers find in both. Rows with an element that is no manifold are shown, and not judged.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from meshclash import ObjectContacts, Scene
from oracles.solid_oracle import turned_alike

from .ifc import Element, read_elements
from .table import Row, format_table, write_json

_WITH_VOLUME = ("CLASH", "CONTAINED", "DUPLICATE")
_CUBIC_MM = 1e9  # in a cubic metre
_THIN = 1e-9  # m
_ASKED_AGAIN = 1000.0
_STEPS = 24  # of the grid along each axis


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.ifc", help="models; none comes with the project")
    parser.add_argument("--rows", type=int, default=30, metavar="N", help="of each list (default 30)")
    parser.add_argument("--least", type=float, default=1.0, metavar="MM3", help="common volume [mm^3] of a row (1)")
    parser.add_argument("--permitted", type=float, default=0.0, metavar="M", help="overlap [m] (default 0)")
    parser.add_argument("--json", type=Path)


def run(options: argparse.Namespace) -> int:
    """Judge the first rows of every model; 1 where one shares too little, 2 without ifcopenshell or manifold3d."""
    try:
        import manifold3d
        from ifcopenshell import geom
    except ImportError as error:
        print(f"this bench needs ifcopenshell and manifold3d (pip install ifcopenshell manifold3d): {error}")
        return 2
    summary = []
    report: Row = {"bench": "ifc-rows", "models": {}}
    for path in options.files:
        rows = _judged_rows(manifold3d, geom, path, options)
        print(path.stem, format_table([_shown(row) for row in rows]) if rows else "no rows", sep="\n", end="\n\n")
        report["models"][path.stem] = rows
        summary.append(
            {
                "model": path.stem[:24],
                "rows": len(rows),
                "judged": sum(row["common"] is not None for row in rows),
                "thin": sum(row["judgement"] == "thin" for row in rows),
                "wrong": sum(row["judgement"] == "WRONG" for row in rows),
                "depth unknown": sum(row["depth"] is None for row in rows),
            }
        )
    print(format_table(summary))
    if options.json:
        write_json(options.json, report)
    return int(any(row["wrong"] for row in summary))


def _judged_rows(manifold3d: Any, geom: Any, path: Path, options: argparse.Namespace) -> list[Row]:
    import ifcopenshell

    elements = [element for element, _ in read_elements(geom, ifcopenshell.open(str(path)))]
    scene = Scene()
    of = {scene.add(element.mesh): element for element in elements}
    found = scene.contacts(permitted_overlap=options.permitted).pairs
    rows = [item for item in found if item.verdict.name in _WITH_VOLUME][: options.rows]
    return [
        _judged(manifold3d, number, item, (of[item.a], of[item.b]), options.least)
        for number, item in enumerate(rows, start=1)
    ]


def _judged(manifold3d: Any, number: int, found: ObjectContacts, pair: tuple[Element, Element], least: float) -> Row:
    """A row of the list with its common volume [mm^3], and whether that is too little; lengths in metres."""
    verdict = found.verdict
    volume = common_volume(manifold3d, pair[0].corners, pair[1].corners)
    common = None if volume is None else volume * _CUBIC_MM
    sampled, judgement = None, ""
    if common is not None and common < _ASKED_AGAIN * least:
        sampled = sampled_volume(pair[0].corners, pair[1].corners) * _CUBIC_MM
        thin = verdict.depth_upper is not None and verdict.depth_upper <= _THIN
        judgement = "" if common >= least else "thin" if thin else "WRONG"
    return {
        "row": number, "a": pair[0].label, "b": pair[1].label, "verdict": verdict.name, "depth": verdict.depth,
        "lower": verdict.depth_lower, "upper": verdict.depth_upper, "common": common, "sampled": sampled,
        "judgement": judgement,
    }  # fmt: skip


def _shown(row: Row) -> Row:
    """The row as text: lengths in millimetres, and a mark where it is wrong."""
    lengths = {name: _text(row[name], 1e3) for name in ("depth", "lower", "upper")}
    names = {"common": "common [mm^3]", "sampled": "sampled [mm^3]"}
    volumes = {text: _text(row[name], 1.0) for name, text in names.items()}
    return {
        **{name: str(row[name]) for name in ("row", "a", "b", "verdict")},
        **{f"{name} [mm]": text for name, text in lengths.items()},
        **volumes,
        "": row["judgement"],
    }


def _text(value: float | None, factor: float) -> str:
    return "-" if value is None else f"{factor * value:.4g}"


def common_volume(manifold3d: Any, a: np.ndarray, b: np.ndarray) -> float | None:
    """Common volume [m^3] of two closed meshes, corners (m, 3, 3) [m]; None where one is no manifold."""
    corner = np.maximum(a.min(axis=(0, 1)), b.min(axis=(0, 1)))
    first, second = (_manifold(manifold3d, corners, corner) for corners in (a, b))
    if first is None or second is None:
        return None
    return max((first ^ second).volume(), (second ^ first).volume(), 0.0)


def _manifold(manifold3d: Any, corners: np.ndarray, origin: np.ndarray) -> Any | None:
    """The solid of welded triangles about an origin, outside out; None where they are no manifold."""
    corners = turned_alike(corners)
    vertices, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    triangles = index.reshape(-1, 3)
    moved = vertices - origin
    p, q, r = (moved[triangles[:, k]] for k in range(3))
    if (np.cross(p, q) * r).sum() < 0.0:
        triangles = triangles[:, ::-1]
    solid = manifold3d.Manifold(manifold3d.Mesh64(moved, np.ascontiguousarray(triangles, np.uint64)))
    return solid if solid.status() == manifold3d.Error.NoError else None


def sampled_volume(a: np.ndarray, b: np.ndarray) -> float:
    """The share of the common box that lies in both solids [m^3], by winding numbers of a grid of points."""
    low = np.maximum(a.min(axis=(0, 1)), b.min(axis=(0, 1)))
    size = np.minimum(a.max(axis=(0, 1)), b.max(axis=(0, 1))) - low
    if (size <= 0.0).any():
        return 0.0
    steps = (np.arange(_STEPS) + 0.5) / _STEPS
    points = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3) * size
    inside = [np.abs(_windings(turned_alike(corners) - low, points)) > 0.5 for corners in (a, b)]
    return float(np.prod(size) * np.mean(inside[0] & inside[1]))


def _windings(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Winding numbers (n,) of triangles (m, 3, 3) around points (n, 3), by solid angles, a triangle at a time."""
    total = np.zeros(len(points))
    for triangle in corners:
        p, q, r = (corner - points for corner in triangle)
        lengths = [np.linalg.norm(x, axis=1) for x in (p, q, r)]
        u, v, w = ((x * y).sum(axis=1) for x, y in ((p, q), (q, r), (r, p)))
        below = lengths[0] * lengths[1] * lengths[2] + u * lengths[2] + v * lengths[0] + w * lengths[1]
        total += np.arctan2((p * np.cross(q, r)).sum(axis=1), below)
    return total / (2 * np.pi)
