"""Run `detect.py` on many files with Dask workers: one task and one report for each file.

python blender_scripts/detect_many.py A.blend B.blend --reports reports [--workers N | --scheduler ADDRESS] -- [options]

What stands behind "--" are options of detect.py. Reports are named after the files. Exit code: the worst of these.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from meshclash.output import OutputFile

ROOT = Path(__file__).resolve().parent.parent
FORMATS = ("json", "csv", "html")
WRONG, CANCELLED = 2, 130
MILD = (0, 4, 1)
"""Exit codes of detect.py that are answers, the worst last; higher ones are errors."""


def main(argv: list[str]) -> int:
    """Process the files; return the exit code."""
    sys.path[:0] = [str(ROOT / "engine")]
    from meshclash.early_exit import leave_at_ctrl_c, raise_at_ctrl_c

    leave_at_ctrl_c()
    from meshclash.errors import MeshClashError

    at = argv.index("--") if "--" in argv else len(argv)
    given, options = _parser().parse_args(argv[:at]), argv[at + 1 :]
    try:
        raise_at_ctrl_c()
        return _run(given, options)
    except (MeshClashError, OSError) as error:
        print(f"meshclash: {error}", file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print("meshclash: cancelled", file=sys.stderr)
        return CANCELLED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.blend")
    parser.add_argument("--reports", type=Path, required=True, metavar="FOLDER", help="for the reports")
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="of the reports (default: %(default)s)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes of this machine (default: one a core)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="the workers of this Dask scheduler")
    return parser


def _run(given: argparse.Namespace, options: list[str]) -> int:
    from meshclash.errors import UnsupportedOption
    from meshclash.output import OutputFile
    from meshclash.types.steps import run
    from tasks.dask_workers import DaskWorkers

    targets = [given.reports / f"{file.stem}.{given.format}" for file in given.files]
    if len(set(targets)) < len(targets):
        raise UnsupportedOption("two files have the same name, so their reports would have: ask them one by one")
    given.reports.mkdir(parents=True, exist_ok=True)
    outputs = [OutputFile(target, "report") for target in targets]
    tasks = [_task(file, given.format, options) for file in given.files]
    codes: list[int] = []

    def take(answer: dict[str, Any]) -> None:
        place = len(codes)
        codes.append(answer["code"])
        _keep(outputs[place], answer["output"])
        print(f"{given.files[place]}: exit code {answer['code']}", flush=True)
        for stream, said in zip((sys.stdout, sys.stderr), answer["said"], strict=True):
            print(said.decode("utf-8", "replace"), end="", file=stream, flush=True)

    with DaskWorkers(given.scheduler, given.workers) as workers:
        run(workers.run_steps(tasks, take))
    return max(codes, key=severity)


def severity(code: int) -> int:
    """Return the rank of an exit code by severity; processes ended by a signal are worst."""
    return MILD.index(code) if code in MILD else len(MILD) + abs(code)


def _task(file: Path, suffix: str, options: list[str]) -> Any:
    from tasks.files import mark_of_file
    from tasks.task import Task

    mark, report = mark_of_file(file), f"report.{suffix}"
    arguments = [mark.path, *options, "--report", f"{{folder}}/{report}"]
    command = ["", str(ROOT / "blender_scripts" / "detect.py")]
    given = {"name": "detect", "command": command, "files": [mark], "arguments": arguments, "output": report}
    return Task("command", given, str(file))


def _keep(output: OutputFile, report: bytes | None) -> None:
    """Move a report to its place at once; if there is none, remove an old one."""
    if report is None:
        output.target.unlink(missing_ok=True)
        return
    with output:
        output.temporary.write_bytes(report)
        output.commit()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
