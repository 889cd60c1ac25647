"""Plots of the bench ``rigid``: time against size for every side, and against distance for one mesh."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .rigid_questions import Record

COLOURS = {"ours": "#d62728", "mathutils": "#e8a33d", "python-fcl": "#4c78a8", "coal": "#72b7b2", "Embree": "#54a24b"}
COLOURS["Bullet"] = "#9d755d"
FIGURES = {
    "all pairs, deep": "all contacts in one deep pose, prepared",
    "all pairs, sweep": "all contacts, a new pose each time",
    "first contact, sweep": "first contact, a new pose each time",
}


def plots(records: Sequence[Record], distances: Sequence[Record], builder: str, folder: Path) -> list[Path]:
    """All pictures that the records give; returns their files."""
    return [
        *_plot_sizes(records, builder, folder),
        *([_plot_distances(distances, builder, folder)] if distances else []),
    ]


def _plot_sizes(records: Sequence[Record], builder: str, folder: Path) -> list[Path]:
    """Time of a query against triangles: a picture a question, every kind of mesh in it; returns the files."""
    figures = []
    for question, title in FIGURES.items():
        asked = [record for record in records if record.question == question]
        if len({record.triangles for record in asked}) > 1:
            figures.append(_plot_size(question, title, asked, builder, folder))
    return figures


def _plot_size(question: str, title: str, records: Sequence[Record], builder: str, folder: Path) -> Path:
    figure, axes = _axes(f"{title} (median processor time, one core)", "triangles of each object")
    for side in _sides(records, builder):
        points = sorted(
            (record.triangles, 1e3 * record.sides[side].seconds / record.queries)
            for record in records
            if side in record.sides
        )
        name = "ours" if side == builder else side
        axes.scatter(
            *zip(*points, strict=True), s=18, color=COLOURS[name], label=name, zorder=3 if name == "ours" else 2
        )
    axes.set_xscale("log")
    return _saved(figure, axes, folder / f"bench-{question.replace(', ', '-').replace(' ', '-')}.png")


def _plot_distances(records: Sequence[Record], builder: str, folder: Path) -> Path:
    """Time of a pose of the sweep against the distance of the middles, all contacts."""
    mesh = f"{records[0].mesh}, {records[0].triangles:,} triangles"
    figure, axes = _axes(f"all contacts, a new pose each time: {mesh}", "distance of the box centres / diagonal")
    for side in _sides(records, builder):
        name = "ours" if side == builder else side
        times = [1e3 * record.sides[side].seconds / record.queries for record in records]
        axes.plot(
            [float(record.question.split()[-1]) for record in records], times, "o-", color=COLOURS[name], label=name
        )
    return _saved(figure, axes, folder / f"bench-distance-{records[0].mesh.replace(' ', '-')}.png")


def _sides(records: Sequence[Record], builder: str) -> list[str]:
    return [name for name in [builder, *COLOURS] if any(name in record.sides for record in records)]


def _axes(title: str, label: str) -> tuple[Any, Any]:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), dpi=110)
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(label)
    axes.set_ylabel("milliseconds")
    axes.set_yscale("log")
    axes.grid(True, which="major", alpha=0.3)
    return figure, axes


def _saved(figure: Any, axes: Any, path: Path) -> Path:
    axes.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    figure.clear()
    return path
