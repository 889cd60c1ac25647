"""Shared parts of the command lines of the package and the extension: options, exit codes, messages.

Exit codes: 0 success, 1 clashes found that `--fail-on` counts, 2 the input or an option is wrong, 3 internal error, 4
an object is lost, 130 cancelled. Messages go to stderr; after an error no report is written. Streams that are closed,
broken or full change neither the exit code nor the report.
"""

from __future__ import annotations

import argparse
import contextlib
import platform
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from ..early_exit import after_work
from ..output import OutputFile
from . import report_formats
from .baseline import Baseline, read_baseline
from .errors import DetectError, InputError
from .fasteners import REASONS
from .files.bcf import read_bcf
from .files.topics import TOPICS, Told, told_of, unknown_topics
from .fits import parse_fit
from .frame_scene import Progress
from .grouping import GROUPINGS
from .named_tests import NamedTest, read_tests
from .option_table import OPTIONS, RESOLUTION, Option
from .options import DEFAULT_TEST, DetectOptions, parse_frames
from .queries.registry import TESTS, test_named
from .report import DetectReport
from .reviews import NOT_REVIEWED, Review
from .rules import ALL_PAIRS, MODEL_PAIRS, Rules, parse_pair
from .terminal import is_terminal, open_standard_streams, printable, say
from .words import counted, kinds_in_words
from .writers import WRITERS, check_library, written

COMMAND = "meshclash"
DONE, CLASHES_FOUND, WRONG_INPUT, INTERNAL_ERROR, LOST, CANCELLED = 0, 1, 2, 3, 4, 130
EXCLUSIONS = ("same-parent", "same-armature", "same-collection")
TABLE_ROWS = 60  # longer tables go to the report only
REWRITE_SECONDS, FIRST_LINE_SECONDS, LINE_SECONDS = 0.1, 3.0, 30.0
"""How often progress is shown at most on a terminal; the time before the first line of a log, and between its lines."""
Stage = Callable[[str], contextlib.AbstractContextManager[None]]
CODES = """exit code: 0 done, 1 --fail-on found something, 2 wrong input or option, 3 internal error, 4 an object
  could not be tested and --allow-lost is not given, 130 cancelled"""


def guarded(act: Callable[[Interruption], int], diagnose: Callable[[], Sequence[str]]) -> int:
    """Run a command, and convert its errors to messages and exit codes.

    Args:
        act: the function that does the work; returns the exit code.
        diagnose: lines to send us after an internal error.

    Returns:
        The exit code, whatever happens.
    """
    open_standard_streams()
    try:
        with _signals_as_errors() as interruption:
            return act(interruption)
    except DetectError as error:
        complain(str(error))
        return WRONG_INPUT
    except KeyboardInterrupt:
        complain("cancelled")
        return CANCELLED
    except SystemExit as leaving:  # argparse has shown its help
        return int(leaving.code or 0)
    except Exception:  # the last resort: whatever it is, the exit code and the message must be right
        complain("internal error; please send us this message and, if you can, the file")
        say(sys.stderr, *traceback.format_exc().splitlines())
        complain(*diagnose())
        return INTERNAL_ERROR


def run_subcommand(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> int:
    """Run the subcommand named by the arguments, whose parser sets ``act``; return the exit code."""

    def act(_: Interruption) -> int:
        given = parser.parse_args(arguments)
        code: int = given.act(given)
        return code

    return guarded(act, lambda: [f"Python {platform.python_version()}"])


class Parser(argparse.ArgumentParser):
    """An argument parser that reports wrong options like any other wrong input."""

    def error(self, message: str) -> NoReturn:
        """Implement `argparse.ArgumentParser.error`."""
        raise InputError(f"{message} (--help shows all options)")

    def _print_message(self, message: str, file: Any = None) -> None:
        say(file, *message.splitlines())


def make_parser(epilog: str) -> argparse.ArgumentParser:
    """Create a parser without options."""
    return Parser(
        prog=COMMAND,
        description="Finds all pairs of objects that touch, clash, contain or duplicate each other, or come too near.",
        epilog=f"{epilog}\n{CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_question(parser: argparse.ArgumentParser) -> None:
    """Add the options of the test to a parser."""
    add = parser.add_argument
    add("--set-a", default="all", metavar="SET", help="first set of objects (default: all)")
    add("--set-b", default="all", metavar="SET", help="second set of objects (default: all)")
    tests = "named tests that are run together, as JSON, a matrix (CSV) or clash sets of IfcClash, instead of one test"
    add("--tests", type=Path, metavar="FILE", help=tests)
    add("--test", default=DEFAULT_TEST, choices=tuple(TESTS), help=f"what to find (default: {DEFAULT_TEST})")
    of_models = "pairs of two models, of one model, or all (default); collections count as models in a scene"
    add("--pairs", default=ALL_PAIRS, choices=MODEL_PAIRS, help=of_models)
    add("--exclude", default="", metavar="RULE,RULE", help=f"pairs to leave out: {', '.join(EXCLUSIONS)}")
    add("--exclude-pair", action="append", default=[], metavar="A::B", help="leave out one pair; may be repeated")
    for option in OPTIONS.values():
        add(option.argument, dest=option.name, help=_help(option), **_reading(option))


def _help(option: Option) -> str:
    """Return the help text of an option; --tolerance replaces another option in some tests."""
    told = option.help + ("; may be repeated" if option.kind == "fits" else "")
    for test in TESTS.values() if option.name == "tolerance" else ():
        if test.tolerance_means not in ("", option.name):
            told += f"; {test.name}: the same as {OPTIONS[test.tolerance_means].argument}"
    return told.replace("%", "%%")


def _reading(option: Option) -> dict[str, Any]:
    """Return the function with which argparse reads the value of an option; None if the option is not given."""
    if option.kind == "flag":
        return {"action": "store_true", "default": None}
    if option.kind == "choice":
        return {"choices": [value for value, *_ in option.choices], "default": None}
    if option.kind == "fits":
        return {"type": parse_fit, "action": "append", "metavar": option.metavar}
    if option.words:
        return {"type": _overlap, "metavar": option.metavar}
    return {"type": int if option.kind == "count" else float, "metavar": option.metavar}


def add_answer(parser: argparse.ArgumentParser) -> None:
    """Add the options for output and exit code to a parser."""
    add = parser.add_argument
    write = f"write a report: {', '.join(WRITERS)}; .bcf is BCF 3.0, .bcfzip BCF 2.1, .xml JUnit; may be repeated"
    add("--report", type=Path, metavar="FILE", action="append", default=[], help=write)
    decisions = f"how clashes are grouped in reports: {', '.join(GROUPINGS)} (default: cause)"
    add("--group-by", choices=GROUPINGS, default="cause", metavar="WAY", help=decisions)
    add("--bcf", choices=TOPICS, default=TOPICS[0], help="what a topic of BCF is made of (default: group)")
    earlier = "an earlier report: says which clashes are new, and keeps statuses and comments"
    add("--baseline", type=Path, metavar="OLD.json", help=earlier)
    brought = "statuses, assignees and comments that BCF brings back, 2.1 or 3.0"
    add("--reviews", type=Path, metavar="FILE.bcf", help=brought)
    fail = (
        "exit with 1 when there is a clash, a contained object or a duplicate; new: one that --baseline has not; "
        "not-tested: new, or a clash of --baseline that was not tested"
    )
    add("--fail-on", choices=("clash", "new", "not-tested"), help=fail)
    lost = "exit with 0 also where an object could not be tested, as its geometry was not understood (else: 4)"
    add("--allow-lost", action="store_true", help=lost)
    add("--quiet", action="store_true", help="print errors only")


def options_given(given: argparse.Namespace, spelled: Callable[[str], str] = str) -> DetectOptions:
    """Return the options of the test from the parsed arguments.

    Args:
        given: the arguments of the command line.
        spelled: function that returns the spelling of a given name in the scene.

    Raises:
        InputError: an option is wrong, or two options contradict each other.
    """
    exclusions = {name.strip() for name in given.exclude.split(",") if name.strip()}
    unknown = exclusions - set(EXCLUSIONS)
    if unknown:
        raise InputError(f"--exclude accepts {', '.join(EXCLUSIONS)}, not {', '.join(sorted(unknown))}")
    if given.fail_on in ("new", "not-tested") and given.baseline is None:
        raise InputError(f"--fail-on {given.fail_on} compares with an earlier report: give --baseline, too")
    frames = getattr(given, "frames", None)
    return DetectOptions(
        set_a=spelled(given.set_a),
        set_b=spelled(given.set_b),
        test=given.test,
        **_limits(given),
        frames=None if frames is None else parse_frames(frames),
        rules=Rules(
            same_parent="same-parent" in exclusions,
            same_armature="same-armature" in exclusions,
            same_collection="same-collection" in exclusions,
            listed_pairs=frozenset(parse_pair(spelled(text)) for text in given.exclude_pair),
            models=given.pairs,
        ),
    )


MOST_NAMED = 5  # fasteners of a kind; the report names all
QUESTION = ("set_a", "set_b", "test", "pairs", "exclude", "exclude_pair", *OPTIONS)
"""Options that a file of tests contains."""


def names_left_out(options: DetectOptions, tests: Iterable[NamedTest]) -> set[str]:
    """Return the names in the excluded pairs, which must exist."""
    rules = [options.rules, *(test.options.rules for test in tests)]
    return {name for rule in rules for pair in rule.listed_pairs for name in pair}


def tests_given(given: argparse.Namespace) -> list[NamedTest]:
    """Return the tests of `--tests`, or an empty list.

    Raises:
        InputError: the file is wrong, or an option is given that the tests of the file contain.
    """
    if given.tests is None:
        return []
    parser = argparse.ArgumentParser(add_help=False)
    add_question(parser)
    default = parser.parse_args([])
    beside = next((name for name in QUESTION if getattr(given, name) != getattr(default, name)), None)
    if beside is not None:
        option = "--" + beside.replace("_", "-")
        raise InputError(f"--tests and {option} cannot be combined: write this option into '{given.tests}'")
    return read_tests(given.tests)


def _overlap(text: str) -> float | str:
    """Read a permitted overlap: "resolution" or metres; raises ValueError for other values."""
    return text if text == RESOLUTION else float(text)


def _limits(given: argparse.Namespace) -> dict[str, Any]:
    """Return the given options of the option table.

    Raises:
        InputError: `--tolerance` contradicts the option that it replaces, or the test does not use a tolerance.
    """
    named = {name: getattr(given, name) for name in OPTIONS if name != "tolerance"}
    if given.tolerance is not None:
        meant = test_named(given.test).tolerance_means
        if not meant:
            raise InputError(f"the {given.test} test does not use a tolerance")
        if named.get(meant) not in (None, given.tolerance):
            raise InputError(f"--tolerance and {OPTIONS[meant].argument} set the same value here; give one of them")
        named[meant] = given.tolerance
    if given.fits:
        named["fits"] = tuple(given.fits)
    if given.min_volume:
        named["overlap_volume"] = True
    return {name: value for name, value in named.items() if value is not None}


def open_reports(given: argparse.Namespace, opened: contextlib.ExitStack) -> list[OutputFile]:
    """Open the report files before the work begins, so that wrong paths are found early.

    Raises:
        InputError: a report file cannot be written, or is given twice.
    """
    for path in given.report:
        check_library(path)
    models = (Path(file) for _, file in getattr(given, "models", ()))
    sources = [
        path for path in (*getattr(given, "files", ()), *models, given.baseline, given.tests) if path is not None
    ]
    files = [
        opened.enter_context(OutputFile(path, "report", tuple(WRITERS), sources, InputError)) for path in given.report
    ]
    targets = [file.target for file in files]
    if len(set(targets)) < len(targets):
        raise InputError("--report was given the same file twice")
    return files


def baseline_given(given: argparse.Namespace) -> Baseline | None:
    """Return the earlier report if one is given; raises InputError."""
    return None if given.baseline is None else read_baseline(given.baseline)


def reviewed(given: argparse.Namespace, report: DetectReport, former: Mapping[str, str] | None = None) -> DetectReport:
    """Return the report with the statuses and comments of a BCF file; raises InputError.

    Args:
        given: the options.
        report: the answer.
        former: the former identities from `FileSource`, for files that were written by versions without models.
    """
    if given.reviews is None:
        return report
    file, unknown = read_bcf(given.reviews), 0

    def ask(ids: Sequence[str], known: Mapping[str, Review]) -> Mapping[str, Told]:
        nonlocal unknown
        unknown = unknown_topics(file, ids)
        return told_of(file, ids, known)

    told = report.told_by(ask, former or {})
    changed = sum(review != report.reviews.get(key, NOT_REVIEWED) for key, review in told.reviews.items())
    changed += sum(pair.review != old.review for (pair, *_), (old, *_) in zip(told.gone, report.gone, strict=True))
    if not given.quiet:
        more = f"; {counted(unknown, 'topic')} of {len(file.topics):,} about no pair of this run" if unknown else ""
        say(sys.stderr, f"{given.reviews.name}: decisions about {counted(changed, 'pair')} changed{more}")
    return told


def finish(
    given: argparse.Namespace,
    report: DetectReport,
    files: Sequence[OutputFile],
    stage: Stage,
    more: Callable[[], Sequence[str]] = list,
) -> int:
    """Write the reports and other files, print the list, and return the exit code.

    Args:
        given: the options.
        report: the answer.
        files: the files opened by `open_reports`.
        stage: as `stages` returns it.
        more: function that writes further output; returns lines about it.
    """
    report = replace(report, group_by=given.group_by, topics=given.bcf, allow_lost=given.allow_lost)
    told, failed = list[str](), False
    try:
        for file in files:
            with stage(f"Writing {file.path.name}"):
                file.commit(written(file.path, report))
            told.append(f"Report: {file.path}")
        told += more()
    except KeyboardInterrupt:
        failed = True
        raise
    finally:  # the work of an hour is shown also where its file could not be written
        if not failed:
            with stage("Grouping the pairs"):
                _print_left_out(report, given.quiet)
                if not given.quiet:
                    _print_report(report, told)
    counted = {
        None: 0, "clash": len(report.clashes), "new": len(report.new),
        "not-tested": len(report.new) + len(report.not_tested),
    }  # fmt: skip
    if counted[given.fail_on]:
        return CLASHES_FOUND
    return LOST if report.lost and not report.allow_lost else DONE


def _print_left_out(report: DetectReport, quiet: bool) -> None:
    """Print the objects that were not tested, and how many have no geometry; objects that could not be read are always
    named.
    """
    say(sys.stderr, *(f"lost: {item.name}: {item.reason}" for item in report.lost))
    if not quiet:
        others = [item for item in report.skipped if not item.lost and item.reason not in REASONS]
        say(sys.stderr, *(f"left out: {item.name}: {item.reason}" for item in others))
        for reason in REASONS:
            names = [item.name for item in report.skipped if item.reason == reason]
            more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
            if names:
                say(sys.stderr, f"left out: {len(names):,} × {reason}: {', '.join(names[:MOST_NAMED])}{more}")
        kinds = kinds_in_words(report.stats.get("no_geometry", {}))
        say(sys.stderr, *([f"not tested (no geometry): {kinds}"] if kinds else []))
    told = report_formats.understood(report.as_summary())
    if told and not quiet:
        say(sys.stderr, told)
    if not quiet:
        complain(*(f"warning: {text}" for text in report.warnings))
    warning = report_formats.coarse(report.as_summary())
    if warning and not quiet:
        complain(f"warning: {warning} (--permitted-overlap resolution)")


def _print_report(report: DetectReport, written: list[str]) -> None:
    # The dictionaries of all pairs take 3 kB each; without a baseline, only those in the table are needed.
    data = report.as_dict(TABLE_ROWS if report.baseline is None else None)
    events = data["events"]
    listed = report.rows if events is None else events
    if listed:
        shown = {**data, "pairs": data["pairs"][:TABLE_ROWS], "events": events and events[:TABLE_ROWS]}
        lines = report_formats.to_table(shown).split("\n")
    else:
        lines = []
    if len(listed) > TABLE_ROWS:
        lines.append(f"... and {len(listed) - TABLE_ROWS} more; --report writes all of them")
    permitted = report_formats.permitted(data)
    if permitted and not report.tests and "permitted_overlap" in test_named(report.options.test).takes:
        written = [f"Permitted overlap: {permitted}", *written]
    lines += report_formats.groups_in_words(data)
    lines += report_formats.new_clashes(data, TABLE_ROWS) + report_formats.decide_again(data, TABLE_ROWS)
    lines += report_formats.gone_clashes(data, TABLE_ROWS)
    lines += report_formats.shared_things(data)
    counted = report.counts() if events is None else None
    problem = say(sys.stdout, *lines, report_formats.summary(data, counted), *written)
    if problem is not None:
        complain(f"the list could not be printed: {problem.strerror}")


class ProgressLine:
    """Show progress as text: one line that is rewritten on a terminal, otherwise a new line now and then, as for
    logs.
    """

    def __init__(self) -> None:
        self._shown = ""
        self._is_terminal = is_terminal(sys.stderr)
        self._first = self._next = time.monotonic() + (0.0 if self._is_terminal else FIRST_LINE_SECONDS)

    def show(self, progress: Progress, begins: bool = False) -> None:
        """Show the current progress; `begins` means that a stage begins, of which nothing more is told."""
        text, now = f"{int(100 * progress.fraction):3d} %  {printable(progress.text)[:60]:60s}", time.monotonic()
        if text == self._shown or now < (self._first if begins else self._next):
            return
        self._shown = text
        if self._is_terminal:
            self._next = now + REWRITE_SECONDS
            say(sys.stderr, text, raw_start="\r", end="")
        else:
            self._next = now + LINE_SECONDS
            say(sys.stderr, text.rstrip())


class Interruption:
    """Convert Ctrl+C or SIGTERM to a KeyboardInterrupt between two slices of work, when no step is incomplete.

    An exception in the middle of a call could leave a half-read mesh in the host application, and some hosts only print
    exceptions of their handlers. A second Ctrl+C ends the work at once.
    """

    def __init__(self) -> None:
        self._pressed = self._at_once = False

    def press(self, *_args: object) -> None:
        """Handle the signal."""
        if self._pressed or self._at_once:
            raise KeyboardInterrupt
        self._pressed = True

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """Let the first signal end the work of this block at once: for work in which nothing of the host application
        runs, and which has no slices.
        """
        self.check()
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False

    def check(self) -> None:
        """Raise KeyboardInterrupt if Ctrl+C was pressed."""
        if self._pressed:
            raise KeyboardInterrupt


def stages(interruption: Interruption, show: Callable[[Progress, bool], None]) -> Stage:
    """Return a function whose `with` block is work after the test: its text is shown, and Ctrl+C ends it at once."""

    @contextlib.contextmanager
    def stage(text: str) -> Iterator[None]:
        show(Progress(1.0, text), True)
        with interruption.at_once():
            yield

    return stage


@contextlib.contextmanager
def _signals_as_errors() -> Iterator[Interruption]:
    """Make Ctrl+C and SIGTERM raise KeyboardInterrupt, and make a broken pipe raise an error on writing.

    A host application may have a handler of its own for the first that only sets a flag, and may leave the second to
    end the process.
    """
    interruption = Interruption()
    handlers: dict[int, Any] = {signal.SIGINT: interruption.press, signal.SIGTERM: interruption.press}
    if hasattr(signal, "SIGPIPE"):
        handlers[signal.SIGPIPE] = signal.SIG_IGN
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, after_work(handler) if handler is not None else signal.SIG_DFL)


def complain(*lines: str) -> None:
    """Print a message about an error."""
    say(sys.stderr, *(f"{COMMAND}: {line}" for line in lines))
