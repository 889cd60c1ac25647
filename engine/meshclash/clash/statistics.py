"""Counters and times of a run, summed over its frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .engine_scene import EngineScene
from .frame_scene import FrameScene, ObjectColumns, Skipped
from .queries.question import DetectAnswer

COUNTERS = ("volume_tests", "primitive_tests", "exact_tests")


class RunStatistics:
    """Collects the values of the report's "stats".

    Args:
        scale_length: metres per scene unit.
    """

    def __init__(self, scale_length: float) -> None:
        self.skipped: list[Skipped] = []
        self._values: dict[str, Any] = {
            "metres_per_unit": scale_length,
            "frames": 0,
            "objects": 0,
            "meshes": 0,
            "triangles": 0,
            "points": 0,
            **dict.fromkeys(COUNTERS, 0),
            "threads": 0,
            "device": "",
            "device_note": "",
            "left_out": {"pairs": 0, "beyond": None},
            "smaller": 0,
            "resolution": 0.0,
            "coarse": [],
            "understood": [],
            "no_geometry": {},
        }
        self._seconds: dict[str, float] = {}

    def add_frame(self, frame: FrameScene, seconds: float) -> None:
        """Count the objects of a frame; counts of meshes and triangles are those of the largest frame."""
        values = self._values
        values["frames"] += 1
        values["meshes"] = max(values["meshes"], len(frame.meshes))
        uses = ObjectColumns.of(frame.objects).roster.uses
        triangles = sum(frame.meshes[key].triangle_count * count for key, count in uses.items())
        values["triangles"] = max(values["triangles"], triangles)
        points = sum(len(frame.clouds[item.mesh_key].points) for item in frame.scans)
        values["points"] = max(values["points"], points)
        values["no_geometry"] = largest(values["no_geometry"], frame.no_geometry)
        self.add_skipped(frame.skipped)
        self.add_time("read", seconds)

    def add_tested(self, count: int) -> None:
        """Record how many objects of a frame are tested; the largest frame counts."""
        self._values["objects"] = max(self._values["objects"], count)

    def add_skipped(self, skipped: Iterable[Skipped]) -> None:
        """Record objects that could not be tested, each once."""
        known = {(item.name, item.reason) for item in self.skipped}
        self.skipped += [item for item in skipped if (item.name, item.reason) not in known]

    def add_resolutions(self, world: EngineScene, coarsest: float) -> None:
        """Record the coordinate resolution: the coarsest of all objects, and each object that is coarser than the
        default allows.

        Args:
            world: the scene that contains the objects.
            coarsest: the coarsest permitted resolution [m].
        """
        known = {item["name"] for item in self._values["coarse"]}
        metres = world.resolutions * self._values["metres_per_unit"]
        fine = metres <= coarsest
        self._values["resolution"] = max(self._values["resolution"], float(metres[fine].max(initial=0.0)))
        for place in np.flatnonzero(~fine).tolist():
            name = world.placed.roster.items[place].name
            if name not in known:
                self._values["coarse"].append({"name": name, "resolution": float(metres[place])})

    def add_understood(self, world: EngineScene) -> None:
        """Record, once for each object, how meshes were repaired before they were judged."""
        from ..solid.solidity import understood  # noqa: PLC0415 - needs the compiler

        known = {item["name"] for item in self._values["understood"]}
        for key, item in world.objects.items():
            if item.name in known or not world.plain([key]):
                continue
            built = world.shape(key).built  # a mesh, or a hierarchy of one
            found = understood(getattr(built, "mesh", built))
            if found is not None:
                self._values["understood"].append({"name": item.name, "what": found[0], "certainty": found[1]})

    def add_answer(self, answer: DetectAnswer) -> None:
        """Add the counters and times of one query, and the pairs that it leaves out."""
        self._add(answer.stats, answer.timings)
        left_out = self._values["left_out"]
        left_out["pairs"] += answer.left_out
        if answer.beyond is not None:
            metres = answer.beyond * self._values["metres_per_unit"]
            left_out["beyond"] = metres if left_out["beyond"] is None else min(metres, left_out["beyond"])

    def add_smaller(self, pairs: int) -> None:
        """Count pairs that are not listed because their common volume is too small."""
        self._values["smaller"] += pairs

    def forget_left_out(self) -> None:
        """Remove the record of pairs that were left out, before the same frame is tested again."""
        self._values["left_out"] = {"pairs": 0, "beyond": None}

    def _add(self, stats: Any, timings: Mapping[str, float]) -> None:
        for name in COUNTERS:
            self._values[name] += int(getattr(stats, name))
        self._values["threads"] = max(self._values["threads"], int(stats.threads))
        self._note_device(str(stats.device), str(getattr(stats, "note", "")))
        for name, seconds in timings.items():
            self.add_time(name, float(seconds))

    def _note_device(self, device: str, note: str) -> None:
        """Record the device of a query (a GPU if it computed any part), and each reason why a GPU was not used,
        once.
        """
        values = self._values
        if values["device"] in ("", "cpu"):
            values["device"] = device or values["device"]
        known = values["device_note"]
        if note and note not in known:
            values["device_note"] = known + "; " + note if known else note

    def add_time(self, name: str, seconds: float) -> None:
        """Add seconds to one part of the work."""
        self._seconds[name] = self._seconds.get(name, 0.0) + seconds

    def state(self) -> dict[str, Any]:
        """Return all values, for another process."""
        return {"values": self._values, "seconds": self._seconds}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> RunStatistics:
        """Create statistics from the result of `state`."""
        made = cls(1.0)
        made._values, made._seconds = state["values"], state["seconds"]
        return made

    def add(self, other: RunStatistics) -> None:
        """Add the statistics of a later part of the work, without skipped objects."""
        values, more = self._values, other._values
        for name in ("frames", "smaller", *COUNTERS):
            values[name] += more[name]
        for name in ("objects", "meshes", "triangles", "points", "threads", "resolution"):
            values[name] = max(values[name], more[name])
        values["no_geometry"] = largest(values["no_geometry"], more["no_geometry"])
        self._note_device(more["device"], more["device_note"])
        left_out, beyond = values["left_out"], more["left_out"]["beyond"]
        left_out["pairs"] += more["left_out"]["pairs"]
        if beyond is not None:
            left_out["beyond"] = beyond if left_out["beyond"] is None else min(beyond, left_out["beyond"])
        known = {item["name"] for item in values["coarse"]}
        values["coarse"] += [item for item in more["coarse"] if item["name"] not in known]
        known = {item["name"] for item in values["understood"]}
        values["understood"] += [item for item in more["understood"] if item["name"] not in known]
        for name, seconds in other._seconds.items():
            self.add_time(name, seconds)

    def as_dict(self) -> dict[str, Any]:
        """Return all values, ready for JSON."""
        return {**self._values, "seconds": sum(self._seconds.values()), "timings": dict(self._seconds)}


def largest(*counts: Mapping[str, int]) -> dict[str, int]:
    """Return the largest count of each type, because frames and tests of one scene contain the same objects again."""
    kinds = dict.fromkeys(kind for counted in counts for kind in counted)
    return {kind: max(counted.get(kind, 0) for counted in counts) for kind in kinds}
