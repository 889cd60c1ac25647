"""Tests with a process for each core: those of the engine by subject, those of the extension for each Blender.

    python tests/run_all.py PYTHON...                     # interpreters that have bpy, all of one version of Python
    python tests/run_all.py --all PYTHON...               # the slow tests, too
    python tests/run_all.py --without=bench,gpu PYTHON... # none whose files begin with test_bench or test_gpu
    python tests/run_all.py --examples=0.25 PYTHON...     # a quarter of the examples of the engine's properties

First the kernels are compiled that most tests need, by a process for each core: tests that all began with an empty
cache would compile the same ones. Files of one subject need the same of what is left, so they share a process.
Of a process that fails everything is shown that it printed, of the others the slowest tests and the last line.
The first interpreter tests the engine, too, and what of the extension needs no Blender.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Sequence
from pathlib import Path

TESTS = Path(__file__).resolve().parent
SUBJECTS = (
    ("bench",),
    ("gpu", "kernels", "jit"),
    ("pointcloud",),
    ("massive", "lab"),
    ("query",),
    ("verdict", "solid", "depth", "hierarchy"),
    ("scene", "timecritical", "live"),
    ("voxel", "voxels", "traversal", "volumes"),
    ("continuous", "convex", "motion"),
)
"""First words of the names of test files. What is in none of these is one more group."""
BLENDER = re.compile(r"\b(bpy|registered|research|add_box|load_script)\b")
"""Words of test files that need Blender; others that test ``addon/core`` say the same whichever Blender there is."""
COMPILE = """
import sys
from meshclash.warming import PARTS, warm_up
share, of = map(int, sys.argv[1:])
list(warm_up([part for part in PARTS if part != "contacts"][share::of] if of else ["contacts"]))
"""
"""Compiles, or loads, a share of the kernels; what all the others need is the share 0 of 0.

Special parts are left to the tests: each of them is asked by one subject."""


def main(arguments: list[str]) -> int:
    """Run the tests; the exit code is 1 if a process failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="the slow tests, too")
    parser.add_argument("--without", default="", metavar="WORDS", help="first words of engine files to leave out")
    parser.add_argument("--examples", default="1", metavar="SHARE", help="of the examples of the engine's properties")
    parser.add_argument("pythons", nargs="+", metavar="PYTHON")
    given = parser.parse_args(arguments)
    pythons, options = given.pythons, [] if given.all else ["-m", "not slow"]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parts = [
        ("engine: " + name, pythons[0], files)
        for name, files in groups(TESTS / "engine", set(given.without.split(","))).items()
    ]
    os.environ["MESHCLASH_EXAMPLES"] = given.examples
    compile_kernels(pythons[0], cores)
    for python in pythons:
        environment, files = Path(python).parent.parent.name, of_extension(python != pythons[0])
        parts += [("extension, half of the files: " + environment, python, files[k::2]) for k in (0, 1)]
    failed = run(parts, cores, options)
    if failed:
        print("These have failed: {}".format("; ".join(failed)), flush=True)
    return int(bool(failed))


def compile_kernels(python: str, cores: int) -> None:
    """Fill the user's folder of kernels, by so many processes; one that fails is left to the tests to explain."""
    begun = time.monotonic()
    for shares in ([(0, 0)], [(k, cores) for k in range(cores)]):
        commands = [[python, "-c", COMPILE, *map(str, share)] for share in shares]
        for process in [subprocess.Popen(command, cwd=str(TESTS.parent)) for command in commands]:
            process.wait()
    print(f"kernels ({time.monotonic() - begun:.0f} s)", flush=True)


def run(parts: list[tuple[str, str, list[Path]]], cores: int, options: Sequence[str] = ()) -> list[str]:
    """Runs parts (name, interpreter, test files), so many at a time, and returns the names of those that failed."""
    waiting, running, failed = list(enumerate(parts)), [], []
    with tempfile.TemporaryDirectory() as folder:
        while waiting or running:
            while waiting and len(running) < cores:
                number, part = waiting.pop(0)
                running.append(Tests(*part, Path(folder) / str(number), options))
            time.sleep(0.2)
            for tests in [tests for tests in running if tests.ended()]:
                running.remove(tests)
                failed += [tests.name] if not tests.report() else []
    return failed


def groups(folder: Path, without: Collection[str] = ()) -> dict[str, list[Path]]:
    """Test files by subject; every file is in one group, but for those whose first word is in ``without``."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("test_*.py")):
        word = path.stem.split("_")[1]
        if word in without:
            continue
        name = next((", ".join(words) for words in SUBJECTS if word in words), "the others")
        found.setdefault(name, []).append(path)
    order = [*(", ".join(words) for words in SUBJECTS), "the others"]
    return {name: found[name] for name in order if name in found}


def of_extension(again: bool) -> list[Path]:
    """Test files of the extension; with another Blender again, those that need one."""
    files = sorted((TESTS / "addon").glob("test_*.py"))
    return [p for p in files if not (again and p.match("test_core_*") and not BLENDER.search(p.read_text("utf-8")))]


class Tests:
    """A process of pytest."""

    def __init__(self, name: str, python: str, paths: list[Path], printed: Path, options: Sequence[str]) -> None:
        """Starts it with pytest's options; a file takes what it prints."""
        self.name, self._printed, self._start = name, printed, time.monotonic()
        command = [python, "-m", "pytest", "-q", "--durations=10", *options, *map(str, paths)]
        with printed.open("wb") as output:
            self._process = subprocess.Popen(command, cwd=str(TESTS.parent), stdout=output, stderr=output)

    def ended(self) -> bool:
        """Whether the process is over."""
        return self._process.poll() is not None

    def report(self) -> bool:
        """Print how it ended, and return whether that was well."""
        lines = self._printed.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
        well = self._process.returncode == 0
        seconds = time.monotonic() - self._start
        print(f"{self.name} ({seconds:.0f} s)", *(lines[-12:] if well else lines), sep="\n  ", flush=True)
        return well


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
