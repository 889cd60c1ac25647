"""The command line of the detection, for `blender --command meshclash` and `blender_scripts/detect.py`.

Exit codes: 0 done, 1 clashes found and `--fail-on clash`, 2 the input or an option is wrong, 3 internal error,
130 cancelled. Messages go to stderr; after an error no report is written. Streams that are closed, broken or full
change neither the code nor the report.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import bpy
from meshclash.detection import report_formats
from meshclash.detection.errors import DetectError, InputError
from meshclash.detection.frame_scene import Progress
from meshclash.detection.job import detect_steps, run_to_end, workers_steps
from meshclash.detection.options import DEFAULT_TEST, RESOLUTION, TEST_OPTIONS, DetectOptions, parse_frames
from meshclash.detection.queries.registry import TESTS, test_named
from meshclash.detection.report import WRITERS, DetectReport, Review
from meshclash.detection.rules import Rules, parse_pair
from meshclash.detection.tasks import ThisProcess, Workers, options_of, options_text
from meshclash.detection.terminal import is_terminal, open_standard_streams, printable, say

from . import engine, preferences, props
from .adapters import massive_objects
from .adapters.names import as_renamed, make_names_readable
from .adapters.objects import require_objects
from .adapters.picture import render_picture
from .adapters.simulations import refuse_unbaked
from .adapters.source import BlenderSource

COMMAND = "meshclash"
DONE, CLASHES_FOUND, WRONG_INPUT, INTERNAL_ERROR, CANCELLED = 0, 1, 2, 3, 130
EXCLUSIONS = ("same-parent", "same-armature", "same-collection")
TABLE_ROWS = 60  # longer tables go to the report only

MakeWorkers = Callable[[int, "str | None", str], Workers]
"""Makes so many workers, or those of a Dask scheduler, for a question."""

EPILOG = """sets: all, selection, NAME, object:NAME, collection:NAME
exit code: 0 done, 1 clashes found and --fail-on clash, 2 wrong input or option, 3 internal error, 130 cancelled"""


def register_command() -> Any:
    """Makes `blender --command meshclash` known; returns the handle for `unregister_command`."""
    return bpy.utils.register_cli_command(COMMAND, main)


def unregister_command(handle: Any) -> None:
    """Takes the command away again."""
    bpy.utils.unregister_cli_command(handle)


def main(arguments: list[str], make_workers: MakeWorkers | None = None) -> int:
    """Runs the detection on a .blend file, or on the open one.

    Args:
        arguments: what stands on the command line after the program.
        make_workers: makes workers for `--workers` and `--scheduler`; None where no processes can be started.

    Returns:
        The exit code.
    """
    open_standard_streams()
    try:
        with _signals_as_errors() as interruption:
            return _run(_parser().parse_args(arguments), interruption, make_workers)
    except DetectError as error:
        _complain(str(error))
        return WRONG_INPUT
    except KeyboardInterrupt:
        _complain("cancelled")
        return CANCELLED
    except engine.EngineMissing as error:
        _complain(str(error), *engine.diagnose())
        return INTERNAL_ERROR
    except SystemExit as leaving:  # argparse has shown its help
        return int(leaving.code or 0)
    except Exception:  # the last resort: whatever it is, the exit code and the message must be right
        _complain("internal error; please send us this message and, if you can, the file")
        say(sys.stderr, *traceback.format_exc().splitlines())
        _complain(f"Blender {bpy.app.version_string}", *engine.diagnose())
        return INTERNAL_ERROR


class _Parser(argparse.ArgumentParser):
    """Reports wrong options like any other wrong input."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (--help shows all options)")

    def _print_message(self, message: str, file: Any = None) -> None:
        say(file, *message.splitlines())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=COMMAND,
        description="Finds all pairs of objects that touch, clash, contain or duplicate each other, or come too near.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("file", nargs="?", type=Path, metavar="FILE.blend", help="the scene; default: the file that is open in Blender")
    add("--set-a", default="all", metavar="SET", help="first set of objects (default: all)")
    add("--set-b", default="all", metavar="SET", help="second set of objects (default: all)")
    add("--test", default=DEFAULT_TEST, choices=tuple(TESTS), help=f"what to find (default: {DEFAULT_TEST})")
    permitted = "depth up to which a clash counts as touching (default: what the coordinates cannot tell, up to 0.1 mm)"
    add("--permitted-overlap", type=_overlap, metavar="METRES|resolution", help=permitted)
    add("--tolerance", type=float, metavar="METRES", help=_tolerance_help())
    add("--touch-tolerance", type=float, metavar="METRES", help="gap up to which two objects touch")
    add("--budget", type=float, metavar="SECONDS", help="seconds that an answer may take, for tests with a budget")
    add("--frames", metavar="START:END[:STEP]", help="frames to test, with events (default: the current one)")
    processes = "processes that share the frames of --frames (default: this one); the answer is the same"
    add("--workers", type=int, default=1, metavar="N", help=processes)
    scheduler = "Dask workers share the frames of --frames: those of a scheduler, or --workers of this machine"
    add("--scheduler", metavar="ADDRESS|local", help=scheduler)
    add("--exclude", default="", metavar="RULE,RULE", help=f"pairs to leave out: {', '.join(EXCLUSIONS)}")
    add("--exclude-pair", action="append", default=[], metavar="A::B", help="leave out one pair; may be repeated")
    add("--point-budget", type=int, default=0, metavar="POINTS", help="most points of a scan to use (default: all)")
    add("--overlap-volume", action="store_true", default=None, help="measure the common volume of clashing solids")
    least = "leave out pairs that certainly have less volume in common; includes --overlap-volume"
    add("--min-volume", type=float, metavar="CUBIC_METRES", default=0.0, help=least)
    add("--report", type=Path, metavar="FILE", help="write a report: .json, .csv or .html")
    add("--picture", type=Path, metavar="FILE.png", help="render a picture of the faces in contact")
    add("--fail-on", choices=("clash",), help="exit with 1 when there is a clash, a contained object or a duplicate")
    add("--quiet", action="store_true", help="print errors only")
    return parser


def _options(given: argparse.Namespace) -> DetectOptions:
    """The options of the job.

    Raises:
        InputError: an option is wrong or two contradict each other.
    """
    exclusions = {name.strip() for name in given.exclude.split(",") if name.strip()}
    unknown = exclusions - set(EXCLUSIONS)
    if unknown:
        raise InputError(f"--exclude knows {', '.join(EXCLUSIONS)}, not {', '.join(sorted(unknown))}")
    return DetectOptions(
        set_a=as_renamed(given.set_a),
        set_b=as_renamed(given.set_b),
        test=given.test,
        **_limits(given),
        frames=None if given.frames is None else parse_frames(given.frames),
        rules=Rules(
            same_parent="same-parent" in exclusions,
            same_armature="same-armature" in exclusions,
            same_collection="same-collection" in exclusions,
            listed_pairs=frozenset(parse_pair(as_renamed(text)) for text in given.exclude_pair),
        ),
        point_budget=given.point_budget,
        min_volume=given.min_volume,
    )


def _overlap(text: str) -> float | str:
    """A permitted overlap: "resolution" or metres; ValueError for what is neither."""
    return text if text == RESOLUTION else float(text)


def _limits(given: argparse.Namespace) -> dict[str, Any]:
    """The options that only some tests take, as far as they are given.

    Raises:
        InputError: `--tolerance` and the option for which it stands contradict each other, or it stands for none.
    """
    named = {name: getattr(given, name) for name in TEST_OPTIONS if name != "tolerance"}
    if given.tolerance is not None:
        meant = test_named(given.test).tolerance_means
        if not meant:
            raise InputError(f"the {given.test} test takes no tolerance")
        if named.get(meant) not in (None, given.tolerance):
            raise InputError(f"--tolerance and --{meant.replace('_', '-')} mean the same here; give one of them")
        named[meant] = given.tolerance
    if given.min_volume:
        named["overlap_volume"] = True
    return {name: value for name, value in named.items() if value is not None}


def _tolerance_help() -> str:
    meanings: dict[str, list[str]] = {}
    for test in TESTS.values():
        meanings.setdefault(test.tolerance_means, []).append(test.name)
    same = (
        f"the same as --{meant.replace('_', '-')} ({', '.join(names)})"
        for meant, names in meanings.items()
        if meant not in ("", "tolerance")
    )
    return "; ".join([f"distance that is too near ({', '.join(meanings['tolerance'])})", *same])


def _run(given: argparse.Namespace, interruption: _Interruption, make_workers: MakeWorkers | None) -> int:
    options = _options(given)
    _check_workers(given, options, make_workers)
    with contextlib.ExitStack() as files:
        files.enter_context(props.known())
        report_file = picture_file = None
        if given.report is not None:
            report_file = files.enter_context(engine.output_file(given.report, "report", tuple(WRITERS)))
        if given.picture is not None:
            picture_file = files.enter_context(engine.output_file(given.picture, "picture", (".png",)))
        _open(given.file)
        interruption.check()
        for name in make_names_readable():
            _complain(f"a name is not UTF-8, it is written as '{name}'")
        require_objects(name for pair in options.rules.listed_pairs for name in pair)
        source = BlenderSource.from_context(bpy.context)
        if _has_workers(given) and make_workers is not None:
            refuse_unbaked(bpy.context.scene)
            workers = make_workers(given.workers, given.scheduler, _question(given.file, options))
            steps = workers_steps(source, options, workers)
        else:
            steps = detect_steps(source, options, _load_engine(given.quiet), highlights=picture_file is not None)
        files.callback(steps.close)
        line = None if given.quiet else _ProgressLine()

        def show(progress: Progress) -> None:
            interruption.check()
            if line is not None:
                line.show(progress)

        report = run_to_end(steps, show)
        interruption.check()
        report = replace(report, reviews=_reviews(bpy.context.scene))
        written = []
        try:
            if report_file is not None:
                report_file.commit(WRITERS[report_file.path.suffix.lower()](report))
                written.append(f"Report: {given.report}")
            if picture_file is not None:
                render_picture(report, source, picture_file.temporary)
                picture_file.commit()
                written.append(f"Picture: {given.picture}")
        finally:  # the work of an hour is shown also where its file could not be written
            _print_left_out(report, given.quiet)
            if not given.quiet:
                _print_report(report, written)
    return CLASHES_FOUND if given.fail_on and report.clashes else DONE


def _has_workers(given: argparse.Namespace) -> bool:
    return given.workers > 1 or given.scheduler is not None


def _check_workers(given: argparse.Namespace, options: DetectOptions, make_workers: MakeWorkers | None) -> None:
    """Several processes need frames to share, and cannot hand over what a picture shows.

    Raises:
        InputError: there is something that they cannot do.
    """
    if given.workers < 1:
        raise InputError(f"--workers must be at least 1, not {given.workers}")
    if not _has_workers(given):
        return
    if options.frames is None:
        raise InputError("--workers share frames: give --frames, too")
    if given.picture is not None:
        raise InputError("--picture is drawn of what one process found: leave out --workers")
    if make_workers is None:
        raise InputError("--workers is there in blender_scripts/detect.py only: an extension starts no processes")


def _question(file: Path | None, options: DetectOptions) -> str:
    """What other processes must know, as `worker` takes it; the file is open.

    Raises:
        InputError: the open file is not the one on the disk, which they will read.
    """
    if file is None and bpy.data.is_dirty:
        raise InputError("--workers read the file from the disk: save it, and name it")
    return json.dumps(
        {
            "file": bpy.data.filepath,
            "scene": bpy.context.scene.name,
            "view_layer": bpy.context.view_layer.name,
            "scripts": bpy.context.preferences.filepaths.use_scripts_auto_execute,
            "options": options_text(options),
        }
    )


def worker(question: dict[str, Any]) -> ThisProcess:
    """Opens the file of a question and is ready for tasks.

    Raises:
        InputError: the file cannot be read.
    """
    massive_objects.attach()  # for as long as the process works
    bpy.context.preferences.filepaths.use_scripts_auto_execute = question["scripts"]
    _open(Path(question["file"]))
    make_names_readable()
    scene = bpy.data.scenes[question["scene"]]
    source = BlenderSource(scene, scene.view_layers[question["view_layer"]])
    options, module = options_of(question["options"]), _load_engine(quiet=True)
    run_to_end(module.warm_up(test_named(options.test).parts(options)))
    return ThisProcess(source, options, module)


def _reviews(scene: bpy.types.Scene) -> dict[str, Review]:
    """What the user said of pairs, as it is saved in the file."""
    with props.known():
        return scene.meshclash.reviews_in_words()


def _open(file: Path | None) -> None:
    """Loads `file`; None keeps what is open.

    Raises:
        InputError: there is no such file, Blender cannot read it, or nothing is open.
    """
    if file is None:
        if not bpy.data.filepath:
            raise InputError("no .blend file is open: name one")
        return
    if not file.is_file():
        raise InputError(f"there is no file '{file}'")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(file.resolve()), load_ui=False)
    except RuntimeError as error:
        raise InputError(f"Blender cannot read '{file}': {str(error).strip().removeprefix('Error: ')}") from error


def _load_engine(quiet: bool) -> Any:
    return engine.load(preferences.cache_folder(), quiet)


def _print_left_out(report: DetectReport, quiet: bool) -> None:
    """Names the objects that were not tested; a damaged one is an error, which is told in any case."""
    told = (item for item in report.skipped if item.damaged or not quiet)
    say(sys.stderr, *(f"left out: {item.name}: {item.reason}" for item in told))
    warning = report_formats.coarse(report.as_dict())
    if warning and not quiet:
        _complain(f"warning: {warning} (--permitted-overlap resolution)")


def _print_report(report: DetectReport, written: list[str]) -> None:
    data = report.as_dict()
    lines = []
    name = "pairs" if data["events"] is None else "events"
    if data[name]:
        lines += report_formats.to_table({**data, name: data[name][:TABLE_ROWS]}).split("\n")
    if len(data[name]) > TABLE_ROWS:
        lines.append(f"... and {len(data[name]) - TABLE_ROWS} more; --report writes all of them")
    permitted = report_formats.permitted(data)
    if permitted and "permitted_overlap" in test_named(report.options.test).takes:
        written = [f"Permitted overlap: {permitted}", *written]
    problem = say(sys.stdout, *lines, report_formats.summary(data), *written)
    if problem is not None:
        _complain(f"the list could not be printed: {problem.strerror}")


class _ProgressLine:
    """One line on a terminal that is rewritten; nothing where stderr is no terminal."""

    def __init__(self) -> None:
        self._shown = -1
        self._enabled = is_terminal(sys.stderr)

    def show(self, progress: Progress) -> None:
        percent = int(100 * progress.fraction)
        if self._enabled and percent != self._shown:
            self._shown = percent
            say(sys.stderr, f"{percent:3d} %  {printable(progress.text)[:60]:60s}", raw_start="\r", end="")


class _Interruption:
    """Ctrl+C as KeyboardInterrupt where nothing is half done: between two slices of work.

    Raised in the middle of a call it could leave Blender with a mesh half read, and Blender only prints what its
    handlers raise. Who presses a second time wants out at once.
    """

    def __init__(self) -> None:
        self._pressed = False

    def press(self, *_args: object) -> None:
        """What the signal calls."""
        if self._pressed:
            raise KeyboardInterrupt
        self._pressed = True

    def check(self) -> None:
        """Raises KeyboardInterrupt if Ctrl+C was pressed."""
        if self._pressed:
            raise KeyboardInterrupt


@contextlib.contextmanager
def _signals_as_errors() -> Iterator[_Interruption]:
    """Lets Ctrl+C raise KeyboardInterrupt, and a broken pipe an error where it is written to.

    Blender has a handler of its own for the first that only sets a flag, and may leave the second to end the process.
    """
    interruption = _Interruption()
    handlers: dict[int, Any] = {signal.SIGINT: interruption.press}
    if hasattr(signal, "SIGPIPE"):
        handlers[signal.SIGPIPE] = signal.SIG_IGN
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _complain(*lines: str) -> None:
    say(sys.stderr, *(f"{COMMAND}: {line}" for line in lines))
