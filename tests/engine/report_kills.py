"""Kills processes while they write reports, and looks at what is left; `--help` shows the options.

python tests/engine/report_kills.py --kills 200

Every process is told that it has the same number, as the processes of a container have from run to run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "engine"))

from meshclash.output import OutputFile

SAME_NUMBER = 7
LENGTH = 20_000  # numbers in a report: writing takes some milliseconds
LONGEST_LIFE = 0.15  # seconds from the first commit to the kill


def attack(folder: Path, kills: int, seed: int) -> dict[str, int]:
    """Kills writers of `folder/report.json` one after the other.

    Returns:
        "torn": how often the report was neither complete nor the old one; "failed": how many writers ended by an error.
    """
    path, rng = folder / "report.json", random.Random(seed)
    path.write_text(_report(-1), encoding="utf-8")
    counts = {"torn": 0, "failed": 0}
    for number in range(kills):
        command = [sys.executable, __file__, "--write", str(path), "--first", str(number * 1_000_000)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            ready = writer.stdout.readline()
            time.sleep(rng.random() * LONGEST_LIFE)
            writer.send_signal(signal.SIGKILL)
        counts["failed"] += not ready or writer.returncode != -signal.SIGKILL
        counts["torn"] += not _is_complete(path)
    return counts


def _report(number: int) -> str:
    return json.dumps({"number": number, "pairs": [number] * LENGTH})


def _is_complete(path: Path) -> bool:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return data["pairs"] == [data["number"]] * LENGTH


def _write_for_ever(path: Path, first: int) -> None:
    """Writes one report after the other; starts at once, since the package imports what it is asked for only."""
    os.getpid = lambda: SAME_NUMBER
    number = first
    while True:
        with OutputFile(path, "report", (".json",)) as file:
            if number == first:
                print("ready", flush=True)
            file.commit(_report(number))
        number += 1


def main() -> int:
    """Runs the attack in a folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write is not None:
        _write_for_ever(given.write, given.first)
    with tempfile.TemporaryDirectory() as folder:
        counts = attack(Path(folder), given.kills, given.seed)
        left = sum(1 for _ in Path(folder).iterdir()) - 1
        new = json.loads((Path(folder) / "report.json").read_text(encoding="utf-8"))["number"]
    print(f"{given.kills} kills: {counts['torn']} torn reports, {counts['failed']} failed writers, {left} files left")
    print(f"the last report is number {new % 1_000_000} of writer {new // 1_000_000}")
    return int(any(counts.values()))


if __name__ == "__main__":
    sys.exit(main())
