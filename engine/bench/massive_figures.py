"""Both modes of ``massive_collide`` along a path, drawn as the paper measures: time, front, epsilon, memory.

The second model falls on the first one, and bounces off, as Lucy on the turbine blade in Yoon, Salomon, Lin, Manocha
(2004), whose numbers stand beside ours: a Pentium IV of 2.4 GHz with a GPU, other models, 28M against 1.7M triangles.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.massive.level_layout import KIND as LEVELS
from meshclash.massive.levels import MeshLevels
from meshclash.massive.mesh import ClusteredMesh
from meshclash.massive.progressive_layout import KIND as PROGRESSIVE
from meshclash.massive.progressive_meshes import ProgressiveMeshes
from meshclash.query.collide import collide
from meshclash.query.massive import MODES, forget, massive_collide

from .table import Row

EPSILONS = (0.0, 0.0004, 0.002, 0.01, 0.05)
"""Of the width of the first model."""
PAPER_EPSILON = 0.0004
_PAPER = {"ms a frame": 18.0, "MB of queries": 250.0, "bytes a vertex": 122.0, "bytes a vertex, OBBTree": 560.0}
_COLOURS = {"dag": "#4c78a8", "pm": "#d62728", "collide": "#54a24b", "paper": "#555555"}
_MEGABYTE = 1 << 20
_HIGH, _LOW = 1.05, 0.5
"""How far the second model's middle is from the first one's, in boxes, in the first frame and the deepest one."""


def falling(bounds: np.ndarray, frames: int) -> np.ndarray:
    """Poses (frames, 4, 4) of an object that falls to a box (2, 3) along x, turning a little, and bounces off."""
    poses = np.tile(np.eye(4), (frames, 1, 1))
    for pose, t in zip(poses, np.linspace(-1.0, 1.0, frames), strict=True):
        c, s = np.cos(0.2 * t), np.sin(0.2 * t)
        pose[:3, :3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        pose[:3, 3] = (_LOW + (_HIGH - _LOW) * t * t, 0.05 * t, 0.02) * (bounds[1] - bounds[0])
    return poses


def measured(paths: list[Path], frames: int, memory: int) -> dict[str, Any]:
    """Build what both modes need beside two files, and ask along the path by every epsilon."""
    with ClusteredMesh.open(paths[0], memory) as a, ClusteredMesh.open(paths[1], memory) as b:
        seconds, sizes = {}, {}
        for mode, kind in (("dag", MeshLevels), ("pm", ProgressiveMeshes)):
            start = time.process_time()
            kind.build(b).close()
            with kind.build(a) as built:
                seconds[mode] = time.process_time() - start
                sizes[mode] = (built.path.stat().st_size + paths[0].stat().st_size) / a.vertex_count
        poses, width = falling(a.bounds, frames), float((a.bounds[1] - a.bounds[0]).max())
        for _ in range(2):  # the second time pages are in memory, as far as it holds them
            exact = [_asked(collide, a, b, pose) for pose in poses]
        found: dict[str, Any] = {"triangles": a.triangle_count + b.triangle_count, "bytes a vertex": sizes}
        found["build, million a second"] = {mode: 1e-6 * found["triangles"] / seconds[mode] for mode in seconds}
        found["collide"] = {"ms": [1e3 * took for took, _ in exact]}
        for mode in MODES:
            found[f"{mode}, another epsilon"] = _with_another(a, b, poses, width, mode, memory)
            for share in EPSILONS:
                found[f"{mode} {share}"] = _along(a, b, poses, share * width, mode, memory, exact)
    return found


def _along(a: Any, b: Any, poses: np.ndarray, epsilon: float, mode: str, memory: int, exact: list) -> dict[str, Any]:
    """A mode along the path, for the second time: pages are in memory, and what the frame before left."""
    options = {"epsilon": epsilon, "mode": mode, "memory": memory}
    forget(a, b)
    first = [_asked(massive_collide, a, b, pose, **options)[0] for pose in poses]
    forget(a, b)
    asked = [_asked(massive_collide, a, b, pose, **options) for pose in poses]
    deepest = len(poses) // 2
    resolved = asked[deepest][1].resolve().pairs.tobytes()
    wrong = sum(len(one) > 0 and answer.answer == "apart" for (_, one), (_, answer) in zip(exact, asked, strict=True))
    beside = [thing.beside[(LEVELS if mode == "dag" else PROGRESSIVE).ending] for thing in (a, b)]
    return {
        "ms": [1e3 * took for took, _ in asked], "first, ms": [1e3 * took for took in first],
        "rows": [len(answer) for _, answer in asked],
        "distances": [answer.stats.primitive_tests for _, answer in asked],
        "boxes": [answer.stats.volume_tests for _, answer in asked],
        "MB": sum(thing.nbytes for thing in (a, b, *beside)) / _MEGABYTE,
        "frames that differ": int(wrong) + int(resolved != exact[deepest][1].pairs.tobytes()),
    }  # fmt: skip


def _with_another(a: Any, b: Any, poses: np.ndarray, width: float, mode: str, memory: int) -> float:
    """Milliseconds a frame along the path, for the second time, where each frame asks for another epsilon."""
    shares = np.random.default_rng(1).permutation(np.geomspace(0.001, 0.02, len(poses)))
    times = [0.0, 0.0]
    for turn in range(2):
        for pose, share in zip(poses, shares.tolist(), strict=True):
            times[turn] += _asked(massive_collide, a, b, pose, epsilon=share * width, mode=mode, memory=memory)[0]
    return 1e3 * times[1] / len(poses)


def _asked(query: Any, a: Any, b: Any, pose: np.ndarray, **options: Any) -> tuple[float, Any]:
    start = time.process_time()
    answer = query(a, b, None, pose, **options)
    return time.process_time() - start, answer


def rows_of(name: str, found: dict[str, Any]) -> list[Row]:
    """A line of the table for each mode and epsilon."""
    rows: list[Row] = []
    for mode in MODES:
        for share in EPSILONS:
            along = found[f"{mode} {share}"]
            rows.append({
                "model": name, "mode": mode, "epsilon, %": 100 * share, "mean, ms": float(np.mean(along["ms"])),
                "most, ms": max(along["ms"]), "another epsilon, ms": found[f"{mode}, another epsilon"],
                "at first, ms": float(np.mean(along["first, ms"])),
                "collide, ms": float(np.mean(found["collide"]["ms"])), "rows": float(np.mean(along["rows"])),
                "distances": float(np.mean(along["distances"])), "MB": along["MB"],
                "bytes a vertex": found["bytes a vertex"][mode],
                "build, M/s": found["build, million a second"][mode],
                "frames that differ": along["frames that differ"],
            })  # fmt: skip
    return rows


def draw(name: str, found: dict[str, Any], folder: Path) -> list[Path]:
    """The four pictures of a model; returns their files."""
    folder.mkdir(parents=True, exist_ok=True)
    title = f"{name}, {found['triangles']:,} triangles"
    stem = name.replace(" ", "-")
    return [
        _drawn(_draw_times, found, f"time of a query along the path, epsilon 0.04 % of the width: {title}",
               folder / f"massive-time-{stem}.png"),
        _drawn(_draw_fronts, found, f"pairs of nodes along the path: {title}", folder / f"massive-front-{stem}.png"),
        _drawn(_draw_epsilons, found, f"time against epsilon: {title}", folder / f"massive-epsilon-{stem}.png"),
        _drawn(_draw_memory, found, f"bytes of files: {title}", folder / f"massive-memory-{stem}.png"),
    ]  # fmt: skip


def _drawn(fill: Any, found: dict[str, Any], title: str, path: Path) -> Path:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2), dpi=110)
    axes.set_title(title, fontsize=9)
    axes.grid(True, which="major", alpha=0.3)
    fill(axes, found)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)
    return path


def _draw_times(axes: Any, found: dict[str, Any]) -> None:
    for mode in MODES:
        axes.plot(found[f"{mode} {PAPER_EPSILON}"]["ms"], color=_COLOURS[mode], label=mode)
    axes.plot(found["collide"]["ms"], color=_COLOURS["collide"], label="collide, exact")
    axes.axhline(_PAPER["ms a frame"], color=_COLOURS["paper"], linestyle="--", label="paper's mean")
    axes.set_xlabel("frame")
    axes.set_ylabel("milliseconds")
    axes.set_yscale("log")


def _draw_fronts(axes: Any, found: dict[str, Any]) -> None:
    for mode in MODES:
        along = found[f"{mode} {PAPER_EPSILON}"]
        axes.plot(along["rows"], color=_COLOURS[mode], label=f"{mode}: rows")
        axes.plot(along["distances"], ":", color=_COLOURS[mode], label=f"{mode}: distances measured")
    axes.plot(found[f"pm {PAPER_EPSILON}"]["boxes"], "--", color=_COLOURS["pm"], label="pm: boxes tested")
    axes.set_xlabel("frame")
    axes.set_ylabel("pairs")


def _draw_epsilons(axes: Any, found: dict[str, Any]) -> None:
    shares = [100 * share for share in EPSILONS]
    for mode in MODES:
        for name, style, more in (("ms", "o-", ""), ("first, ms", "o:", ", at first")):
            times = [float(np.mean(found[f"{mode} {share}"][name])) for share in EPSILONS]
            axes.plot(shares, times, style, color=_COLOURS[mode], label=mode + more)
    axes.axhline(float(np.mean(found["collide"]["ms"])), color=_COLOURS["collide"], label="collide, exact")
    axes.set_xscale("symlog", linthresh=0.04)
    axes.set_xlim(left=0.0)
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("epsilon, % of the width")
    axes.set_ylabel("milliseconds a frame")


def _draw_memory(axes: Any, found: dict[str, Any]) -> None:
    sizes = {**found["bytes a vertex"], "paper": _PAPER["bytes a vertex"]}
    sizes["paper's OBBTree"] = _PAPER["bytes a vertex, OBBTree"]
    colours = [_COLOURS.get(name, _COLOURS["paper"]) for name in sizes]
    axes.bar(list(sizes), list(sizes.values()), color=colours)
    axes.set_ylabel("bytes a vertex, with the mesh")
