"""`meshclash detect FILE...`: clashes in files of meshes; `meshclash report diff OLD NEW`: two reports; `meshclash
tests convert IN OUT`: named tests, matrices and clash sets of IfcClash; `meshclash review list|show|set REPORT`:
decisions; `meshclash massive build|info|verify|collide`: clustered meshes."""

import argparse
import importlib
import io
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from .clash.detect_files import main as detect
from .clash.report_command import main as report
from .clash.review_command import main as review
from .clash.tests_command import main as tests
from .early_exit import raise_at_ctrl_c
from .errors import InvalidFile, MeshClashError
from .files.source import real
from .lab.progressive.collide import progressive_collide
from .lab.progressive.meshes import ProgressiveMeshes, progressive_beside
from .massive.layout import FEWEST_TRIANGLES, MOST_TRIANGLES
from .massive.levels import MeshLevels, levels_beside
from .massive.mesh import BUILD_MEMORY, DEFAULT_CLUSTER, DEFAULT_MEMORY, ClusteredMesh
from .output import OutputFile
from .query.collide import collide
from .query.massive_collide import massive_collide
from .traversal.contacts import Contacts
from .types.results import Progress
from .types.steps import run, steps

_MEGABYTE = 1 << 20
_LONGEST_POSE = 1 << 16
"""Maximum size of the text of a pose [bytes]."""
_SHARES = (0.0004, 0.002, 0.01)
"""Fractions of the width for which ``info`` prints the number of triangles of a level."""
_COLLIDE = "all contacts of two clustered meshes; exit status 1 for any"

Find = Callable[[ClusteredMesh, ClusteredMesh, list[np.ndarray | None], argparse.Namespace], Contacts]
"""Function that finds the contacts of two files in two poses, with the options of a command."""
_MODES = {"dag": massive_collide, "pm": progressive_collide}


def main(arguments: Sequence[str], parser: argparse.ArgumentParser | None = None) -> int:
    """Run the command line; another program may pass a parser that sets ``act`` in the same way.

    Returns:
        0; 1 if ``collide`` finds contacts; 2 if a request is invalid; 3 after an internal error; 130 after Ctrl+C.
        Streams that are closed, broken or full do not change the code.
    """
    given = list(arguments)
    if parser is None and given[:1] == ["detect"]:
        return detect(given[1:], importlib.import_module(__package__))
    if parser is None and given[:1] == ["report"]:
        return report(given[1:])
    if parser is None and given[:1] == ["tests"]:
        return tests(given[1:])
    if parser is None and given[:1] == ["review"]:
        return review(given[1:])
    options = (parser or _parser()).parse_args(given)
    try:
        raise_at_ctrl_c()
        status: int = options.act(options)
    except (MeshClashError, OSError) as error:
        _say(sys.stderr, f"error: {error}")
        return 2
    except KeyboardInterrupt:
        _say(sys.stderr, "cancelled")
        return 130
    except Exception:  # must not exit with Python's code 1, which means contacts
        _say(sys.stderr, f"internal error; please send us this message\n{traceback.format_exc()}")
        return 3
    return status


def _say(stream: TextIO | None, text: str, end: str = "\n") -> None:
    """Write text, with escapes for characters outside the encoding; ignore streams that cannot be written."""
    if stream is None:
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write((text + end).encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except ValueError:  # closed by other code in this process
        return
    except OSError:
        with suppress(OSError, ValueError):  # so that the stream's buffer causes no error at exit
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="meshclash", description=__doc__)
    parser.add_argument(
        "--version", action="version", version=f"meshclash {importlib.import_module(__package__).__version__}"
    )
    subjects = parser.add_subparsers(required=True, metavar="SUBJECT")
    subjects.add_parser("detect", help="clashes in files of meshes (docs/headless.md)")
    subjects.add_parser("report", help="compare two reports")
    subjects.add_parser("review", help="list, show and set decisions about clashes (docs/tasks/coordination.md)")
    subjects.add_parser("tests", help="convert named tests and clash sets of IfcClash (docs/headless.md)")
    massive = subjects.add_parser("massive", help="meshes that stay on disk (docs/massive.md)")
    commands = massive.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, act: object, text: str, memory: int) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(act=act)
        _add_memory(made, memory)
        return made

    build = command("build", _build, "write a mesh (.ply, .stl, .obj, .npz) as clusters", BUILD_MEMORY)
    build.add_argument("source", type=Path)
    build.add_argument("path", type=Path, help="file to be written")
    build.add_argument(
        "--cluster-triangles", type=int, default=DEFAULT_CLUSTER, metavar="N",
        help=f"of a cluster at most, {FEWEST_TRIANGLES} to {MOST_TRIANGLES} (default: %(default)s)",
    )  # fmt: skip
    build.add_argument("--levels", action="store_true", help="also write levels of detail, to the file PATH.levels")
    build.add_argument(
        "--progressive", action="store_true", help="also write progressive meshes, to the file PATH.progressive"
    )
    build.add_argument(
        "--weld", type=float, default=0.0, metavar="M",
        help="with either: corners no farther apart [m] are taken as one; their bounds include it (default: 0)",
    )  # fmt: skip
    command("info", _info, "say what a file holds", DEFAULT_MEMORY).add_argument("path", type=Path)
    command("verify", _verify, "compare every page with its checksum", DEFAULT_MEMORY).add_argument("path", type=Path)
    meet = commands.add_parser("collide", help=_COLLIDE, description=_COLLIDE)
    add_collide_arguments(meet, lambda a, b, poses, options: collide(a, b, *poses))
    meet.add_argument(
        "--epsilon", type=float, metavar="M",
        help="by levels whose error is at most this [m]: says apart, closer or undecided, and which clusters",
    )  # fmt: skip
    meet.add_argument(
        "--mode", choices=_MODES, default="dag", help="with --epsilon: by levels (dag) or by progressive meshes (pm)"
    )
    meet.add_argument("--delta", type=float, default=0.0, metavar="M", help="with --epsilon: how near [m] (default: 0)")
    return parser


def _add_memory(parser: argparse.ArgumentParser, memory: int) -> None:
    parser.add_argument("--memory", type=float, default=memory / _MEGABYTE, metavar="MB", help="default: %(default)g")


def add_collide_arguments(parser: argparse.ArgumentParser, find: Find) -> None:
    """Add the arguments of a command that finds all contacts of two files with ``find``, without levels of detail."""
    parser.set_defaults(act=_collide, find=find, epsilon=None)
    _add_memory(parser, DEFAULT_MEMORY)
    for name in ("a", "b"):
        parser.add_argument(name, type=Path)
    for name in ("a", "b"):
        parser.add_argument(
            f"--pose-{name}", type=Path, metavar="FILE", help="text with the 4x4 matrix of a rigid pose"
        )
    parser.add_argument("--output", type=Path, help=".npz for pairs, kinds and segments of the intersection curves")


def _bytes(options: argparse.Namespace) -> Any:
    return options.memory * _MEGABYTE


def tell(progress: Progress) -> None:
    """Show progress on a terminal."""
    if sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty():
        _say(sys.stderr, f"\r{progress.fraction:6.1%} {progress.text}\x1b[K", end="")


def _build(options: argparse.Namespace) -> int:
    start = time.perf_counter()
    sizes = {"memory": _bytes(options), "cluster_triangles": options.cluster_triangles}
    with run(steps(ClusteredMesh.build, options.source, options.path, **sizes), tell) as mesh:
        if options.levels:
            run(steps(MeshLevels.build, mesh, weld=options.weld), tell).close()
        if options.progressive:
            run(steps(ProgressiveMeshes.build, mesh, weld=options.weld), tell).close()
        _say(sys.stdout, f"{_described(mesh)}\nbuilt in {time.perf_counter() - start:.1f} s")
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
        lines.append(f"levels: {levels.note or f'{what}, {more:.1f} bytes a triangle of the mesh'}")
        width = float((mesh.bounds[1] - mesh.bounds[0]).max())
        for share in _SHARES if levels.node_count else ():
            level = levels.level(share * width)
            lines.append(f"  within {share * width:g} m ({share:g} of the width): {level.triangle_count} triangles")
    progressive = progressive_beside(mesh)
    if progressive is not None:
        more = progressive.path.stat().st_size / mesh.triangle_count
        what = f"{progressive.triangle_count} triangles in {progressive.node_count} nodes"
        lines.append(f"progressive meshes: {progressive.note or f'{what}, {more:.1f} bytes a triangle of the mesh'}")
    return "\n".join(lines)


def _info(options: argparse.Namespace) -> int:
    with ClusteredMesh.open(options.path, memory=_bytes(options)) as mesh:
        _say(sys.stdout, _described(mesh))
    return 0


def _verify(options: argparse.Namespace) -> int:
    with ClusteredMesh.open(options.path, memory=_bytes(options)) as mesh:
        for progress in steps(mesh.verify):
            tell(progress)
        _say(sys.stdout, f"{mesh.path}: all {mesh.cluster_count} pages are as they were written")
        for beside in (levels_beside(mesh), progressive_beside(mesh)):
            if beside is not None:
                for progress in steps(beside.verify):
                    tell(progress)
                _say(sys.stdout, f"{beside.path}: all {beside.node_count} nodes are as they were written")
    return 0


def _pose(path: Path) -> np.ndarray:
    """Read a matrix from text. NumPy's loader would also unpack archives, which may need any amount of memory."""
    with path.open("rb") as stream:
        rows = [line.partition(b"#")[0].split() for line in stream.read(_LONGEST_POSE).splitlines()]
    try:
        return np.array([[real(word) for word in row] for row in rows if row])
    except ValueError as error:
        raise InvalidFile(f"{path}: the file does not contain a 4x4 matrix of numbers: {error}") from None


def _collide(options: argparse.Namespace) -> int:
    poses = [None if path is None else _pose(path) for path in (options.pose_a, options.pose_b)]
    with ExitStack() as opened:
        a, b = (opened.enter_context(ClusteredMesh.open(path, _bytes(options))) for path in (options.a, options.b))
        output = None
        if options.output is not None:
            sources = [path for path in (options.a, options.b, options.pose_a, options.pose_b) if path is not None]
            output = opened.enter_context(OutputFile(options.output, "output", (".npz",), sources))
        if options.epsilon is not None:
            return _collide_by_levels(a, b, poses, options, output)
        contacts = options.find(a, b, poses, options)
        _say(sys.stdout, str(contacts))
        segments = contacts.segments() if output is not None else None
        _write(output, pairs=contacts.pairs, kinds=contacts.kinds, segments=segments)
    return 1 if len(contacts) else 0


def _write(output: OutputFile | None, **arrays: Any) -> None:
    if output is not None:
        filled = io.BytesIO()  # on a full disk, an archive reports the error twice and does not name the file
        np.savez_compressed(filled, **arrays)
        output.commit(filled.getvalue())


def _collide_by_levels(
    a: ClusteredMesh,
    b: ClusteredMesh,
    poses: list[np.ndarray | None],
    options: argparse.Namespace,
    output: OutputFile | None,
) -> int:
    lengths = {"delta": options.delta, "epsilon": options.epsilon}
    found = _MODES[options.mode](a, b, *poses, **lengths, memory=_bytes(options))
    _say(sys.stdout, str(found))
    runs = {"clusters_a": found.clusters_a, "clusters_b": found.clusters_b}
    _write(output, **runs, lower=found.lower, upper=found.upper)
    return 0 if found.answer == "apart" else 1
