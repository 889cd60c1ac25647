"""Command line of the detection in Blender, for `blender --command meshclash` and `blender_scripts/detect.py`."""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
from meshclash.clash.command_line import (
    COMMAND,
    INTERNAL_ERROR,
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
from meshclash.clash.errors import InputError
from meshclash.clash.frame_scene import Progress
from meshclash.clash.job import detect_steps, workers_steps
from meshclash.clash.options import DetectOptions
from meshclash.clash.queries.registry import test_named
from meshclash.clash.reviews import Review
from meshclash.clash.tasks import ThisProcess, Workers, options_of, options_text
from meshclash.clash.tests_job import tests_steps
from meshclash.messages import Sentence
from meshclash.types.steps import run_to_end

from . import engine, preferences, props
from .adapters import massive_objects
from .adapters.names import as_renamed, make_names_readable
from .adapters.objects import require_objects
from .adapters.picture import render_picture
from .adapters.simulations import refuse_unbaked
from .adapters.source import BlenderSource

MakeWorkers = Callable[[int, "str | None", str], Workers]
"""Creates a number of workers, or the workers of a Dask scheduler, for a test."""

EPILOG = """sets: all, selection, NAME, object:NAME, collection:NAME, material:NAME, property:KEY=VALUE, and of IFC
  class:IfcPipe*, type:, storey:, system:; " | " joins several, " & " asks for all of several, "not " turns one round"""


def register_command() -> Any:
    """Register `blender --command meshclash`; return the handle for `unregister_command`."""
    return bpy.utils.register_cli_command(COMMAND, main)


def unregister_command(handle: Any) -> None:
    """Unregister the command."""
    bpy.utils.unregister_cli_command(handle)


def main(arguments: list[str], make_workers: MakeWorkers | None = None) -> int:
    """Run the detection on a .blend file, or on the open one.

    Args:
        arguments: arguments of the command line, after the program.
        make_workers: creates workers for `--workers` and `--scheduler`; None if no processes can be started.

    Returns:
        The exit code.
    """

    def act(interruption: Interruption) -> int:
        try:
            return _run(_parser().parse_args(arguments), interruption, make_workers)
        except engine.EngineMissing as error:
            complain(str(error), *engine.diagnose())
            return INTERNAL_ERROR

    return guarded(act, lambda: [f"Blender {bpy.app.version_string}", *engine.diagnose()])


def _parser() -> argparse.ArgumentParser:
    parser = make_parser(EPILOG)
    add = parser.add_argument
    add("file", nargs="?", type=Path, metavar="FILE.blend", help="the scene; default: the file that is open in Blender")
    add_question(parser)
    add("--frames", metavar="START:END[:STEP]", help="frames to test, with events (default: the current one)")
    processes = "processes that share the frames of --frames (default: this one); the answer is the same"
    add("--workers", type=int, default=1, metavar="N", help=processes)
    scheduler = "Dask workers share the frames of --frames: those of a scheduler, or --workers of this machine"
    add("--scheduler", metavar="ADDRESS|local", help=scheduler)
    add_answer(parser)
    add("--picture", type=Path, metavar="FILE.png", help="render a picture of the faces in contact")
    return parser


def _run(given: argparse.Namespace, interruption: Interruption, make_workers: MakeWorkers | None) -> int:
    options, tests = options_given(given, as_renamed), tests_given(given)
    _check_workers(given, options, make_workers)
    with contextlib.ExitStack() as files:
        files.enter_context(props.known())
        reports, baseline, picture_file = open_reports(given, files), baseline_given(given), None
        if given.picture is not None:
            picture_file = files.enter_context(engine.output_file(given.picture, "picture", (".png",)))
        _open(given.file)
        interruption.check()
        for name in make_names_readable():
            complain(f"a name is not UTF-8, it is written as '{name}'")
        require_objects(names_left_out(options, tests))
        source = BlenderSource.from_context(bpy.context)
        if tests:
            module = _load_engine(given.quiet)
            steps = tests_steps(source, tests, module, picture_file is not None, options.frames)
        elif _has_workers(given) and make_workers is not None:
            refuse_unbaked(bpy.context.scene)
            workers = make_workers(given.workers, given.scheduler, _question(given.file, options))
            steps = workers_steps(source, options, workers)
        else:
            steps = detect_steps(source, options, _load_engine(given.quiet), highlights=picture_file is not None)
        files.callback(steps.close)
        show = (lambda progress, begins: None) if given.quiet else ProgressLine().show

        def follow(progress: Progress) -> None:
            interruption.check()
            show(progress, False)

        report = run_to_end(steps, follow)
        interruption.check()
        report = replace(report, reviews=_reviews(bpy.context.scene)).compared_with(baseline)

        def draw() -> list[str]:
            if picture_file is None:
                return []
            render_picture(report, source, picture_file.temporary)
            picture_file.commit()
            return [f"Picture: {given.picture}"]

        return finish(given, reviewed(given, report), reports, stages(interruption, show), draw)


def _has_workers(given: argparse.Namespace) -> bool:
    return given.workers > 1 or given.scheduler is not None


def _check_workers(given: argparse.Namespace, options: DetectOptions, make_workers: MakeWorkers | None) -> None:
    """Check that options suit several processes: they need frames to share, and cannot render pictures.

    Raises:
        InputError: an option is not possible with several processes.
    """
    if given.workers < 1:
        raise InputError(f"--workers must be at least 1, not {given.workers}")
    if not _has_workers(given):
        return
    if given.tests is not None:
        raise InputError("--workers cannot be combined with --tests")
    if options.frames is None:
        raise InputError("--workers needs --frames")
    if given.picture is not None:
        raise InputError("--picture cannot be combined with --workers")
    if make_workers is None:
        raise InputError(
            "--workers is supported by blender_scripts/detect.py only: an extension cannot start processes"
        )


def _question(file: Path | None, options: DetectOptions) -> str:
    """Return the options that other processes need, as input of `worker`; the file must be open.

    Raises:
        InputError: the open file differs from the file on disk, which the processes will read.
    """
    if file is None and bpy.data.is_dirty:
        raise InputError("--workers needs a saved file: save it and give its path")
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
    """Open the file named in the input; return a worker that is ready for tasks.

    Raises:
        InputError: the file cannot be read.
    """
    massive_objects.attach()  # stays attached until the process ends
    bpy.context.preferences.filepaths.use_scripts_auto_execute = question["scripts"]
    _open(Path(question["file"]))
    make_names_readable()
    scene = bpy.data.scenes[question["scene"]]
    source = BlenderSource(scene, scene.view_layers[question["view_layer"]])
    options, module = options_of(question["options"]), _load_engine(quiet=True)
    run_to_end(module.warm_up(test_named(options.test).parts(options)))
    return ThisProcess(source, options, module)


def _reviews(scene: bpy.types.Scene) -> dict[str, Review]:
    """Return the reviews of pairs, as saved in the file."""
    with props.known():
        return scene.meshclash.reviews_in_words()


def _open(file: Path | None) -> None:
    """Load `file`; None keeps the file that is open.

    Raises:
        InputError: the file is missing, Blender cannot read it, or no file is open.
    """
    if file is None:
        if not bpy.data.filepath:
            raise InputError("no .blend file is open: give the path of one")
        return
    if not file.is_file():
        raise InputError(Sentence("there is no file '{path}'", path=file))
    try:
        bpy.ops.wm.open_mainfile(filepath=str(file.resolve()), load_ui=False)
    except RuntimeError as error:
        raise InputError(f"Blender cannot read '{file}': {str(error).strip().removeprefix('Error: ')}") from error


def _load_engine(quiet: bool) -> Any:
    return engine.load(preferences.cache_folder(), quiet)
