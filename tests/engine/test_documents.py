"""Code in the documents runs, and prints what the comments beside it say."""

import ast
import contextlib
import io
import re
import runpy
from pathlib import Path

import meshclash as mc
import numpy as np
import pytest
from solids import box, refined, torus
from strategies import matrix

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
RUN_ELSEWHERE = {"docs/testing.md", "docs/guide/scans.md"}  # a scenario of the window, operators of Blender
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
DOCUMENTS = [
    path for path in PAGES
    if BLOCK.search(path.read_text("utf-8")) and path.relative_to(ROOT).as_posix() not in RUN_ELSEWHERE
]  # fmt: skip


def test_the_site_leads_to_every_page():
    docs = ROOT / "docs"
    trees = re.findall(r"```{toctree}\n(.*?)```", (docs / "index.md").read_text("utf-8"), re.DOTALL)
    lines = [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]
    reached = {path for line in lines for path in docs.glob(f"{line}.md")}
    assert {path for path in docs.rglob("*.md") if path.parent.name != "images"} <= reached | {docs / "index.md"}


def given_names(folder: Path) -> dict[str, object]:
    """What documents take for granted: a reader's own meshes, points and files."""
    vertices, triangles = box((0, 0, 0), (1, 1, 1))
    rng = np.random.default_rng(1)
    points = rng.uniform(-0.5, 1.5, (200, 3))
    np.savetxt(folder / "plant_room.xyz", rng.uniform(0, 1, (2000, 3)) * [1, 1, 0])
    block, ring = mc.TriangleMesh(*refined((vertices, triangles), 2)), mc.TriangleMesh(*torus(1.0, 0.4))
    return {
        "vertices": vertices, "triangles": triangles, "points": points, "shell_points": points, "mesh": block,
        "a": block, "b": ring, "model": block, "shirt": ring, "body": block, "casting": block,
        "pose": matrix(shift=(0.1, 0, 0)),
        "scan": mc.clouds.PointCloud(rng.uniform(0, 1, (2000, 3)) * [1, 1, 0]),
    }  # fmt: skip


def told(line: str) -> str:
    """The value that a comment gives, without spaces and commas; "" where it gives none."""
    comment = line.partition("  # ")[2]
    return re.sub(r"[\s,]", "", comment) if re.match(r"[A-Z\d\[-]", comment) else ""


@pytest.mark.slow
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_code_runs_and_prints_what_is_said(path, tmp_path, monkeypatch):
    """CUDA is left out, and a scan is read from a text file: the format is another, the call is the same."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mc, "configure_device", lambda **_: None)
    names, checked = given_names(tmp_path), 0
    for block in BLOCK.findall(path.read_text("utf-8")):
        code = block.replace('device="cuda"', 'device="cpu"').replace("plant_room.las", "plant_room.xyz")
        lines = code.splitlines()
        for statement in ast.parse(code).body:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(ast.Module([statement], []), str(path), "exec"), names)
            value = told(lines[statement.end_lineno - 1])
            if value and printed.getvalue():
                assert value.startswith(re.sub(r"[\s,]", "", printed.getvalue())), lines[statement.end_lineno - 1]
                checked += 1
    assert checked or "print(" not in "".join(BLOCK.findall(path.read_text("utf-8"))) or path.stem == "gpu"


def test_a_typed_program_runs():
    """mypy --strict and pyright read it in `.ci/run`."""
    program = runpy.run_path(str(ROOT / "tests" / "typed" / "user_calls.py"))
    found = program["main"]()
    counts = {name: found.pop(name) for name in ("contacts", "met")}
    assert found == {"free": True, "colliding": 2, "first": True, "severity": 4, "distance": 2.0, "scene": 1, "near": 1}
    assert min(counts.values()) > 0
