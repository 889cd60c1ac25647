"""Compiles the engine's kernels for a processor level and keeps them in the package: run before a package is built.

    python -m meshclash.kernels build                      # the levels that packages carry, if this machine has them
    python -m meshclash.kernels build --level x86-64-v3 --jobs 4
    python -m meshclash.kernels build --level best         # the best level that this machine has
    python -m meshclash.kernels verify                     # exit status 1 when a file is damaged, missing or foreign
    python -m meshclash.kernels list

A build that was stopped goes on where it stopped, and one after an edit compiles what the edit changes. Kernels are
compiled for this Python and platform only: run it with each Python, on each system.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ..jit import FOLDER_NAME, SOURCES
from ..warming import PARTS, SPECIAL_PARTS, warm_up
from . import cache, store
from .files import ENDING, parsed
from .processors import LEVELS, PACKED, levels_here, processor_of
from .store import STORE, made_for, read_manifest, store_name, verify, write_manifest

_PACKAGE = __package__ or ""
BEST = "best"
"""Option for the best level that this machine's processor has."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the command line asks for; returns the exit status: 0, 1 for a damaged store, 2 for a wrong option."""
    parser = argparse.ArgumentParser(prog=f"python -m {_PACKAGE}", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("build", "compile and store"), ("verify", "compare every file with its hash"), ("list", "show what is stored"),
    ):  # fmt: skip
        command = commands.add_parser(name, help=text)
        command.add_argument("--output", type=Path, default=STORE, help="folder of the stores (default: the package)")
        command.add_argument("--level", action="append", choices=(*LEVELS, BEST), help="of processors; may be repeated")
    build = commands.choices["build"]
    build.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one for each core)")
    parts = (*PARTS, *SPECIAL_PARTS)
    build.add_argument("--part", action="append", choices=parts, help="of the warm-up; default: all")
    compiling = commands.add_parser("compile")  # what build starts
    compiling.add_argument("used", type=Path, help="file for the names of the kernels that the parts need")
    compiling.add_argument("part", nargs="+")
    options = parser.parse_args(arguments)
    if options.command == "compile":
        return _compile(options.part, options.used)
    if BEST in (options.level or ()):
        options.level = list(levels_here()[:1])
    return {"build": _build, "verify": _verify, "list": _list}[options.command](options)


def _compile(parts: Sequence[str], used: Path) -> int:
    """Compile what parts of the warm-up need, as far as the user's folder lacks it."""
    store.STORE = used / "none"  # what the package has for other levels would be taken instead
    for progress in warm_up(parts):
        print(f"  {progress.text}", flush=True)
    used.write_text("\n".join(cache.origins), encoding="utf-8")
    return 0


def _build(options: argparse.Namespace) -> int:
    levels = options.level or [level for level in levels_here() if level in PACKED]
    missing = [level for level in levels if level not in levels_here()]
    if missing or not levels:
        print(f"this processor lacks {', '.join(missing) or 'every known level'}: build on another", file=sys.stderr)
        return 2
    for level in levels:
        print(f"{level}: {_build_level(level, options)}", flush=True)
    return 0


def _build_level(level: str, options: argparse.Namespace) -> str:
    """Compile parts in processes that share a folder, and put the result in its place; says what was made."""
    output, parts = options.output, options.part or [*PARTS, *SPECIAL_PARTS]
    target, work = output / store_name(level), output / f"{store_name(level)}.unfinished"
    about = {**made_for(level, SOURCES), "parts": ", ".join(parts)}
    if target.is_dir() and not verify(target) and read_manifest(target)["about"] == about:
        return f"{_described(target)}, built before"
    name, features = processor_of(level)
    environment = {
        **os.environ, "NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features, "MESHCLASH_CACHE_DIR": str(work),
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]),
    }  # fmt: skip
    compiled = work / FOLDER_NAME
    if target.is_dir() and not compiled.is_dir():
        shutil.copytree(target, compiled)
    work.mkdir(parents=True, exist_ok=True)
    used = _run_all(parts, work, environment, options.jobs)
    for path in compiled.iterdir():
        if path.name not in used:
            path.unlink()
    write_manifest(compiled, about)
    shutil.rmtree(target, ignore_errors=True)
    compiled.replace(target)
    shutil.rmtree(work)
    return _described(target)


def _run_all(parts: Sequence[str], work: Path, environment: dict[str, str], jobs: int) -> set[str]:
    """Compile parts in some processes at a time; gives the files of all kernels that they need.

    A process compiles helpers once for all of its parts, so there are no more processes than may run at a time.

    Raises:
        subprocess.CalledProcessError: one failed; its message is on stderr.
    """
    jobs = max(1, min(jobs, len(parts)))
    shares = [list(parts[k::jobs]) for k in range(jobs)]
    files = [work / f"used-{k}" for k in range(len(shares))]
    running = [
        subprocess.Popen([sys.executable, "-m", _PACKAGE, "compile", str(used), *share], env=environment)
        for used, share in zip(files, shares, strict=True)
    ]
    try:
        for process in running:
            if process.wait():
                raise subprocess.CalledProcessError(process.returncode, process.args)
    finally:
        for process in running:
            process.kill()
    return {name for used in files for name in used.read_text(encoding="utf-8").splitlines()}


def _chosen(options: argparse.Namespace) -> list[Path]:
    names = [store_name(level) for level in options.level] if options.level else ["*"]
    found = [path for name in names for path in sorted(options.output.glob(name)) if path.is_dir()]
    return [path for path in found if path.suffix != ".unfinished"]


def _verify(options: argparse.Namespace) -> int:
    wrong = [f"{folder.name}: {line}" for folder in _chosen(options) for line in verify(folder)]
    for line in wrong:
        print(line)
    if not wrong:
        print(f"{len(_chosen(options))} stores are as they were built")
    return 1 if wrong else 0


def _list(options: argparse.Namespace) -> int:
    for folder in _chosen(options):
        about = read_manifest(folder)["about"]
        state = "" if about["sources"] == SOURCES else ", of other sources of the engine: not used"
        print(f"{folder.name}: {_described(folder)}, Numba {about['numba']}, llvmlite {about['llvmlite']}{state}")
        for path in sorted(folder.glob(f"*{ENDING}")):
            identity, code = parsed(path.read_bytes(), path)
            print(f"    {identity['kernel'].lstrip('.')}  {len(code['machine_code']) / 1000:.0f} kB")
    return 0


def _described(folder: Path) -> str:
    files = list(folder.glob(f"*{ENDING}"))
    return f"{len(files)} kernels, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB"


if __name__ == "__main__":
    sys.exit(main())
