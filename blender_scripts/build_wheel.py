"""Build the wheel of the engine for this Python and platform, with its compiled kernels.

    python blender_scripts/build_wheel.py                         # writes dist/meshclash-*.whl
    python blender_scripts/build_wheel.py --level x86-64-v3       # for one processor level instead of all that this has
    python blender_scripts/build_wheel.py --kernels dist/kernels  # keeps the compiled kernels there, for a next build

A wheel without compiled kernels, for any platform, is what `pip wheel .` makes. Needs pip and what the engine needs.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Blender does not do this for a script that it runs
from build_extension import BuildError, build_kernels, run, stored_kernels, write_zip

ROOT = Path(__file__).resolve().parents[1]
STORE = "meshclash/kernels/store"


def main(arguments: list[str] | None = None) -> int:
    """Build the wheel given on the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="folder of the wheel (default: dist)")
    parser.add_argument("--kernels", type=Path, help="folder that keeps compiled kernels between builds")
    parser.add_argument("--level", action="append", help="processor level; may be repeated (default: all of this one)")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as temporary:
            kernels = options.kernels or Path(temporary) / "kernels"
            build_kernels(kernels, options.level or [])
            path = add_kernels(plain_wheel(Path(temporary)), kernels, options.output)
    except BuildError as error:
        print(f"build_wheel: {error}", file=sys.stderr)
        return 2
    print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")
    return 0


def plain_wheel(folder: Path) -> Path:
    """Return the wheel that the project's build system builds; raises BuildError."""
    run("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    return next(folder.glob("meshclash-*.whl"))


def add_kernels(wheel: Path, kernels: Path, output: Path) -> Path:
    """Return the same wheel with stores of kernels, named for this Python and platform.

    Args:
        wheel: for any Python and platform.
        kernels: folder of the stores.
        output: folder of the result; made if missing.
    """
    name, version = wheel.stem.split("-")[:2]
    info = f"{name}-{version}.dist-info"
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}-none-{platform_tag()}"
    with zipfile.ZipFile(wheel) as archive:
        files = {entry: archive.read(entry) for entry in archive.namelist() if not entry.endswith("/")}
    files = {entry: content for entry, content in files.items() if not entry.startswith(f"{STORE}/")}
    for path in stored_kernels(kernels, (f"{sys.version_info[0]}{sys.version_info[1]}",), sys.platform):
        files[f"{STORE}/{path.parent.name}/{path.name}"] = path.read_bytes()
    text = files[f"{info}/WHEEL"].decode()
    text = re.sub(r"^Root-Is-Purelib: .*$", "Root-Is-Purelib: false", text, flags=re.MULTILINE)
    files[f"{info}/WHEEL"] = re.sub(r"^Tag: .*$", f"Tag: {tag}", text, flags=re.MULTILINE).encode()
    files[f"{info}/RECORD"] = record({entry: files[entry] for entry in files if not entry.endswith("/RECORD")}, info)
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{name}-{version}-{tag}.whl"
    write_zip(path, files)
    return path


def platform_tag() -> str:
    """Return the platform tag of the kernels' machine code, which is that of Numba."""
    if sys.platform == "linux":  # kernels call Numba's library alone, whose wheels have this tag
        return f"manylinux_2_27_{sysconfig.get_platform().rpartition('-')[2]}"
    return re.sub(r"[-.]", "_", sysconfig.get_platform())


def record(files: dict[str, bytes], info: str) -> bytes:
    """Return the list of a wheel's files with their hashes."""
    lines = []
    for entry, content in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{entry},sha256={digest},{len(content)}")
    return ("\n".join([*lines, f"{info}/RECORD,,"]) + "\n").encode()


if __name__ == "__main__":
    sys.exit(main())
