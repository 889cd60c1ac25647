"""Compile the engine's kernels for a processor level and store them in the package, before the package is built.

    python -m meshclash.kernels build                      # the levels that packages carry, if this machine has them
    python -m meshclash.kernels build --level x86-64-v3 --jobs 4
    python -m meshclash.kernels build --level best         # the best level that this machine has
    python -m meshclash.kernels verify                     # exit status 1 when a file is damaged, missing or foreign
    python -m meshclash.kernels list

An interrupted build continues where it stopped. After an edit of the sources, a build compiles only the kernels that
the edit changes. Kernels are compiled only for the running Python and platform: run this command with each Python
version on each system.
"""

import argparse
import contextlib
import hashlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..jit import FOLDER, SOURCES
from ..warming import PARTS, SPECIAL_PARTS, warm_up
from . import cache, store
from .builder import GENTLY, WORK, Builder, Run, cost
from .files import ENDING, DamagedKernel, parsed
from .folders import distrust, trusted_bytes
from .processors import LEVELS, PACKED, levels_here
from .store import STORE, made_for, parts_of, read_manifest, store_name, verify, write_manifest

_PACKAGE = __package__ or ""
BEST = "best"
"""Option for the best level that this computer's processor supports."""
_EVERYTHING = (*PARTS, *SPECIAL_PARTS)
_BEAT_SECONDS = 1.0
_MOST = 0.95
"""Largest progress that is shown for an unfinished part."""
_LOOK_SECONDS, _LINE_SECONDS = 0.2, 15.0
_BAR = 30
_GENTLE = 5
"""By how much a process with ``--gently`` lowers its priority (``os.nice``)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status: 0, 1 for a damaged store or failed build, 2 for a wrong option."""
    parser = argparse.ArgumentParser(prog=f"python -m {_PACKAGE}", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("build", "compile and store"), ("verify", "compare every file with its hash"), ("list", "show what is stored"),
    ):  # fmt: skip
        command = commands.add_parser(name, help=text)
        command.add_argument("--output", type=Path, default=STORE, help="folder of the stores (default: the package)")
        command.add_argument("--level", action="append", choices=(*LEVELS, BEST), help="of processors; may be repeated")
    build = commands.choices["build"]
    build.add_argument("--jobs", type=int, default=_cores(), help="processes (default: one for each core)")
    build.add_argument("--part", action="append", choices=_EVERYTHING, help="of the warm-up; default: all")
    work = commands.add_parser(WORK)  # what build starts
    work.add_argument("run", type=Path)
    work.add_argument("target", type=Path)
    work.add_argument("level")
    work.add_argument(GENTLY, action="store_true")
    options = parser.parse_args(arguments)
    if options.command == WORK:
        return _work(Run(options.run), options.target, options.level, options.gently)
    if BEST in (options.level or ()):
        options.level = list(levels_here()[:1])
    return {"build": _build, "verify": _verify, "list": _list}[options.command](options)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# The work of one process.


class _Noticed(dict[str, str]):
    """Origins of kernels (``cache.origins``); calls ``notice`` whenever one is added."""

    def __init__(self, notice: Callable[[], None]) -> None:
        super().__init__()
        self._notice = notice

    def __setitem__(self, key: str, value: str) -> None:
        super().__setitem__(key, value)
        self._notice()


def _work(run: Run, target: Path, level: str, gently: bool) -> int:
    """Compile one part after another, until other processes have taken all remaining parts."""
    if gently and hasattr(os, "nice"):
        os.nice(_GENTLE)
    if FOLDER.path is None or not FOLDER.writable:
        raise OSError(FOLDER.note or f"nothing can be stored in {run.folder}")
    store.stores_here = lambda: iter(())  # otherwise kernels would be loaded from them instead of compiled
    now = _Progress(run)
    cache.origins = _Noticed(now.note)
    with _beating(now.beat):
        with run.alone(now.beat):
            _take_over(target, FOLDER.path, made_for(level, SOURCES))
        _compile(run, target, FOLDER.path, made_for(level, SOURCES), now)
    return 0


def _compile(run: Run, target: Path, folder: Path, about: dict[str, str], now: "_Progress") -> None:
    while part := run.take():
        now.begin(part)
        for _ in warm_up([part]):
            now.note()
        with run.alone(now.beat):
            _publish(folder, target, {**about, "parts": part})
            if not set(run.wanted()) - set(parts_of(read_manifest(target))):
                _forget_others(target)
        now.end()


class _Progress:
    """Reports which kernels this process compiles, and ends the process when its parent process has ended."""

    def __init__(self, run: Run) -> None:
        self._run, self._part = run, ""
        self._began = self._told = 0.0

    def begin(self, part: str) -> None:
        """Record that this process has taken a part."""
        self._began, self._told, self._part = time.process_time(), 0.0, part

    def end(self) -> None:
        """Note that the part is in the store."""
        part, self._part = self._part, ""
        self._run.tell_done(part)

    def note(self) -> None:
        """Note that a kernel was compiled."""
        self.beat()
        if self._part:
            self._run.beat(self._part)

    def beat(self, *_given: object) -> None:
        """Report progress, and check that the parent process still reads the output.

        Progress is estimated from processor time, so a part that hangs reports no progress.
        """
        try:
            os.write(1, b".")  # fails when the parent process is gone
        except OSError:
            shutil.rmtree(self._run.folder, ignore_errors=True)
            os._exit(0)
        share = min((time.process_time() - self._began) / cost(self._part), _MOST)
        if self._part and share > self._told:
            self._told = share
            with contextlib.suppress(OSError):
                self._run.tell(self._part, share)


@contextlib.contextmanager
def _beating(beat: Callable[..., None]) -> Iterator[None]:
    """Call ``beat`` every second inside the block, on systems with interval timers."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.signal(signal.SIGALRM, beat)
    signal.setitimer(signal.ITIMER_REAL, _BEAT_SECONDS, _BEAT_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _take_over(target: Path, folder: Path, about: dict[str, str]) -> None:
    """Copy the kernels of a store to the build folder, because many of them stay valid after an edit of the sources."""
    try:
        files = read_manifest(target, shipped=False)["files"]
    except (DamagedKernel, OSError):
        return
    for name, digest in files.items():
        with contextlib.suppress(OSError):
            content = trusted_bytes(target / name)
            if not (folder / name).exists() and hashlib.sha256(content).hexdigest() == digest:
                _write(folder / name, content)


def _publish(folder: Path, target: Path, about: dict[str, str]) -> None:
    """Add the kernels that this process has used to the store.

    Raises:
        OSError: the store cannot be written, or other users could change it.
    """
    target.mkdir(mode=0o755, parents=True, exist_ok=True)
    problem = distrust(target)
    if problem.startswith("not used"):
        raise PermissionError(problem)
    files = {}
    with contextlib.suppress(DamagedKernel, OSError):
        before = read_manifest(target, shipped=False)
        if {**before["about"], "parts": ""} == {**about, "parts": ""}:
            files = before["files"]
            about = {**about, "parts": ", ".join(dict.fromkeys([*parts_of(before), about["parts"]]))}
    for name in [name for name in cache.origins if name.endswith(ENDING)]:
        content = trusted_bytes(folder / name)
        files[name] = hashlib.sha256(content).hexdigest()
        _write(target / name, content)
    write_manifest(target, about, files)


def _write(path: Path, content: bytes) -> None:
    """Write a file under another name and rename it."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(content)
        unfinished.chmod(0o644)
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


def _forget_others(target: Path) -> None:
    """Remove kernels that are not in the manifest: they were compiled from other sources."""
    files = read_manifest(target)["files"]
    for path in target.glob(f"*{ENDING}"):
        if path.name not in files:
            path.unlink()


# The commands.


def _build(options: argparse.Namespace) -> int:
    levels = options.level or [level for level in levels_here() if level in PACKED]
    missing = [level for level in levels if level not in levels_here()]
    if missing or not levels:
        print(f"this processor lacks {', '.join(missing) or 'every known level'}: build on another", file=sys.stderr)
        return 2
    parts = options.part or list(_EVERYTHING)
    builders = []
    for level in levels:
        target = options.output.resolve() / store_name(level)
        lacking = _lacking(target, level, parts)
        if lacking:
            builders.append(Builder(target, level, lacking))
        else:
            print(f"{level}: {_described(target)}, built before", flush=True)
    try:
        problem = _run(builders, max(1, options.jobs))
    finally:
        for builder in builders:
            builder.stop()
    for builder in builders:
        print(f"{builder.level}: {problem or _described(builder.target)}", flush=True)
    return 1 if problem else 0


def _lacking(target: Path, level: str, parts: Sequence[str]) -> list[str]:
    """Return the parts of a store that must be compiled; parts that the store already contains for the same sources are
    kept.
    """
    if not target.is_dir() or verify(target):
        return list(parts)
    manifest = read_manifest(target)
    same = {**manifest["about"], "parts": ""} == {**made_for(level, SOURCES), "parts": ""}
    return [part for part in parts if not same or part not in parts_of(manifest)]


def _run(builders: Sequence[Builder], jobs: int) -> str:
    """Run the builders, with the processes spread evenly over their stores.

    A process compiles each helper only once, so it is faster if a process stays with one store.

    Returns:
        Return why the build failed; "" if it succeeded.
    """
    bar, started = _Bar(), time.monotonic()
    costs = [sum(map(cost, builder.wanted)) for builder in builders]
    while any(builder.missing(builder.wanted) for builder in builders):
        counts = [builder.processes for builder in builders]
        problem = next((builder.problem for builder in builders if builder.problem), "")
        if problem:
            return problem
        waiting = [builder for builder in builders if builder.open_parts > 0]
        if waiting and sum(counts) < jobs:
            min(waiting, key=lambda builder: builder.processes).add_process()
            continue
        if not sum(counts) and any(builder.missing(builder.wanted) for builder in builders):
            return "processes ended before all was compiled"
        done = sum(builder.state().fraction * each for builder, each in zip(builders, costs, strict=True)) / sum(costs)
        left = (time.monotonic() - started) * (1.0 - done) / done if done else sum(costs) / jobs
        bar.show(done, left)
        time.sleep(_LOOK_SECONDS)
    if builders:
        bar.show(1.0, 0.0)
        bar.end()
    return ""


class _Bar:
    """Progress of a build: a bar on a terminal, otherwise a line every 15 seconds."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._next = 0.0

    def show(self, fraction: float, seconds: float) -> None:
        if not self._terminal and time.monotonic() < self._next and fraction < 1.0:
            return
        self._next = time.monotonic() + _LINE_SECONDS
        full = int(_BAR * fraction)
        text = f"compiling [{'#' * full}{'.' * (_BAR - full)}] {100 * fraction:3.0f} %, about {seconds:3.0f} s left"
        print(f"\r{text}" if self._terminal else text, end="" if self._terminal else "\n", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._terminal:
            print(file=sys.stderr)


def _chosen(options: argparse.Namespace) -> list[Path]:
    names = [store_name(level) for level in options.level] if options.level else ["*"]
    return [path for name in names for path in sorted(options.output.glob(name)) if path.is_dir()]


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
