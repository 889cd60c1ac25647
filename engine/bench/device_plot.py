"""Time and memory of a device against size, as a picture."""

from __future__ import annotations

from pathlib import Path

from .table import Row

TIMES = {"build ms": "build", "CPU build ms": "our own builder", "levels ms": "all pairs by levels"}
MORE_TIMES = {"queue ms": "all pairs by the queue", "CPU ms": "all pairs, 8-wide engine"}
MEMORY = {"tree B/triangle": "tree", "levels B/triangle": "arrays of the levels", "queue B/triangle": "the queue"}


def draw(rows: list[Row], who: str, path: Path) -> None:
    """Draw rows of ``device_times.times`` to a file; ``who`` is measured."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), dpi=110)
    sizes = [row["triangles"] for row in rows]
    for axes, columns, title in (
        (left, {**TIMES, **MORE_TIMES}, f"{who}: milliseconds"),
        (right, MEMORY, "device memory: bytes a triangle of one object"),
    ):
        for column, label in columns.items():
            if column in rows[0]:
                axes.plot(sizes, [row[column] for row in rows], "o-", label=label)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("triangles")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid(True, which="major", alpha=0.3)
        axes.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
