"""`python -m meshclash massive build|info|verify|collide`: clustered meshes from the command line."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .errors import InvalidFile, MeshClashError
from .massive.layout import FEWEST_TRIANGLES, MOST_TRIANGLES
from .massive.levels import MeshLevels, levels_beside
from .massive.mesh import BUILD_MEMORY, DEFAULT_CLUSTER, DEFAULT_MEMORY, ClusteredMesh
from .query.collide import collide
from .query.massive import massive_collide
from .types.results import Progress

_MEGABYTE = 1 << 20
_SHARES = (0.0004, 0.002, 0.01)
"""Of the width, for which ``info`` tells the triangles of a level."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for; returns 0, 1 when ``collide`` finds contacts, 2 for what cannot be done."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.act(options)
    except (MeshClashError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m meshclash", description=__doc__)
    massive = parser.add_subparsers(required=True, metavar="SUBJECT").add_parser(
        "massive", help="meshes that stay on disk (docs/massive.md)"
    )
    commands = massive.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, act: object, text: str, memory: int) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(act=act)
        made.add_argument("--memory", type=float, default=memory / _MEGABYTE, metavar="MB", help="default: %(default)g")
        return made

    build = command("build", _build, "write a mesh (.ply, .stl, .obj, .npz) as clusters", BUILD_MEMORY)
    build.add_argument("source", type=Path)
    build.add_argument("path", type=Path, help="file to be written")
    build.add_argument(
        "--cluster-triangles", type=int, default=DEFAULT_CLUSTER, metavar="N",
        help=f"of a cluster at most, {FEWEST_TRIANGLES} to {MOST_TRIANGLES} (default: %(default)s)",
    )  # fmt: skip
    build.add_argument("--levels", action="store_true", help="also write levels of detail, to the file PATH.levels")
    command("info", _info, "say what a file holds", DEFAULT_MEMORY).add_argument("path", type=Path)
    command("verify", _verify, "compare every page with its checksum", DEFAULT_MEMORY).add_argument("path", type=Path)
    meet = command("collide", _collide, "all contacts of two clustered meshes; exit status 1 for any", DEFAULT_MEMORY)
    for name in ("a", "b"):
        meet.add_argument(name, type=Path)
    for name in ("a", "b"):
        meet.add_argument(f"--pose-{name}", type=Path, metavar="FILE", help="text with the 4x4 matrix of a rigid pose")
    meet.add_argument("--output", type=Path, help=".npz for pairs, kinds and segments of the intersection curves")
    meet.add_argument(
        "--epsilon", type=float, metavar="M",
        help="by levels whose error is at most this [m]: says apart, closer or undecided, and which clusters",
    )  # fmt: skip
    meet.add_argument("--delta", type=float, default=0.0, metavar="M", help="with --epsilon: how near [m] (default: 0)")
    return parser


def _bytes(options: argparse.Namespace) -> int:
    return int(options.memory * _MEGABYTE)


def _tell(progress: Progress) -> None:
    if sys.stderr.isatty():
        print(f"\r{progress.fraction:6.1%} {progress.text}\x1b[K", end="", file=sys.stderr, flush=True)


def _build(options: argparse.Namespace) -> int:
    start = time.perf_counter()
    with ClusteredMesh.build(
        options.source, options.path, memory=_bytes(options), cluster_triangles=options.cluster_triangles,
        progress=_tell,
    ) as mesh:  # fmt: skip
        if options.levels:
            MeshLevels.build(mesh, progress=_tell).close()
        print(f"{_described(mesh)}\nbuilt in {time.perf_counter() - start:.1f} s")
    return 0


def _described(mesh: ClusteredMesh) -> str:
    size = mesh.path.stat().st_size
    low, high = (", ".join(f"{x:g}" for x in corner) for corner in mesh.bounds)
    lines = [
        f"{mesh.path}: {mesh.triangle_count} triangles, {mesh.vertex_count} vertices in {mesh.cluster_count} clusters, "
        f"{size / mesh.triangle_count:.1f} bytes a triangle",
        f"from ({low}) to ({high})",
    ]
    levels = levels_beside(mesh)
    if levels is not None:
        more = levels.path.stat().st_size / mesh.triangle_count
        what = f"{levels.triangle_count} triangles in {levels.node_count} nodes"
        lines.append(f"levels: {what}, {more:.1f} bytes a triangle of the mesh")
        width = float((mesh.bounds[1] - mesh.bounds[0]).max())
        for share in _SHARES:
            level = levels.level(share * width)
            lines.append(f"  within {share * width:g} m ({share:g} of the width): {level.triangle_count} triangles")
    return "\n".join(lines)


def _info(options: argparse.Namespace) -> int:
    with ClusteredMesh.open(options.path, memory=_bytes(options)) as mesh:
        print(_described(mesh))
    return 0


def _verify(options: argparse.Namespace) -> int:
    with ClusteredMesh.open(options.path, memory=_bytes(options)) as mesh:
        for progress in mesh.verify_steps():
            _tell(progress)
        print(f"{mesh.path}: all {mesh.cluster_count} pages are as they were written")
        levels = levels_beside(mesh)
        if levels is not None:
            for progress in levels.verify_steps():
                _tell(progress)
            print(f"{levels.path}: all {levels.node_count} nodes are as they were written")
    return 0


def _pose(path: Path) -> np.ndarray:
    try:
        return np.loadtxt(path)
    except ValueError as error:
        raise InvalidFile(f"{path}: this is no 4x4 matrix of numbers: {error}") from None


def _collide(options: argparse.Namespace) -> int:
    poses = [None if path is None else _pose(path) for path in (options.pose_a, options.pose_b)]
    with ClusteredMesh.open(options.a, _bytes(options)) as a, ClusteredMesh.open(options.b, _bytes(options)) as b:
        if options.epsilon is not None:
            return _collide_by_levels(a, b, poses, options)
        contacts = collide(a, b, *poses)
        print(contacts)
        if options.output is not None:
            segments = contacts.segments()
            np.savez_compressed(options.output, pairs=contacts.pairs, kinds=contacts.kinds, segments=segments)
    return 1 if len(contacts) else 0


def _collide_by_levels(
    a: ClusteredMesh, b: ClusteredMesh, poses: list[np.ndarray | None], options: argparse.Namespace
) -> int:
    found = massive_collide(a, b, *poses, delta=options.delta, epsilon=options.epsilon, memory=_bytes(options))
    print(found)
    if options.output is not None:
        runs = {"clusters_a": found.clusters_a, "clusters_b": found.clusters_b}
        np.savez_compressed(options.output, **runs, lower=found.lower, upper=found.upper)
    return 0 if found.answer == "apart" else 1


if __name__ == "__main__":
    sys.exit(main())
