"""What the package brings of others, with their notices; and which licence its metadata names."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "engine" / "meshclash"
BUNDLED = PACKAGE / "clash" / "files" / "model_viewer.js"
NOTICES = {
    "Three.js Authors": "Copyright © 2010-2026 three.js authors",
    "SPDX-License-Identifier: BSD-3-Clause": "BSD 3-Clause License",
    "SPDX-License-Identifier: MIT": "The MIT License",
    "Google LLC": "Copyright (c) 2017 Google LLC. All rights reserved.",
    "meshopt": "Copyright (c) 2016-2026 Arseny Kapoulkine",
    "KTX 2.0": "Copyright (c) 2020 Don McCurdy",
    "hdrgm": "Copyright (c) 2023 MONOGRID",
    "ZSTD": "Copyright (c) 2016-present, Yann Collet, Facebook, Inc. All rights reserved.",
}
"""Of what is found in the file, and the line of its licence file upstream."""


OWN = {path for path in (PACKAGE / "clash" / "files").glob("page.*") if path.suffix in (".js", ".css")}


def test_only_one_file_of_others_is_bundled():
    found = {path for path in PACKAGE.rglob("*") if path.suffix in (".js", ".css", ".wasm", ".so", ".dll")}
    assert found - OWN == {BUNDLED}


def test_everything_in_it_has_a_notice_beside_it():
    text = BUNDLED.read_text("utf-8")
    notices = "".join(path.read_text("utf-8") for path in sorted(BUNDLED.parent.glob("model_viewer.*.txt")))
    assert "Apache License" in notices
    for found, notice in NOTICES.items():
        assert found in text, f"{found} is no longer bundled"
        assert notice in notices, f"{found} has no notice"


def test_no_other_licence_is_named_in_it():
    named = set(re.findall(r"SPDX-License-Identifier: ([A-Za-z0-9.-]+)", BUNDLED.read_text("utf-8")))
    assert named == {"MIT", "BSD-3-Clause"}


def test_metadata_and_manifest_name_the_licences():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["license"] == "Apache-2.0 AND BSD-3-Clause AND MIT"
    files = [path for pattern in project["project"]["license-files"] for path in ROOT.glob(pattern)]
    assert {path.name for path in files} == {"LICENSE", "model_viewer.LICENSE.txt", "model_viewer.NOTICES.txt"}
    assert "Apache License" in (ROOT / "engine" / "LICENSE").read_text("utf-8")
    manifest = tomllib.loads((ROOT / "addon" / "blender_manifest.toml").read_text("utf-8"))
    assert manifest["license"] == [f"SPDX:{name}" for name in ("GPL-3.0-or-later", "Apache-2.0", "MIT", "BSD-3-Clause")]


def test_the_source_distribution_has_nothing_that_imports_blender():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    sources = [path for name in included for path in (ROOT / name).rglob("*.py")]
    assert sources
    blender = re.compile(r"^\s*(import|from) (bpy|bmesh|mathutils|gpu)\b", re.MULTILINE)
    assert not [path for path in sources if blender.search(path.read_text("utf-8"))]
