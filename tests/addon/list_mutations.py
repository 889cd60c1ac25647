"""Damages lists of results that are saved in .blend files: each is loaded or refused, and what is loaded is exported.

    python tests/addon/list_mutations.py --mutations 10000 --seed 1     # on the bpy wheel: a minute

Numbers, names, keys and letters of the text change. Two scenes have lists: the first a damaged one, the second a whole
one, which must always come. What is loaded is listed, saved again, and written as JSON, CSV and HTML; the JSON must be
strict. Exit status 1 when anything else is raised or told.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import random
import sys
import tempfile
import traceback
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("BLENDER_USER_RESOURCES", tempfile.mkdtemp(prefix="meshclash-test-"))  # before bpy is imported

import bpy  # isort: skip

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "engine"), str(ROOT), str(Path(__file__).resolve().parent)]

from meshclash.clash.fits import Fit  # noqa: E402
from meshclash.clash.frame_scene import Skipped  # noqa: E402
from meshclash.clash.rules import Rules  # noqa: E402
from ui_fakes import make_report, make_row  # noqa: E402

from addon import handlers, results, scene_results  # noqa: E402
from addon.core import saved  # noqa: E402

_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**31 - 1, 2**31, 10**30, -(10**30), 10**400, 1e300, 1e36, 1e-320, -0.0, float("nan"),
    float("inf"), "", "A", "\ud800", "\udc80", "a\0b", "\x1b[2J", "\x9b", "=1+1", "x" * 70_000, [],
    {}, [1], [1, 2], [0, 0, 0],
    [[1]], {"a": 1}, "clash", "apart", "intersection", "clearance",
]  # fmt: skip
_TEXTS = [
    "1e999", "-1e999", "NaN", "[" * 200_000, '{"a":' * 50_000, "9" * 5000, "\\ud800", "\\u0000", "\x1b", ",", "}", "]",
]  # fmt: skip


def reports() -> list[str]:
    """Whole lists."""
    near = make_row(verdict="near", depth=None, distance=0.5, point_a=(0.0, 0.0, 0.0), face_a=3)
    rules = Rules(same_parent=True, listed_pairs=frozenset({("X", "Y")}))
    deep = make_row(b="C", volume_lower=0.1, volume_upper=0.2, certainty=0.75)
    whole = make_report(
        make_row(), deep, set_a="object:A", permitted_overlap=0.25, rules=rules, fits=(Fit("A", "*", 0.1),)
    )
    skipped = [Skipped("Broken", "NaN", lost=True), Skipped("Empty", "it has no faces")]
    whole.stats.update({"left_out": {"pairs": 3, "beyond": 0.5}, "resolution": 1e-6, "smaller": 2})
    whole.stats["coarse"] = [{"name": "A", "resolution": 0.01}]
    whole = replace(whole, skipped=skipped, tested=["A", "B", "C"])
    return [
        saved.to_text(whole),
        saved.to_text(make_report(near, test="clearance", tolerance=0.75)),
        saved.to_text(make_report()),
    ]


def mutated(text: str, rng: random.Random) -> str:
    """A list with something wrong."""
    if rng.random() < 0.7:
        data = json.loads(text)
        for _ in range(rng.choice((1, 1, 2, 4))):
            _change(data, rng)
        text = json.dumps(data)
    for _ in range(rng.choice((0, 0, 0, 1, 3))):
        at = rng.randrange(len(text) + 1)
        end = at + rng.choice((0, 1, 5))
        text = text[:at] + rng.choice([*_TEXTS, chr(rng.randrange(1, 0x250))]) + text[end:]
    return text[: rng.randrange(len(text))] if rng.random() < 0.02 and text else text


def _change(data: Any, rng: random.Random) -> None:
    """Another value, or none, somewhere in nested data."""
    while isinstance(data, dict | list) and data:
        key = rng.choice(list(data) if isinstance(data, dict) else range(len(data)))
        inner = data[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.1:
            if rng.random() < 0.1:
                del data[key]
            else:
                data[key] = copy.deepcopy(rng.choice(_VALUES))  # it may be changed in its turn
            return
        data = inner


def campaign(mutations: int, seed: int, folder: Path) -> Counter[str]:
    """Load damaged lists with the extension registered; what came of them."""
    counts, whole = Counter[str](), reports()
    first, second = bpy.context.scene, bpy.data.scenes.new("second")
    for number in range(mutations):
        rng = random.Random(f"{seed}/{number}")
        first.meshclash.saved_list = mutated(rng.choice(whole), rng)
        second.meshclash.saved_list = whole[0]
        try:
            counts[_outcome(first, second, folder)] += 1
        except Exception:
            print(f"mutation {number}:\n{traceback.format_exc()}", flush=True)
            counts["wrong"] += 1
    return counts


def _outcome(first: bpy.types.Scene, second: bpy.types.Scene, folder: Path) -> str:
    handlers.on_load_post()
    if len(scene_results.existing_result(second.session_uid).found.rows) != 2:
        raise RuntimeError("the second scene has no list")
    result = scene_results.result_of(first.session_uid)
    if result is None:
        if first.meshclash.saved_list and not scene_results.refused_list(first.session_uid):
            raise RuntimeError("a list was refused without a word")
        return "refused"
    results.relist(bpy.context, first)
    for ending in (".json", ".csv", ".html"):
        path = folder / f"report{ending}"
        path.unlink(missing_ok=True)
        if bpy.ops.meshclash.export_report(filepath=str(path)) != {"FINISHED"} or not path.read_bytes():
            raise RuntimeError(f"{ending} was not written")
    json.loads((folder / "report.json").read_text("utf-8"), parse_constant=_refuse)
    handlers.on_save_pre()
    again = saved.from_text(first.meshclash.saved_list, "", 1.0)
    if again is None or [row.id for row in again.rows] != [row.id for row in result.found.rows]:
        raise RuntimeError("what was loaded is saved as another list")
    return "loaded"


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} in a report")


def main() -> int:
    """Damage many lists; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mutations", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import addon

    addon.register()
    with tempfile.TemporaryDirectory() as folder:
        counts = campaign(options.mutations, options.seed, Path(folder))
    print(dict(counts))
    return int(counts["wrong"] > 0)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # the tear-down of Blender's Python module can hang
