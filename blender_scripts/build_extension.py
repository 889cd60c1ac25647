"""Build the installable zips of the extension.

    python blender_scripts/build_extension.py                       # this platform, Blender 4.2 to 5.0 (Python 3.11)
    python blender_scripts/build_extension.py --range py313         # Blender 5.1 and later (Python 3.13)
    python blender_scripts/build_extension.py --platform windows-x64 --range py311
    python blender_scripts/build_extension.py --range distribution  # Linux packages of Blender with another Python
    python blender_scripts/build_extension.py --all                 # all seven, for a release
    python blender_scripts/build_extension.py --gpu                 # with CUDA, for machines with an NVIDIA driver
    python blender_scripts/build_extension.py --kernels dist/kernels      # keeps compiled kernels there between builds

A zip holds addon/, the engine as its sub-package `meshclash`, wheels of Numba, llvmlite and manifold3d from the package
index, and their licences. It is built and validated by Blender's own tool, which the bpy module brings. The same
sources and wheels give the same bytes again, kernels aside.

Kernels are compiled by the Python and on the system that they are for, on all cores. So this looks for each Python that
a zip is for (in PATH, and among those of pyenv), gives it Numba in an environment of its own, and says which Python it
has not found. What `python -m meshclash.kernels build --output FOLDER` compiles elsewhere is taken from the folder of
--kernels. A Blender whose kernels a zip lacks compiles them once, in a process beside its window.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib.util
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ("numba==0.68.1", "llvmlite==0.50.0")
LIBRARIES = ("manifold3d==3.5.4",)
"""Wheels that no kernel needs: 0.9 to 1.4 MB for the common solid of two clashing solids, Apache-2.0. Other extensions
may bring another version, of which Blender keeps the newest: any from 3.0 on serves."""
GPU_REQUIREMENTS = (
    "numba-cuda==0.30.4", "cuda-bindings==13.5.0", "cuda-core==1.2.2", "cuda-pathfinder==1.9.0", "packaging==26.3",
    "nvidia-nvvm==13.5.37", "nvidia-cuda-nvrtc==13.5.37", "nvidia-cuda-runtime==13.5.37", "nvidia-nvjitlink==13.5.37",
)  # fmt: skip
"""What a machine with only a driver lacks. NVIDIA's four are proprietary: such a zip is for one's own machines."""
PLATFORM_TAGS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux2014_x86_64"),
    "windows-x64": ("win_amd64",),
    "macos-arm64": ("macosx_12_0_arm64", "macosx_11_0_arm64"),
}
OLDER_TAGS = {"linux-x64": ("manylinux2010_x86_64",)}
"""That pip takes for those above."""
PLATFORM_OF_SYSTEM = {"linux": "linux-x64", "win32": "windows-x64", "darwin": "macos-arm64"}
NOT_SHIPPED = shutil.ignore_patterns("__pycache__", "*.pyc", "*.nbi", "*.nbc", "store")
LEAST_LEVEL = "x86-64-v3"  # of processors that packages serve
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of zip files
STORED = (".whl", ".png")  # compressed already
ENGINE_IMPORT = re.compile(r"^([ \t]*)from meshclash((?:\.\w+)*) import", re.MULTILINE)
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
        label: what the name of the zip says instead of the Pythons; "" says the Pythons.
    """

    pythons: tuple[str, ...]
    first: str
    end: str | None
    label: str = ""


RANGES = {
    "py311": BlenderRange(("311",), "4.2.0", "5.1.0"),
    "py313": BlenderRange(("313",), "5.1.0", None),
    # Blender as Linux distributions package it, with the Python of the system
    "distribution": BlenderRange(("311", "313", "314"), "4.2.0", None, "distribution"),
}
RELEASE = [
    *((platform, name) for platform in PLATFORM_TAGS for name in ("py311", "py313")),
    ("linux-x64", "distribution"),
]


def main(arguments: list[str] | None = None) -> int:
    """Build the zips given on the command line; return the exit status."""
    options = _parse(arguments)
    wanted = RELEASE if options.all else [(options.platform, options.range)]
    try:
        for platform, name in wanted:
            kernels = None if options.without_kernels else options.kernels or options.output / "kernels"
            path = build(platform, RANGES[name], options.output, options.wheels, options.tool, options.gpu, kernels)
            print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)", flush=True)
    except BuildError as error:
        print(f"build_extension: {error}", file=sys.stderr)
        return 2
    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Build the MeshClash extension for Blender.")
    parser.add_argument("--platform", choices=PLATFORM_TAGS, default=PLATFORM_OF_SYSTEM.get(sys.platform))
    parser.add_argument("--range", choices=RANGES, default="py311" if sys.version_info < (3, 12) else "py313")
    parser.add_argument("--all", action="store_true", help="every platform and range")
    parser.add_argument("--gpu", action="store_true", help="with wheels of CUDA 13, about 200 MB more")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="folder of the zips (default: dist)")
    parser.add_argument("--wheels", type=Path, help="folder that keeps downloaded wheels between builds")
    parser.add_argument("--tool", type=Path, help="Blender's blender_ext.py (default: that of this Python's bpy)")
    parser.add_argument("--kernels", type=Path, help="folder of compiled kernels (default: kernels in the output)")
    parser.add_argument("--without-kernels", action="store_true", help="each machine compiles them itself")
    options = parser.parse_args(arguments)
    if options.platform is None and not options.all:
        parser.error(f"no wheels for {sys.platform}: choose a --platform")
    if options.range == "distribution" and options.platform != "linux-x64" and not options.all:
        parser.error("only Linux distributions package Blender with another Python")
    if options.gpu and (options.all or options.platform == "macos-arm64"):
        parser.error("--gpu is for one range on Linux or Windows")
    return options


def build(
    platform: str,
    versions: BlenderRange,
    output: Path,
    wheel_folder: Path | None = None,
    tool: Path | None = None,
    gpu: bool = False,
    kernels: Path | None = None,
    compiles: bool = True,
) -> Path:
    """Build and validate one zip.

    Args:
        platform: one of `PLATFORM_TAGS`.
        versions: Blender versions and Pythons it is for.
        output: folder of the zip; made if missing.
        wheel_folder: keeps downloaded wheels; None downloads into a temporary folder.
        tool: Blender's extension tool; None takes that of the bpy module.
        gpu: whether the wheels of CUDA go into it.
        kernels: keeps compiled kernels; None ships none.
        compiles: whether what that folder lacks is compiled, as far as that can be done here.

    Returns:
        Path of the zip.

    Raises:
        BuildError: a wheel cannot be had, or Blender's tool refuses the result.
    """
    tool = tool or blender_tool()
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        stage = Path(temporary) / "meshclash"
        copy_sources(stage)
        downloads = wheel_folder or Path(temporary) / "wheels"
        more = GPU_REQUIREMENTS if gpu else ()
        wheels = [wheel for python in versions.pythons for wheel in download(platform, python, downloads, more)]
        if len(versions.pythons) > 1:
            wheels = shared_wheels(wheels, Path(temporary) / "shared")
        add_wheels(stage, wheels)
        add_notices(stage, wheels)
        if kernels is not None:
            add_kernels(stage, platform, versions, kernels, compiles)
        manifest = stage / "blender_manifest.toml"
        manifest.write_text(complete_manifest(manifest.read_text("utf-8"), platform, versions, wheels), "utf-8")
        zip_path = output.resolve() / zip_name(manifest.read_text("utf-8"), platform, versions, gpu)
        run(tool, "build", "--source-dir", str(stage), "--output-filepath", str(zip_path))
        make_reproducible(zip_path)
        run(tool, "validate", str(zip_path))
    return zip_path


def blender_tool() -> Path:
    """Return Blender's extension tool from the bpy module of this Python, without importing bpy.

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
    """Copy the extension with the engine as its sub-package, without the parts that only command lines need."""
    shutil.copytree(ROOT / "addon", stage, ignore=NOT_SHIPPED)
    shutil.copytree(ROOT / "engine" / "meshclash", stage / "meshclash", ignore=NOT_SHIPPED)
    for name in runpy.run_path(str(ROOT / "engine" / "meshclash" / "kernels" / "sources.py"))["COMMAND_LINE"]:
        (stage / "meshclash" / name).unlink()
    for path in stage.rglob("*.py"):
        if not path.is_relative_to(stage / "meshclash"):
            path.write_text(with_own_engine(path.read_text("utf-8"), len(path.relative_to(stage).parts)), "utf-8")
    shutil.copy(ROOT / "LICENSE", stage / "LICENSE")
    shutil.copy(ROOT / "engine" / "LICENSE", stage / "meshclash" / "LICENSE")


def with_own_engine(source: str, depth: int) -> str:
    """Return a source of the extension that imports the engine as a sub-package, whatever the extension's name is.

    Args:
        source: imports from the installed package.
        depth: of the file: 1 for those beside `__init__.py`.
    """
    return ENGINE_IMPORT.sub(rf"\1from {'.' * depth}meshclash\2 import", source)


def add_kernels(stage: Path, platform: str, versions: BlenderRange, kernels: Path, compiles: bool = True) -> None:
    """Add the kernels for a platform and a range of Blender versions; return which Python versions lack some."""
    system = next(system for system, name in PLATFORM_OF_SYSTEM.items() if name == platform)
    several = len(versions.pythons) > 1
    for python in versions.pythons:
        interpreter = kernel_python(python, kernels) if compiles and system == sys.platform else None
        if interpreter is not None:
            build_kernels(kernels, [LEAST_LEVEL] if several else [], extension_parts(), interpreter)
        found = stored_kernels(kernels, (python,), system)
        if several:  # those of one level each, so as not to grow with both
            least = min((path.parent.name for path in found), default="")
            found = [path for path in found if path.parent.name == least]
        for path in found:
            target = stage / "meshclash" / "kernels" / "store" / path.parent.name / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        if not found:
            print(missing_kernels(python, platform, kernels), file=sys.stderr)


def extension_parts() -> tuple[str, ...]:
    """Return the parts of the engine's warm-up that the extension may request."""
    return tuple(runpy.run_path(str(ROOT / "engine" / "meshclash" / "clash" / "kernel_parts.py"))["EVERYTHING"])


def missing_kernels(python: str, platform: str, kernels: Path) -> str:
    """Return the message about a Python version whose kernels cannot be compiled here."""
    version = f"{python[0]}.{python[1:]}"
    command = f"PYTHONPATH=engine python{version} -m meshclash.kernels build --output {kernels}"
    return (
        f"no kernels for Python {version} on {platform}: Blender compiles them once, beside its window. To ship them, "
        f"run this on {platform} with a Python {version} that has {' and '.join(REQUIREMENTS)}, then build again:\n"
        f"    {command}"
    )


def kernel_python(python: str, kernels: Path) -> Path | None:
    """Return a Python of a version ("313") that can compile kernels: this one, or one in an environment; None if there
    is none.

    Args:
        python: the version.
        kernels: the environment lies beside this folder.

    Raises:
        BuildError: there is such a Python, but Numba cannot be installed for it.
    """
    if python == f"{sys.version_info[0]}{sys.version_info[1]}" and importlib.util.find_spec("numba"):
        return Path(sys.executable)
    folder = kernels.resolve().parent / f".venv-kernels-{python}"
    own = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not _says(own, python, "import numba, llvmlite; print('+'.join((numba.__version__, llvmlite.__version__)))"):
        base = next((found for found in _pythons(python) if _says(found, python, "import venv")), None)
        if base is None:
            return None
        print(f"installing Numba for {base} in {folder}", file=sys.stderr, flush=True)
        run("-m", "venv", "--clear", folder, program=base)
        run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIREMENTS, program=own)
    return own


def _pythons(python: str) -> list[Path]:
    """Return paths where a Python of a version may be."""
    version = f"{python[0]}.{python[1:]}"
    named = shutil.which(f"python{version}")
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return [*([Path(named)] if named else []), *sorted(root.glob(f"versions/{version}.*/bin/python"))]


def _says(program: Path, python: str, code: str) -> bool:
    """Return whether a program is a Python of a version and runs some code, with the expected version of Numba."""
    code = f"import sys; print('%d%d' % sys.version_info[:2]); {code}"
    try:
        done = subprocess.run([program, "-c", code], capture_output=True, text=True, check=False, env=_environment())
    except OSError:
        return False
    wanted = "+".join(requirement.partition("==")[2] for requirement in REQUIREMENTS)
    return not done.returncode and done.stdout.split() in ([python], [python, wanted])


def build_kernels(folder: Path, levels: Iterable[str], parts: Iterable[str] = (), python: Path | None = None) -> None:
    """Compile this checkout's kernels unless they are in the folder already; show a progress bar.

    Args:
        folder: of the stores.
        levels: of processors; none for those that packages carry.
        parts: of the warm-up; none for all.
        python: that they are for; None for this one.

    Raises:
        BuildError: they cannot be compiled.
    """
    chosen = [option for level in levels for option in ("--level", level)]
    chosen += [option for part in parts for option in ("--part", part)]
    run(
        "-m", "meshclash.kernels", "build", "--output", folder.resolve(), *chosen,
        program=python, shown=True, PYTHONPATH=str(ROOT / "engine"),
    )  # fmt: skip


def stored_kernels(folder: Path, pythons: Iterable[str], system: str) -> list[Path]:
    """Return the files of all kernel stores for some Python versions ("311") on a system, named as in
    ``sys.platform``.
    """
    stores = (path for python in pythons for path in sorted(folder.glob(f"cp{python}-{system}-*")))
    return [file for store in stores for file in sorted(store.glob("*"))]


def download(platform: str, python: str, folder: Path, more: tuple[str, ...] = ()) -> list[Path]:
    """Download the wheels of `REQUIREMENTS`, `LIBRARIES` and `more` for a platform and a Python version ("311").

    They come from `folder`, or from the package index.

    Raises:
        BuildError: pip cannot find one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wheels = []
    for requirement in (*REQUIREMENTS, *LIBRARIES, *more):
        if not _downloaded(requirement, platform, python, folder):
            tags = [option for tag in PLATFORM_TAGS[platform] for option in ("--platform", tag)]
            target = ("--implementation", "cp", "--python-version", f"{python[0]}.{python[1:]}", *tags)
            command = ("pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(folder))
            run("-m", *command, *target, requirement)
        fitting = _downloaded(requirement, platform, python, folder)
        if not fitting:
            raise BuildError(f"no wheel of {requirement} for Python {python} on {platform}")
        wheels.append(fitting[0])
    return wheels


def _downloaded(requirement: str, platform: str, python: str, folder: Path) -> list[Path]:
    name = requirement.replace("-", "_").replace("==", "-")
    return sorted(wheel for wheel in folder.glob(f"{name}-*.whl") if _fits(wheel, platform, python))


def _fits(wheel: Path, platform: str, python: str) -> bool:
    """Return whether a wheel suits a Python version and a platform."""
    for_python, _, for_platform = wheel.stem.split("-")[-3:]
    if not {f"cp{python}", "py3"} & set(for_python.split(".")):
        return False
    tags = {*PLATFORM_TAGS[platform], *OLDER_TAGS.get(platform, ()), "any"}
    return bool(tags & set(for_platform.split(".")))


def shared_wheels(wheels: list[Path], folder: Path) -> list[Path]:
    """Return the wheels, with one wheel for all Python versions if those for single versions contain the same files.

    llvmlite loads its library without Python's binary interface, so its wheels differ in their tags only; one instead
    of three saves 120 MB. Not for the extensions site, which takes unmodified wheels only.

    Args:
        wheels: of several Pythons and one platform.
        folder: place of wheels made here.
    """
    kept: list[Path] = []
    for library in sorted({wheel.name.split("-")[0] for wheel in wheels}):
        group = sorted({wheel for wheel in wheels if wheel.name.startswith(f"{library}-")})
        if len(group) == 1:  # for all Pythons already
            kept += group
            continue
        contents = [_payload(wheel) for wheel in group]
        same = all(content == contents[0] for content in contents)
        kept += [_for_all_pythons(group[0], folder)] if same else group
    return kept


def _payload(wheel: Path) -> dict[str, int]:
    """Return checksums of the files in a wheel, except those that name its Python version."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            entry.filename: entry.CRC
            for entry in archive.infolist()
            if not entry.filename.endswith((".dist-info/WHEEL", ".dist-info/RECORD"))
        }


def _for_all_pythons(wheel: Path, folder: Path) -> Path:
    """Return the same wheel with tags for any Python 3."""
    name, version, _, _, platform = wheel.stem.split("-")
    folder.mkdir(exist_ok=True)
    target = folder / f"{name}-{version}-py3-none-{platform}.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        files = {entry: archive.read(entry) for entry in archive.namelist() if not entry.endswith("/")}
    tags = re.sub(rb"^Tag: [^-\s]+-[^-\s]+-", b"Tag: py3-none-", files[f"{info}/WHEEL"], flags=re.MULTILINE)
    digest = base64.urlsafe_b64encode(hashlib.sha256(tags).digest()).rstrip(b"=").decode()
    record = re.sub(
        rf"^{re.escape(info)}/WHEEL,.*$",
        f"{info}/WHEEL,sha256={digest},{len(tags)}",
        files[f"{info}/RECORD"].decode(),
        flags=re.MULTILINE,
    )
    write_zip(target, {**files, f"{info}/WHEEL": tags, f"{info}/RECORD": record.encode()})
    return target


def make_reproducible(path: Path) -> None:
    """Write the zip again without differences between builds: dates, order of files and permissions."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    write_zip(path, files)


def write_zip(path: Path, files: dict[str, bytes]) -> None:
    """Write a zip whose bytes depend only on the names and contents of its files."""
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, FIRST_DAY)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(STORED) else zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name], compresslevel=9)


def add_wheels(stage: Path, wheels: list[Path]) -> None:
    """Copy the wheels into the staged extension."""
    (stage / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy(wheel, stage / "wheels" / wheel.name)


def add_notices(stage: Path, wheels: list[Path]) -> None:
    """Add the licences of the bundled libraries.

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
    """Return the manifest with the versions, the platform and the wheels of this build."""
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


def zip_name(manifest: str, platform: str, versions: BlenderRange, gpu: bool = False) -> str:
    """Return the name of the zip: version, platform, Python versions or label, and whether it supports a GPU."""
    version = re.search(r'^version = "(.+)"$', manifest, re.MULTILINE)
    if version is None:
        raise BuildError("the manifest has no version")
    pythons = versions.label or "-".join(f"py{python}" for python in versions.pythons)
    return f"meshclash-{version[1]}-{platform}-{pythons}{'-gpu' if gpu else ''}.zip"


def run(*command: str | Path, program: Path | None = None, shown: bool = False, **variables: str) -> None:
    """Run a command with Python, or another program, with additional environment variables.

    Raises:
        BuildError: it fails; the message is what it said, unless that is shown as it is said.
    """
    finished = subprocess.run(
        [str(program or sys.executable), *map(str, command)], capture_output=not shown, text=True, check=False,
        stdin=subprocess.DEVNULL, env={**(os.environ if program is None else _environment()), **variables},
    )  # fmt: skip
    if finished.returncode:
        name = Path(str(command[0])).name if command[0] != "-m" else str(command[1])
        raise BuildError(f"{name} failed:\n{finished.stdout or ''}{finished.stderr or ''}".strip())


def _environment() -> dict[str, str]:
    """Return environment variables for another Python, without this one's module paths."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}


if __name__ == "__main__":
    sys.exit(main())
