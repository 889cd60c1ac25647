"""Plays scenarios in a real Blender with a window, on a virtual screen.

    python tests/window/run.py                                  # all scenarios on Blender 4.3 and 5.2
    python tests/window/run.py --blender 5.2 --scenario detect  # one of them
    python tests/window/run.py --blender /opt/blender/blender   # a Blender of one's own; needs Xvfb and xdotool

Each scenario starts Blender anew, in a home folder where the extension's zip is installed, and must leave it without an
error: exit status 0, no traceback and no memory leak in what it prints. OUT gets pictures, logs and results. With
--kernels FOLDER the zip has kernels, compiled by the Python of each Blender; one that compiles any itself has failed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "blender_scripts"))

import build_extension  # noqa: E402
import debian  # noqa: E402

SCENARIOS = sorted(path.stem for path in (HERE / "scenarios").glob("[a-z]*.py") if path.stem != "scenes")
# Scenes that scenarios open, and the examples that make them.
EXAMPLES = {
    "gearbox": "mechanical_assembly.py", "rack": "pipe_rack.py", "room": "plant_room.py", "gears": "gear_train.py",
    "walk": "walking_character.py", "parts": "falling_parts.py",
}  # fmt: skip
INSTALLS_ITSELF = ("install", "update")  # start with a home where the extension is not
SIZE = "1400x900"
TOOL = "addons_core/bl_pkg/cli/blender_ext.py"
FAILURES = re.compile(
    r"^(Traceback \(most recent call last\)|Error: Not freed memory|Writing: .*crash\.txt|Segmentation fault|"
    r"\w*Error: |Aborted|AddressSanitizer).*",
    re.MULTILINE,
)


class KitError(Exception):
    """The scenarios cannot be played; the message says why."""


@dataclass(frozen=True)
class Player:
    """A Blender and the folders of its runs.

    Attributes:
        name: as the user wrote it.
        program: command that starts Blender, as seen where it runs.
        inside: the unpacked Debian that it runs in, or None for this machine.
        out: folder for what this Blender leaves.
        size: of the virtual screen, as "1400x900".
        tool: its tool that builds extensions.
    """

    name: str
    program: str
    inside: debian.DebianBlender | None
    out: Path
    size: str
    tool: Path

    def command(self, home: Path, command: list[str]) -> list[str]:
        """The command that runs `command` where Blender runs, with its home folder in `home`."""
        if self.inside is not None:
            return self.inside.command(home, [ROOT, self.out], command)
        home.mkdir(parents=True, exist_ok=True)
        return ["env", f"HOME={home}", f"BLENDER_USER_RESOURCES={home / 'blender'}", *command]

    def run_headless(self, home: Path, arguments: list[str], log: Path) -> None:
        """Runs Blender without a window.

        Raises:
            KitError: it fails.
        """
        command = self.command(home, [self.program, "--background", *arguments])
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        log.write_text(done.stdout + done.stderr, "utf-8")
        if done.returncode:
            raise KitError(f"Blender failed, see {log}:\n{(done.stdout + done.stderr)[-2000:]}")

    def build_kernels(self, wheels: Path, folder: Path) -> None:
        """Compiles the engine's kernels with the Python of this Blender, as far as the folder lacks them.

        Args:
            wheels: folder of downloaded wheels.
            folder: of the stores.

        Raises:
            KitError: the compilation fails.
        """
        if self.inside is None:
            return  # its Python may lack what compiling needs: kernels come with --zip
        home, libraries = self.out / "home-kernels", self.out / "libraries"
        asked = self.command(home, ["python3", "-c", "import sys; print('%d%d' % sys.version_info[:2])"])
        python = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
        shutil.rmtree(libraries, ignore_errors=True)
        for wheel in build_extension.download("linux-x64", python, wheels):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(libraries)
        place = self.out / "kernels"  # seen from inside
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for store in folder.glob(f"cp{python}-*"):
            shutil.copytree(store, place / store.name)
        build = ["python3", "-m", "meshclash.kernels", "build", "--level", "best", "--output", str(place)]
        for part in build_extension.extension_parts():  # no more than a zip that is released has
            build += ["--part", part]
        command = self.command(home, ["env", f"PYTHONPATH={ROOT / 'engine'}:{libraries}", *build])
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise KitError(f"the kernels cannot be compiled:\n{(done.stdout + done.stderr)[-2000:]}")
        print(done.stdout.splitlines()[-1], flush=True)
        for store in place.iterdir():
            shutil.rmtree(folder / store.name, ignore_errors=True)
            shutil.copytree(store, folder / store.name)

    def play(self, scenario: str, home: Path, timeout: float, arguments: dict[str, str]) -> list[str]:
        """Plays a scenario; returns what went wrong."""
        folder = self.out / scenario
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for journal in self.out.glob(
            "*.meshclash-journal"
        ):  # what one scenario says of a file is not known to the next
            journal.unlink()
        python = "/usr/bin/python3" if self.inside else sys.executable
        width, height = self.size.split("x")
        blender = [self.program, "--gpu-backend", "opengl", "--window-geometry", "0", "0", width, height, "--python"]
        given = [f"{name}={value}" for name, value in arguments.items()]
        driver = [*blender, str(HERE / "driver.py"), "--", scenario, str(folder), *given]
        with (folder / "log.txt").open("w") as log:
            status = subprocess.run(
                self.command(home, [python, str(HERE / "stage.py"), self.size, str(timeout), *driver]),
                stdout=log, stderr=subprocess.STDOUT, check=False, stdin=subprocess.DEVNULL,
            ).returncode  # fmt: skip
        return problems(folder, status, arguments["zip"])


def problems(folder: Path, status: int, zip_path: str) -> list[str]:
    """What went wrong in a run of a zip, from its exit status, its result and what Blender printed."""
    found = [f"exit status {status}"] if status else []
    result = folder / "result.json"
    if not result.exists():
        found.append("it did not come to its end")
    elif not json.loads(result.read_text("utf-8"))["passed"]:
        found.append(json.loads(result.read_text("utf-8"))["error"].strip())
    else:
        found += compilations(json.loads(result.read_text("utf-8")), zip_path)
    printed = (folder / "log.txt").read_text("utf-8", errors="replace")
    found += [f"Blender printed: {match[0]}" for match in FAILURES.finditer(printed)]
    return found


def compilations(result: dict[str, Any], zip_path: str) -> list[str]:
    """What is wrong with where kernels came from: the zip if it has some for this Python, else the process beside."""
    store = f"meshclash/kernels/store/{result['python']}-"
    with zipfile.ZipFile(zip_path) as archive:
        wanted = "shipped" if any(name.startswith(store) for name in archive.namelist()) else "built"
    return [f"{name} was {kind} instead of {wanted}" for name, kind in result["kernels"] if kind != wanted]


def main(arguments: list[str] | None = None) -> int:
    """Plays what the command line asks for; returns 0 when all passed, 1 when not, 2 when they could not be played."""
    options = _parse(arguments)
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    try:
        players = [_player(name, out, options.size) for name in options.blender or debian.SUITES]
        zip_path = options.zip.resolve() if options.zip else _build_zip(out, players, options.kernels)
        for player in players:
            failed += _play_all(player, zip_path, options)
    except (KitError, debian.SetupError) as error:
        print(f"window tests: {error}", file=sys.stderr)
        return 2
    print(f"{failed} failed" if failed else "all passed")
    return 1 if failed else 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blender", action="append", metavar="4.3|5.2|PATH", help="which Blender; may be repeated")
    parser.add_argument("--scenario", action="append", choices=SCENARIOS, help="may be repeated; default: all")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "window", help="default: out/window")
    parser.add_argument("--zip", type=Path, help="test this zip instead of building one")
    parser.add_argument("--kernels", type=Path, help="ship kernels, kept in this folder; else Blender compiles")
    parser.add_argument(
        "--scene", action="append", default=[], metavar="NAME=FILE", help="a model of one's own, for looks and tab"
    )
    parser.add_argument("--size", default=SIZE, metavar="WIDTHxHEIGHT", help="of the virtual screen")
    parser.add_argument("--home", type=Path, help="keep Blender's home here, with its compiled kernels")
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds for one scenario")
    return parser.parse_args(arguments)


def _build_zip(out: Path, players: list[Player], kernels: Path | None) -> Path:
    """Builds the zip for distribution packages of Blender: wheels of several Pythons, and kernels if there is a folder.

    Any Python builds it: each player's own compiles its kernels.
    """
    print("building the extension", flush=True)
    wheels, versions = debian.cache_folder() / "wheels", build_extension.RANGES["distribution"]
    try:
        for player in players if kernels else ():
            player.build_kernels(wheels, kernels)
        path = build_extension.build(
            "linux-x64", versions, out / "dist", wheels, players[0].tool, kernels=kernels, compiles=False
        )
    except build_extension.BuildError as error:
        raise KitError(f"the extension cannot be built: {error}") from error
    print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)", flush=True)
    return path


def _player(name: str, out: Path, size: str) -> Player:
    folder = out / re.sub(r"[^\w.]+", "-", name).strip("-")
    folder.mkdir(exist_ok=True)
    if name in debian.SUITES:
        found = debian.blender(name)
        print(f"Blender {found.version} of Debian {debian.SUITES[name]}", flush=True)
        return Player(name, "/usr/bin/blender", found, folder, size, found.root / "usr/share/blender/scripts" / TOOL)
    if not Path(name).is_file():
        raise KitError(f"no Blender {name}: give {' or '.join(debian.SUITES)} or the path of a program")
    missing = [program for program in ("Xvfb", "xdotool") if shutil.which(program) is None]
    if missing:
        raise KitError(f"a Blender of one's own needs {' and '.join(missing)} on this machine")
    program = Path(name).resolve()
    tools = [*program.parent.glob(f"*/scripts/{TOOL}"), *program.parent.glob(f"../share/blender/*/scripts/{TOOL}")]
    if not tools:
        raise KitError(f"no scripts/{TOOL} beside {program}: this is no Blender from 4.2 on")
    return Player(name, str(program), None, folder, size, tools[0])


def _play_all(player: Player, zip_path: Path, options: argparse.Namespace) -> int:
    """Plays the chosen scenarios; returns how many failed."""
    home = options.home.resolve() / player.out.name if options.home else player.out / "home"
    if not options.home:
        shutil.rmtree(home, ignore_errors=True)
    chosen = options.scenario or SCENARIOS
    scenes = {name: player.out / f"{name}.blend" for name in EXAMPLES}
    own = {f"own-{name}": _copied(Path(path), player.out / f"{name}.blend") for name, _, path in _scenes(options.scene)}
    zip_path = Path(shutil.copy(zip_path, player.out / zip_path.name))  # where it is seen from inside
    if set(chosen) - set(INSTALLS_ITSELF):
        _install(player, zip_path, home)
        for name, script in EXAMPLES.items():
            example = ["--python-exit-code", "1", "--python", str(ROOT / "examples" / script), "--", str(scenes[name])]
            player.run_headless(home, ["--factory-startup", *example], player.out / f"{name}.txt")
    failed = 0
    for scenario in chosen:
        own_home = player.out / f"home-{scenario}"
        if scenario in INSTALLS_ITSELF:
            shutil.rmtree(own_home, ignore_errors=True)
        started = time.monotonic()
        given = {"zip": str(zip_path), **own, **{name: str(path) for name, path in scenes.items()}}
        found = player.play(scenario, own_home if scenario in INSTALLS_ITSELF else home, options.timeout, given)
        failed += bool(found)
        print(f"{player.name}  {scenario:<14}{'FAILED' if found else 'passed'}  {time.monotonic() - started:5.1f} s")
        for line in [*found, *_notes(player.out / scenario)]:
            print("    " + line.replace("\n", "\n    "))
        sys.stdout.flush()
    return failed


def _scenes(given: list[str]) -> list[tuple[str, str, str]]:
    """Names and files of "NAME=FILE"."""
    parts = [item.partition("=") for item in given]
    for name, _, path in parts:
        if not name or not Path(path).is_file():
            raise KitError(f"--scene {name}={path}: there is no such file")
    return parts


def _copied(source: Path, target: Path) -> str:
    """Copies a file to where it is seen from inside; returns the copy."""
    return str(shutil.copy(source, target))


def _notes(folder: Path) -> list[str]:
    """The figures that a scenario wrote down."""
    result = folder / "result.json"
    notes = json.loads(result.read_text("utf-8"))["notes"] if result.exists() else {}
    return [f"{name}: {value}" for name, value in notes.items()]


def _install(player: Player, zip_path: Path, home: Path) -> None:
    """Installs the zip, unless a kept home has the same one: its files would be new, and all kernels compiled anew."""
    stamp, digest = home / "installed.txt", hashlib.sha256(zip_path.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text("utf-8") == digest:
        return
    install = ["--command", "extension", "install-file", "-r", "user_default", "--enable", str(zip_path)]
    player.run_headless(home, install, player.out / "install.txt")
    stamp.write_text(digest, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
