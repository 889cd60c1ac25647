"""Three commands for a fresh machine; needs nothing but Python 3.11 or 3.13 and the network.

    python3 blender_scripts/quickstart.py demo    # installs, detects the clashes of the example, checks the answer
    python3 blender_scripts/quickstart.py test    # installs and runs all tests but the slow ones; --all: those, too
    python3 blender_scripts/quickstart.py build   # installs and builds the extension: dist/*.zip for every Blender here

Everything it installs goes into .venv-* folders of the repository. It runs on any Python 3 as far as the message that
says which Python to take.
"""

# ruff: noqa: UP032 - f-strings would be a syntax error before the message on an old Python

import argparse
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLENDER_VERSIONS = {(3, 11): ["4.5.15", "4.2.23"], (3, 13): ["5.2.3"]}  # first that of the extra "blender"
NUMPY_OF_BLENDER = {"4.2.23": "numpy<2"}  # that wheel does not say which NumPy it was built for
PERMITTED_OVERLAP = "0.0001"  # of the example's press fits [m]
BUILT_RANGES = ("py311", "py313")  # Blender 4.2 to 5.0, and later ones
if sys.platform == "linux":
    BUILT_RANGES += ("distribution",)  # Blender as Linux distributions package it
BUILD_MINUTES = 6  # of one zip, on two cores: most of it compiles kernels
LIBRARIES = "libx11-6 libxext6 libxfixes3 libxi6 libxrender1 libxxf86vm1 libxkbcommon0 libsm6 libice6 libgl1 libgomp1"


def main() -> int:
    """Runs one of the commands; returns the exit code."""
    arguments, more = _arguments()
    if sys.version_info[:2] not in BLENDER_VERSIONS:
        wanted = " or ".join("{}.{}".format(*version) for version in sorted(BLENDER_VERSIONS))
        print(
            "This is Python {}.{}. Blender's module bpy exists for Python {} only: install one of them and run\n"
            "    python3.11 blender_scripts/quickstart.py {}".format(*sys.version_info[:2], wanted, arguments.command),
            file=sys.stderr,
        )
        return 2
    versions = arguments.blender or BLENDER_VERSIONS[sys.version_info[:2]]
    try:
        if arguments.command == "build":
            return _build(versions[0], more)
        return _demo(versions[0]) if arguments.command == "demo" else _test(versions, more)
    except subprocess.CalledProcessError as error:
        command = " ".join(str(part) for part in error.cmd)
        print("This command failed with exit code {}:\n    {}".format(error.returncode, command), file=sys.stderr)
        return 1


def _arguments() -> tuple:
    """What is asked for, and what "build" hands on to build_extension.py, "test" to run_all.py."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("demo", "test", "build"))
    parser.add_argument("--blender", action="append", metavar="VERSION", help="version of bpy; may be repeated")
    arguments, more = parser.parse_known_args()
    if more and arguments.command == "demo":
        parser.error("unrecognized arguments: {}".format(" ".join(more)))
    return arguments, more


def _demo(version: str) -> int:
    """Builds the example, detects its clashes, and compares them with what was constructed."""
    python = _environment(version, "")
    out = ROOT / "out"
    out.mkdir(exist_ok=True)
    scene, report, picture = out / "assembly.blend", out / "report.json", out / "contacts.png"
    example = ROOT / "examples" / "mechanical_assembly.py"
    _say("Building the example: a gearbox of 106 parts")
    _run([python, example, scene])
    _say("Detecting, with a permitted overlap of 0.1 mm for press fits (the first run compiles the engine)")
    options = ["--permitted-overlap", PERMITTED_OVERLAP, "--report", report, "--picture", picture]
    _run([python, ROOT / "blender_scripts" / "detect.py", scene, *options])
    _say("Comparing the report with the construction")
    _run([python, example, "--check", report])
    return 0


def _test(versions: list, more: list) -> int:
    """The engine's tests once, the extension's on every version of Blender, with a process for each core."""
    pythons = [_environment(version, "test") for version in versions]
    _say("Testing the engine, and the extension with bpy {}".format(", ".join(versions)))
    _run([pythons[0], ROOT / "tests" / "run_all.py", *more, *pythons])
    _say("All tests have passed")
    return 0


def _build(version: str, more: list) -> int:
    """Builds the zips of this platform, whichever Python the environment has, or what further options ask for."""
    python = _environment(version, "")
    wanted = [more] if more else [["--range", name] for name in BUILT_RANGES]
    begun = time.time()
    for number, options in enumerate(wanted, 1):
        left = BUILD_MINUTES * (len(wanted) - number + 1)
        if number > 1:
            left = (time.time() - begun) / 60.0 / (number - 1) * (len(wanted) - number + 1)
        _say("Building zip {} of {}; about {:.0f} minutes left".format(number, len(wanted), max(1.0, left)))
        _run([python, ROOT / "blender_scripts" / "build_extension.py", *options])
    return 0


def _environment(version: str, extra: str) -> Path:
    """The interpreter of a virtual environment that has the engine and one version of bpy."""
    folder = ROOT / ".venv-{}.{}-bpy{}".format(*sys.version_info[:2], version)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        _say("Making {}".format(folder.name))
        venv.create(str(folder), with_pip=True)
    extras, wanted = [extra] if extra else [], []
    if version == BLENDER_VERSIONS[sys.version_info[:2]][0]:
        extras.append("blender")
    else:
        wanted.append("bpy=={}".format(version))
    if version in NUMPY_OF_BLENDER:
        wanted.append(NUMPY_OF_BLENDER[version])
    _say("Installing bpy {} and the engine (about 400 MB the first time)".format(version))
    project = "{}[{}]".format(ROOT, ",".join(extras)) if extras else str(ROOT)
    # Of thousands of files few are ever imported: Python compiles these then.
    options = ["--quiet", "--disable-pip-version-check", "--no-compile"]
    _run([python, "-m", "pip", "install", *options, "-e", project, *wanted])
    _check_bpy(python)
    return python


def _check_bpy(python: Path) -> None:
    """Fails with the names of the missing system packages where bpy cannot be imported."""
    tried = subprocess.run([str(python), "-c", "import bpy"], stderr=subprocess.PIPE, text=True, check=False)
    if tried.returncode != 0:
        print(tried.stderr, file=sys.stderr)
        print(
            "Blender's module cannot be imported. On Debian and Ubuntu it needs these system libraries:\n"
            "    sudo apt-get install {}".format(LIBRARIES),
            file=sys.stderr,
        )
        raise subprocess.CalledProcessError(tried.returncode, tried.args)


def _run(command: list) -> None:
    subprocess.run([str(part) for part in command], cwd=str(ROOT), check=True)


def _say(text: str) -> None:
    print("\n== {}".format(text), flush=True)


if __name__ == "__main__":
    sys.exit(main())
