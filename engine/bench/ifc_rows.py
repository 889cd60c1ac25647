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

from meshclash import PairVerdict, Scene
from oracles.common_volume import common_volume, sampled_volume

from .ifc import Element, read_elements
from .table import Row, format_table, write_json

_WITH_VOLUME = ("CLASH", "CONTAINED", "DUPLICATE")
_CUBIC_MM = 1e9  # in a cubic metre
_THIN = 1e-9  # m
_ASKED_AGAIN = 1000.0


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


def _judged(manifold3d: Any, number: int, found: PairVerdict, pair: tuple[Element, Element], least: float) -> Row:
    """A row of the list with its common volume [mm^3], and whether that is too little; lengths in metres."""
    volume = common_volume(manifold3d, pair[0].corners, pair[1].corners)
    common = None if volume is None else volume * _CUBIC_MM
    sampled, judgement = None, ""
    if common is not None and common < _ASKED_AGAIN * least:
        sampled = sampled_volume(pair[0].corners, pair[1].corners) * _CUBIC_MM
        thin = found.depth_upper is not None and found.depth_upper <= _THIN
        judgement = "" if common >= least else "thin" if thin else "WRONG"
    return {
        "row": number, "a": pair[0].label, "b": pair[1].label, "verdict": found.name, "depth": found.depth,
        "lower": found.depth_lower, "upper": found.depth_upper, "common": common, "sampled": sampled,
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
