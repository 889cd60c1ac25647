"""Builds the installable zip of the extension.

    python blender_scripts/build_extension.py                       # this platform, Blender 4.2 to 5.0 (Python 3.11)
    python blender_scripts/build_extension.py --range py313         # Blender 5.1 and later (Python 3.13)
    python blender_scripts/build_extension.py --platform windows-x64 --range py311
    python blender_scripts/build_extension.py --pythons 311,313,314 # Linux packages of Blender with another Python

The zip holds addon/, the engine as its sub-package `meshclash`, unmodified wheels of Numba and llvmlite from the
package index, and their licences. It is built and validated by Blender's own tool, which the bpy module brings.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ("numba==0.68.1", "llvmlite==0.50.0")
PLATFORM_TAGS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux2014_x86_64"),
    "windows-x64": ("win_amd64",),
    "macos-arm64": ("macosx_12_0_arm64",),
}
PLATFORM_OF_SYSTEM = {"linux": "linux-x64", "win32": "windows-x64", "darwin": "macos-arm64"}
NOT_SHIPPED = shutil.ignore_patterns("__pycache__", "*.pyc", "bench", "*.nbi", "*.nbc")
NOTICE_FILE = re.compile(r"\.dist-info/(licenses/)?(.*/)?(LICEN[CS]E|COPYING|NOTICE)[^/]*$", re.IGNORECASE)


class BuildError(Exception):
    """The zip cannot be built; the message says why."""


@dataclass(frozen=True)
class BlenderRange:
    """The Blender versions that have one Python.

    Attributes:
        pythons: interpreters whose wheels go into the zip, as "311".
        first: lowest Blender version.
        end: the first version that is no longer supported, or None.
    """

    pythons: tuple[str, ...]
    first: str
    end: str | None


RANGES = {
    "py311": BlenderRange(("311",), "4.2.0", "5.1.0"),
    "py313": BlenderRange(("313",), "5.1.0", None),
}


def main(arguments: list[str] | None = None) -> int:
    """Builds what the command line asks for; returns the exit status."""
    options = _parse(arguments)
    chosen = RANGES[options.range]
    if options.pythons:
        chosen = BlenderRange(tuple(options.pythons.split(",")), "4.2.0", None)
    try:
        path = build(options.platform, chosen, options.output, options.wheels)
    except BuildError as error:
        print(f"build_extension: {error}", file=sys.stderr)
        return 2
    print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")
    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Build the MeshClash extension for Blender.")
    parser.add_argument("--platform", choices=PLATFORM_TAGS, default=PLATFORM_OF_SYSTEM.get(sys.platform))
    parser.add_argument("--range", choices=RANGES, default="py311" if sys.version_info < (3, 12) else "py313")
    parser.add_argument("--pythons", metavar="311,313,...", help="wheels of several Pythons in one zip")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="folder of the zip (default: dist)")
    parser.add_argument("--wheels", type=Path, help="folder that keeps downloaded wheels between builds")
    options = parser.parse_args(arguments)
    if options.platform is None:
        parser.error(f"no wheels for {sys.platform}: choose a --platform")
    return options


def build(platform: str, versions: BlenderRange, output: Path, wheel_folder: Path | None = None) -> Path:
    """Builds and validates one zip.

    Args:
        platform: one of `PLATFORM_TAGS`.
        versions: Blender versions and Pythons it is for.
        output: folder of the zip; made if missing.
        wheel_folder: keeps downloaded wheels; None downloads into a temporary folder.

    Returns:
        Path of the zip.

    Raises:
        BuildError: a wheel cannot be had, or Blender's tool refuses the result.
    """
    tool = blender_tool()
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        stage = Path(temporary) / "meshclash"
        copy_sources(stage)
        downloads = wheel_folder or Path(temporary) / "wheels"
        wheels = [wheel for python in versions.pythons for wheel in download(platform, python, downloads)]
        add_wheels(stage, wheels)
        add_notices(stage, wheels)
        manifest = stage / "blender_manifest.toml"
        manifest.write_text(complete_manifest(manifest.read_text("utf-8"), platform, versions, wheels), "utf-8")
        zip_path = output.resolve() / zip_name(manifest.read_text("utf-8"), platform, versions)
        _run(tool, "build", "--source-dir", str(stage), "--output-filepath", str(zip_path))
        _run(tool, "validate", str(zip_path))
    return zip_path


def blender_tool() -> Path:
    """Blender's extension tool inside the bpy module of this Python; importing bpy is not needed.

    Raises:
        BuildError: there is no bpy module.
    """
    spec = importlib.util.find_spec("bpy")
    places = spec.submodule_search_locations if spec and spec.submodule_search_locations else []
    for place in places:
        for tool in Path(place).glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"):
            return tool
    raise BuildError("Blender's extension tool comes with the bpy module: pip install 'meshclash[blender]'")


def copy_sources(stage: Path) -> None:
    """Copies the extension and, as its sub-package, the engine without its benchmarks."""
    shutil.copytree(ROOT / "addon", stage, ignore=NOT_SHIPPED)
    shutil.copytree(ROOT / "engine" / "meshclash", stage / "meshclash", ignore=NOT_SHIPPED)
    if (ROOT / "LICENSE").exists():
        shutil.copy(ROOT / "LICENSE", stage / "LICENSE")


def download(platform: str, python: str, folder: Path) -> list[Path]:
    """The wheels of `REQUIREMENTS` for a platform and a Python ("311"), from `folder` or the package index.

    Raises:
        BuildError: pip cannot find one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wheels = []
    for requirement in REQUIREMENTS:
        if not _downloaded(requirement, platform, python, folder):
            tags = [option for tag in PLATFORM_TAGS[platform] for option in ("--platform", tag)]
            target = ("--implementation", "cp", "--python-version", f"{python[0]}.{python[1:]}", *tags)
            command = ("pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(folder))
            _run("-m", *command, *target, requirement)
        fitting = _downloaded(requirement, platform, python, folder)
        if not fitting:
            raise BuildError(f"no wheel of {requirement} for Python {python} on {platform}")
        wheels.append(fitting[0])
    return wheels


def _downloaded(requirement: str, platform: str, python: str, folder: Path) -> list[Path]:
    wheels = sorted(folder.glob(f"{requirement.replace('==', '-')}-cp{python}-*.whl"))
    return [wheel for wheel in wheels if any(tag in wheel.name for tag in PLATFORM_TAGS[platform])]


def add_wheels(stage: Path, wheels: list[Path]) -> None:
    """Copies the wheels, unmodified, into the staged extension."""
    (stage / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy(wheel, stage / "wheels" / wheel.name)


def add_notices(stage: Path, wheels: list[Path]) -> None:
    """Puts the licences of the bundled libraries where a user can read them.

    Raises:
        BuildError: a wheel holds no licence.
    """
    folder = stage / "third_party_notices"
    folder.mkdir()
    for wheel in wheels:
        library = wheel.name.split("-")[0]
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if NOTICE_FILE.search(name)]
            if not names:
                raise BuildError(f"{wheel.name} holds no licence text")
            for name in names:
                (folder / f"{library}-{Path(name).name.removesuffix('.txt')}.txt").write_bytes(archive.read(name))


def complete_manifest(text: str, platform: str, versions: BlenderRange, wheels: list[Path]) -> str:
    """The manifest with the versions, the platform and the wheels of this build."""
    lines = [f'blender_version_min = "{versions.first}"']
    if versions.end:
        lines.append(f'blender_version_max = "{versions.end}"')
    lines += [f'platforms = ["{platform}"]', "wheels = ["]
    lines += [f'  "./wheels/{wheel.name}",' for wheel in wheels]
    lines.append("]")
    completed, count = re.subn(r'^blender_version_min = ".*"$', "\n".join(lines), text, flags=re.MULTILINE)
    if count != 1:
        raise BuildError("the manifest must have one line blender_version_min")
    return completed


def zip_name(manifest: str, platform: str, versions: BlenderRange) -> str:
    """Name of the zip: version, platform and Pythons."""
    version = re.search(r'^version = "(.+)"$', manifest, re.MULTILINE)
    if version is None:
        raise BuildError("the manifest has no version")
    return f"meshclash-{version[1]}-{platform}-{'-'.join(f'py{python}' for python in versions.pythons)}.zip"


def _run(*command: str | Path) -> None:
    finished = subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if finished.returncode:
        name = Path(str(command[0])).name if command[0] != "-m" else str(command[1])
        raise BuildError(f"{name} failed:\n{finished.stdout}{finished.stderr}".strip())


if __name__ == "__main__":
    sys.exit(main())
