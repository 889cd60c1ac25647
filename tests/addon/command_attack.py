"""Runs the command line as processes of their own under bad conditions, and compares exit codes and reports.

python tests/addon/command_attack.py             # 25 runs of some seconds; as root also on a full disk

A table of what was expected and what came is printed; the exit code is 0 when nothing differs.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[2]
DETECT = ROOT / "blender_scripts" / "detect.py"
FAILING = """
import runpy, sys
sys.path[:0] = [{root!r}, {root!r} + "/engine"]
import bpy
from addon import commandline
def fail(*_arguments, **_options):
    raise {error}
commandline.detect_steps = fail
sys.argv[0] = {detect!r}
runpy.run_path({detect!r}, run_name="__main__")
"""
CODES = {"done": 0, "clashes": 1, "wrong": 2, "internal": 3, "cancelled": 130}
NOT_UTF8 = b"Br\xfceche"
FORMULAS = ("=1+1", "+1", "-1", "@SUM(1)", "\t=1+1", "=HYPERLINK(1)")
ESCAPE = "\x1b]0;title\x07"
NOT_TRIED = "not tried"
FULL_DISK = 64 * 1024


def main() -> int:
    """Runs everything; returns the exit code."""
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scene = _scene(folder)
        for what, fault in _attacks(folder, scene):
            wrong = bool(fault) and not fault.startswith(NOT_TRIED)
            faults += wrong
            print(f"{what:40s} {'WRONG, ' if wrong else ''}{fault or 'right'}", flush=True)
    print(f"{faults} wrong")
    return int(faults > 0)


def _attacks(folder: Path, scene: Path) -> Iterator[tuple[str, str]]:
    for streams, redirect in _redirections().items():
        for kind, code in CODES.items():
            report = folder / f"{kind}.json"
            report.write_text("old", encoding="utf-8")
            got = redirect(_command(kind, scene, report))
            written = _is_report(report) if code < 2 else report.read_text(encoding="utf-8") == "old"
            fault = f"code {got} instead of {code}" if got != code else "" if written else "the report is not right"
            yield f"{kind}, {streams}", fault
    yield "the report is a link", _through_a_link(folder, scene)
    yield "names and files that are not UTF-8", _odd_names(folder, scene)
    yield "names that are formulas, in LibreOffice", _in_a_spreadsheet(folder, scene)
    yield "a full disk", _on_a_full_disk(folder, scene)


def _scene(folder: Path) -> Path:
    """Boxes that clash, with names that try everything."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for index, name in enumerate((*FORMULAS, f"B{ESCAPE}", "Träger")):
        bpy.ops.mesh.primitive_cube_add(location=(0.5 * index, 0.0, 0.0))
        bpy.context.object.name = name
    bpy.context.object.name = "Bruecke"
    path = folder / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    path.write_bytes(path.read_bytes().replace(b"OBBruecke", b"OB" + NOT_UTF8))
    return path


def _command(kind: str, scene: Path, report: Path) -> list[str]:
    script = [str(DETECT)]
    if kind in ("internal", "cancelled"):
        error = "RuntimeError('a fault')" if kind == "internal" else "KeyboardInterrupt"
        script = ["-c", FAILING.format(root=str(ROOT), detect=str(DETECT), error=error)]
    extra = {"clashes": ["--fail-on", "clash"], "wrong": ["--set-a", "Ö"]}.get(kind, [])
    return [sys.executable, *script, str(scene), "--report", str(report), *extra]


def _redirections() -> dict[str, Callable[[list[str]], int]]:
    def shell(redirection: str) -> Callable[[list[str]], int]:
        return lambda command: _code(["sh", "-c", f'exec "$@" {redirection}', "sh", *command])

    def ascii_only(command: list[str]) -> int:
        terminal = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
        done = subprocess.run(command, env=terminal, capture_output=True, check=False)
        return done.returncode if not set(done.stdout + done.stderr) - set(range(32, 127)) - {10} else -1

    def broken(command: list[str]) -> int:
        reader, writer = os.pipe()
        os.close(reader)
        try:
            return _code(command, stdout=writer, stderr=writer)
        finally:
            os.close(writer)

    return {
        "stdout closed": shell(">&- 2>/dev/null"),
        "all streams closed": shell("<&- >&- 2>&-"),
        "streams full": shell(">/dev/full 2>&1"),
        "streams broken": broken,
        "streams of ASCII": ascii_only,
    }


def _is_report(path: Path) -> bool:
    try:
        return len(json.loads(path.read_text(encoding="utf-8"))["pairs"]) > 0
    except (ValueError, KeyError):
        return False


def _run(*arguments: str | Path | bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, DETECT, *arguments], capture_output=True, check=False)


def _code(command: list[str], **streams: int) -> int:
    return subprocess.run(command, **streams, check=False).returncode  # type: ignore[call-overload]


def _through_a_link(folder: Path, scene: Path) -> str:
    (folder / "there").mkdir()
    target, link = folder / "there" / "target.json", folder / "link.json"
    link.symlink_to(target)
    code = _run(scene, "--report", link).returncode
    return "" if code == 0 and link.is_symlink() and _is_report(target) else f"code {code}, {target} is not the report"


def _odd_names(folder: Path, scene: Path) -> str:
    file, report = (os.fsencode(folder) + b"/" + NOT_UTF8 + ending for ending in (b".blend", b".json"))
    shutil.copy(os.fsencode(scene), file)
    done = _run(file, "--report", report, "--set-a", NOT_UTF8, "--fail-on", "clash")
    if done.returncode != 1 or not _is_report(Path(os.fsdecode(report))):
        return f"code {done.returncode}: {done.stderr!r}"
    shown = re.sub(rb"[^\x00-\x1f\x7f]|\n", b"", done.stdout + done.stderr)
    return f"control characters on the terminal: {shown!r}" if shown else ""


def _on_a_full_disk(folder: Path, scene: Path) -> str:
    disk = folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={FULL_DISK}", "tmpfs", str(disk)]
    if _code(mount, stderr=subprocess.DEVNULL):
        return f"{NOT_TRIED}: no right to mount"
    try:
        report = disk / "report.json"
        report.write_text("old", encoding="utf-8")
        with contextlib.suppress(OSError):
            (disk / "filler").write_bytes(b"x" * FULL_DISK)
        done = _run(scene, "--report", report)
        said = b"cannot be written: No space left on device" in done.stderr and b"Traceback" not in done.stderr
        old = report.read_text(encoding="utf-8") == "old" and sorted(disk.iterdir()) == [disk / "filler", report]
        return "" if done.returncode == 2 and said and old else f"code {done.returncode}: {done.stderr!r}"
    finally:
        subprocess.run(["umount", disk], check=True)


def _in_a_spreadsheet(folder: Path, scene: Path) -> str:
    """The names as LibreOffice reads them: text, and nothing that is computed."""
    office = shutil.which("soffice")
    report = folder / "report.csv"
    code = _run(scene, "--report", report).returncode
    with report.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = {row[side].removeprefix("'") for row in rows for side in "ab"}
    if code or not names.issuperset(FORMULAS):
        return f"code {code}, names {names}"
    if office is None:
        return f"{NOT_TRIED}: there is no soffice (Debian: libreoffice-calc-nogui)"
    convert = [office, f"-env:UserInstallation=file://{folder}/office", "--headless", "--convert-to", "fods"]
    # comma, quote, UTF-8, first line, no formats, English, no quotes as text, detect numbers, ..., evaluate formulas
    everything = "--infilter=CSV:44,34,76,1,,1033,false,true,false,false,false,-1,true"
    subprocess.run([*convert, everything, "--outdir", folder, report], check=True, capture_output=True)
    sheet = xml.etree.ElementTree.parse(folder / "report.fods")
    office_name, table = (f"{{urn:oasis:names:tc:opendocument:xmlns:{part}:1.0}}" for part in ("office", "table"))
    cells = list(sheet.iter(f"{table}table-cell"))
    if any(f"{table}formula" in cell.attrib for cell in cells):
        return "there is a formula"
    texts = {"".join(cell.itertext()).strip() for cell in cells if cell.get(f"{office_name}value-type") == "string"}
    numbers = {f"{float(cell.get(f'{office_name}value', 'nan')):.9g}" for cell in cells}  # it keeps 15 digits
    missing = [name for name in FORMULAS if f"'{name}".strip() not in texts and f"'{name.strip()}" not in texts]
    depths = {f"{float(row['depth']):.9g}" for row in rows if row["depth"]}
    return f"no text: {missing}" if missing else "" if depths and depths <= numbers else "the depths are no numbers"


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # as detect.py: bpy's tear-down may change it
