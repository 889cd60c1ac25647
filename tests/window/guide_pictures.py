"""Makes the pictures of the user guide from those that the scenarios took.

    python tests/window/run.py --blender 5.2          # all scenarios, or those that PICTURES names
    python tests/window/guide_pictures.py [out/window/5.2]      # writes docs/images/guide

They get a palette of 256 colours, which a legend of colours needs; pictures of many points a smaller size, so that
each is smaller than 400 kB. This runs inside Debian's Blender, which has the library for that.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import debian

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "images" / "guide"
LIMIT = 400_000  # bytes
PICTURES = {  # scenario/picture: name in the guide
    "install/preferences": "preferences",
    "detect/running": "running",
    "detect/list": "list",
    "detect/isolated": "isolated",
    "wide/pair": "wide",
    "live/dragging": "live",
    "clearance/gaps": "gaps",
    "clearance/gap": "gap",
    "clearance/hierarchy": "hierarchy",
    "voxels/voxels": "voxels",
    "scan/contact": "scan_contact",
    "scan/heat_map": "heat_map",
    "timeline/progress": "timeline_progress",
    "timeline/events": "timeline_events",
    "timeline/markers": "timeline_markers",
    "timeline/curve": "timeline_curve",
    "timeline/heat": "timeline_heat",
}
CONVERT = f"""
import os, sys
from PIL import Image
for source, target in zip(sys.argv[1::2], sys.argv[2::2]):
    picture = Image.open(source).convert("RGB")
    for share in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5):
        small = picture.resize([round(share * side) for side in picture.size], Image.Resampling.BOX)
        small.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(target, optimize=True)
        if os.path.getsize(target) <= {LIMIT}:
            break
"""


def main(taken: Path) -> int:
    """Converts the pictures in `taken`, the folder of one Blender; returns the exit status."""
    GUIDE.mkdir(parents=True, exist_ok=True)
    found = {taken / f"{source}.png": GUIDE / f"{name}.png" for source, name in PICTURES.items()}
    for missing in [source for source in found if not source.exists()]:
        print(f"{missing} is missing: play its scenario; the old picture stays", file=sys.stderr)
        del found[missing]
    names = [str(path) for pair in found.items() for path in pair]
    with tempfile.TemporaryDirectory() as home:
        inside = debian.blender("5.2")
        subprocess.run(
            inside.command(Path(home), [ROOT, taken], ["/usr/bin/python3", "-c", CONVERT, *names]), check=True
        )
    large = [path for path in found.values() if path.stat().st_size > LIMIT]
    for path in found.values():
        print(f"{path.relative_to(ROOT)} ({path.stat().st_size / 1000:.0f} kB)")
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out" / "window" / "5.2").resolve()))
