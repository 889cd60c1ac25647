"""How much sooner a GPU has answered than the CPU, as far as this session has seen both do the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_cpu_seconds: dict[tuple[str, int, int, int], float] = {}


def note_answer(test: str, stats: Mapping[str, Any]) -> None:
    """Remembers how long the CPU took.

    Args:
        test: that was asked for.
        stats: of the report.
    """
    if stats.get("device") == "cpu":
        _cpu_seconds[_key(test, stats)] = _seconds(stats)


def gain(test: str, stats: Mapping[str, Any]) -> float | None:
    """Seconds of the CPU over those of the GPU that answered; None where that is not known.

    Args:
        test, stats: as for `note_answer`.
    """
    if stats.get("device", "cpu") in ("", "cpu"):
        return None
    before = _cpu_seconds.get(_key(test, stats))
    return None if before is None or _seconds(stats) <= 0.0 else before / _seconds(stats)


def _key(test: str, stats: Mapping[str, Any]) -> tuple[str, int, int, int]:
    """Of answers that can be compared: the same test of as many objects and triangles in as many frames."""
    return test, int(stats["objects"]), int(stats["triangles"]), int(stats["frames"])


def _seconds(stats: Mapping[str, Any]) -> float:
    """What the engine took: reading Blender's objects costs the same on both."""
    return float(stats["seconds"]) - float(stats["timings"].get("read", 0.0))
