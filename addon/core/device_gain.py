"""Compare how long the GPU and the CPU took for the same test in this session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_cpu_seconds: dict[tuple[str, int, int, int], float] = {}


def note_answer(test: str, stats: Mapping[str, Any]) -> None:
    """Store how long the CPU took for a test.

    Args:
        test: the test that was run.
        stats: statistics of the report.
    """
    if stats.get("device") == "cpu":
        _cpu_seconds[_key(test, stats)] = _seconds(stats)


def gain(test: str, stats: Mapping[str, Any]) -> float | None:
    """Return the CPU's time divided by the GPU's time for the same test; None if one of the times is unknown.

    Args:
        test, stats: as for `note_answer`.
    """
    if stats.get("device", "cpu") in ("", "cpu"):
        return None
    before = _cpu_seconds.get(_key(test, stats))
    return None if before is None or _seconds(stats) <= 0.0 else before / _seconds(stats)


def _key(test: str, stats: Mapping[str, Any]) -> tuple[str, int, int, int]:
    """Return a key that comparable runs share: the test, and the numbers of objects, triangles and frames."""
    return test, int(stats["objects"]), int(stats["triangles"]), int(stats["frames"])


def _seconds(stats: Mapping[str, Any]) -> float:
    """Return the engine's seconds without the time to read Blender's objects, which is the same for GPU and CPU."""
    return float(stats["seconds"]) - float(stats["timings"].get("read", 0.0))
