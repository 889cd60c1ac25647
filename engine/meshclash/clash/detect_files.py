"""``meshclash detect FILE...``: the detection on files of meshes and points."""

from __future__ import annotations

import argparse
import contextlib
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from ..errors import MeshClashError
from ..pointcloud.read import UNITS
from ..types.steps import run_to_end
from .cell_text import format_length
from .command_line import (
    Interruption,
    ProgressLine,
    add_answer,
    add_question,
    baseline_given,
    complain,
    finish,
    guarded,
    make_parser,
    names_left_out,
    open_reports,
    options_given,
    reviewed,
    stages,
    tests_given,
)
from .errors import InputError
from .file_source import FileSource
from .frame_scene import Progress
from .job import detect_steps
from .journals import author, recorded
from .models import named
from .report import DetectReport
from .terminal import is_terminal
from .tessellation import with_tolerances
from .tests_job import tests_steps

EPILOG = """sets: all, NAME, object:NAME, model:NAME, file:NAME, discipline:NAME, collection:NAME (a storey, a node),
  and of IFC class:IfcPipe*, type:, storey:, system:, GlobalId:TEXT, property:KEY=VALUE, selector:TEXT (of
  IfcOpenShell); * and ? stand for letters, " | " joins several, " & " asks for all of several, "not " turns one round
files: STL, OBJ, PLY, OFF, GLB, glTF; 3MF and Draco in glTF (pip install 'meshclash[mesh]'), IFC ('meshclash[ifc]'),
  STEP ('meshclash[step]'),  USD ('meshclash[usd]'), points as PLY, PCD, LAS, LAZ, XYZ, PTS, CSV, TXT, ASC"""


def main(arguments: Sequence[str], engine: ModuleType) -> int:
    """Run the command.

    Args:
        arguments: the command-line arguments after ``detect``.
        engine: the meshclash module.

    Returns:
        The exit code.
    """
    versions = f"MeshClash {engine.__version__}, Python {platform.python_version()} on {platform.platform()}"
    given = _parser().parse_intermixed_args  # files may stand among options
    return guarded(lambda interruption: _run(given(arguments), interruption, engine), lambda: [versions])


def _parser() -> argparse.ArgumentParser:
    parser = make_parser(EPILOG)
    parser.prog = "meshclash detect"
    add = parser.add_argument
    add("files", nargs="*", type=Path, metavar="FILE", help="models, or folders of them, for one scene; metres, z up")
    called = "a file under a name that stays in the next revision: decisions belong to the name; may be repeated"
    add("--model", dest="models", type=named, action="append", default=[], metavar="NAME=FILE", help=called)
    for attribute in ("discipline", "revision"):
        what = f"the {attribute} of a model, for sets and reports; may be repeated"
        add(f"--{attribute}", type=named, action="append", default=[], metavar="NAME=TEXT", help=what)
    told = f"of files that do not name theirs: {', '.join(UNITS)} or metres (default: m)"
    add("--unit", type=unit, metavar="UNIT", help=told)
    add_question(parser)
    journal = "a journal of decisions, as `meshclash review` writes it: decisions are taken from it"
    add("--journal", type=Path, metavar="FILE", help=journal)
    add("--author", metavar="NAME", help="who works here, for the journal (default: the user of this machine)")
    add("--pictures", action="store_true", help="draw every clash for .html, .bcf and .xlsx")
    add("--threads", type=int, metavar="N", help="cores to use (default: all)")
    add_answer(parser)
    return parser


def unit(text: str) -> str | float:
    """Parse a unit name or a number of metres; raises ValueError for other values."""
    return text if text in UNITS else float(text)


def _run(given: argparse.Namespace, interruption: Interruption, engine: ModuleType) -> int:
    options, tests = options_given(given), tests_given(given)
    if given.threads is not None:
        _use_threads(given.threads)
    with contextlib.ExitStack() as opened:
        reports, baseline = open_reports(given, opened), baseline_given(given)
        source = _source(given, names_left_out(options, tests))
        show = _shown(given.quiet, opened)
        stage = stages(interruption, show)

        def follow(progress: Progress) -> None:
            interruption.check()
            show(progress, False)

        if tests:
            steps = tests_steps(source, tests, engine, highlights=False)
        else:
            steps = detect_steps(source, options, engine, highlights=False)
        opened.callback(steps.close)
        try:
            report = run_to_end(steps, follow)
        except MeshClashError as error:
            raise InputError(str(error)) from error
        interruption.check()
        files = [(str(item.path), item.metres, item.unit_known) for item in source.read_files]
        if not given.quiet:
            complain(*_unit_notes(source, given.unit))
        report = replace(
            report, files=files, triangles=source.triangles, rows=with_tolerances(report.rows, source.tolerances),
            models=[
                {**model.as_dict(), "tessellation": item.tessellation or None}
                for model, item in zip(source.models, source.read_files, strict=True)
            ],
            shared=[item.as_dict() for item in source.shared], warnings=source.warnings(),
        )  # fmt: skip
        with stage("Comparing with earlier decisions"):
            report = report.compared_with(baseline, source.former)
            of_baseline = report.all_reviews
            report = reviewed(given, report, source.former)
        if given.journal is not None:
            report = recorded(report, given.journal, given.author or author(), source.identities, of_baseline)
        if given.pictures:
            with stage("Drawing pictures"):
                report = replace(report, pictures=_pictures(report, source))
        return finish(given, report, reports, stage)


def _source(given: argparse.Namespace, named: set[str]) -> FileSource:
    """Return the source of the files; raises InputError if a file does not exist."""
    if not given.files and not given.models:
        raise InputError("the following arguments are required: FILE (--help shows all options)")
    return FileSource(given.files, given.unit, named, given.models, given.discipline, given.revision)


def _pictures(report: DetectReport, source: FileSource) -> dict[str, bytes]:
    """Return a picture of each clash, worst first."""
    from .files.pictures import MOST_PICTURES, pictures  # noqa: PLC0415 - Numba, whose kernels are told of before

    clashes = replace(report, rows=report.clashes).as_dict()["pairs"]
    return pictures(clashes, source.triangles, report.tested, MOST_PICTURES)


def _use_threads(count: int) -> None:
    """Limit the number of Numba's threads; raises InputError."""
    import numba  # noqa: PLC0415 - it takes a second, and a wrong option is told before

    most = int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
    if not 1 <= count <= most:
        raise InputError(f"--threads must be from 1 to {most} on this computer, not {count}")
    numba.set_num_threads(count)


def _unit_notes(source: FileSource, unit: str | float | None) -> list[str]:
    """Return notes on files without a unit: which unit was assumed, and the resulting size."""
    return [
        f"{item.path.name} names no unit: {unit or 'm'} taken, so it is {format_length(item.size)} large"
        + ("" if unit else " (--unit mm)")
        for item in source.read_files
        if not item.unit_known
    ]


def _shown(quiet: bool, opened: contextlib.ExitStack) -> Callable[[Progress, bool], None]:
    """Return the progress display: rich's progress bar on a terminal if rich is installed, otherwise text; no display
    if quiet.
    """
    if quiet:
        return lambda progress, begins: None
    if not is_terminal(sys.stderr):
        return ProgressLine().show
    try:
        from rich.console import Console  # noqa: PLC0415 - an extra
        from rich.markup import escape  # noqa: PLC0415
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn  # noqa: PLC0415
        from rich.progress import Progress as Bar  # noqa: PLC0415
    except ImportError:
        return ProgressLine().show
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
    bar = opened.enter_context(Bar(*columns, console=Console(stderr=True), transient=True))
    task = bar.add_task("", total=1.0)
    return lambda progress, _: bar.update(task, completed=progress.fraction, description=escape(progress.text[:60]))
