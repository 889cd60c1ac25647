"""Create a folder from which Blender installs and updates the extension; any web server can serve it.

    python blender_scripts/build_extension.py --all
    python blender_scripts/build_repository.py dist             # makes dist/repository

A user adds the address of index.json in Preferences, Get Extensions, Repositories. The zip for Linux distributions is
for the same Blenders as others, and a repository offers each Blender one; so it has an index of its own in
distribution/. The index is made by Blender's own tool, which the bpy module brings, and sorted: the same zips give the
same index.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Blender does not do this for a script that it runs
from build_extension import RANGES, BuildError, blender_tool

DISTRIBUTION = RANGES["distribution"].label
PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>MeshClash for Blender</title></head>
<body>
<h1>MeshClash for Blender</h1>
<p>Drag the name that fits your Blender and platform into its window. Blender then also finds later versions.</p>
${body}
</body>
</html>
"""


def main(arguments: list[str] | None = None) -> int:
    """Create the folder given on the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zips", type=Path, help="folder of the zips")
    parser.add_argument("--output", type=Path, help="folder to make (default: repository, beside the zips)")
    parser.add_argument("--tool", type=Path, help="Blender's blender_ext.py (default: that of this Python's bpy)")
    options = parser.parse_args(arguments)
    try:
        indices = build(sorted(options.zips.glob("*.zip")), options.output or options.zips / "repository", options.tool)
    except BuildError as error:
        print(f"build_repository: {error}", file=sys.stderr)
        return 2
    for index in indices:
        print(f"{index} ({len(json.loads(index.read_text('utf-8'))['data'])} zips)")
    return 0


def build(zips: Iterable[Path], output: Path, tool: Path | None = None) -> list[Path]:
    """Create the folder from zips of one version.

    Args:
        zips: zips of `build_extension`.
        output: folder to make; index files and zips that are there are replaced.
        tool: Blender's extension tool; None takes that of the bpy module.

    Returns:
        The index files.

    Raises:
        BuildError: there is no zip, their versions differ, or two are for the same Blender.
    """
    folders = {output: [], output / DISTRIBUTION: []}
    for path in zips:
        folders[output / DISTRIBUTION if path.stem.endswith(DISTRIBUTION) else output].append(path)
    versions = {version_of(path) for group in folders.values() for path in group}
    if len(versions) != 1:
        found = ", ".join(sorted(versions)) or "none"
        raise BuildError(f"a repository holds the zips of one version, found {found}")
    return [_build_one(group, folder, tool or blender_tool()) for folder, group in folders.items() if group]


def version_of(path: Path) -> str:
    """Return the version in a zip's manifest.

    Raises:
        BuildError: it is no zip of an extension.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return str(tomllib.loads(archive.read("blender_manifest.toml").decode())["version"])
    except (zipfile.BadZipFile, KeyError, tomllib.TOMLDecodeError) as error:
        raise BuildError(f"{path} is no extension: {error}") from error


def _build_one(zips: list[Path], folder: Path, tool: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.zip"):
        old.unlink()
    for path in zips:
        shutil.copy(path, folder / path.name)
    with tempfile.TemporaryDirectory() as temporary:
        page = Path(temporary) / "page.html"
        page.write_text(PAGE, "utf-8")
        command = [sys.executable, str(tool), "server-generate", "--repo-dir", str(folder), "--html"]
        done = subprocess.run([*command, "--html-template", str(page)], capture_output=True, text=True, check=False)
    if done.returncode or "WARN" in done.stdout + done.stderr:
        raise BuildError(f"server-generate: {done.stdout}{done.stderr}".strip())
    index = folder / "index.json"
    content = json.loads(index.read_text("utf-8"))
    content["data"].sort(key=lambda entry: entry["archive_url"])
    index.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    return index


if __name__ == "__main__":
    sys.exit(main())
