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
    """Collects what the report's "stats" show.

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
        """Counts what was read; meshes and triangles are those of the largest frame, and so is what has no geometry,
        kind by kind."""
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
        """Notes how many objects of a frame take part; those of the largest frame count."""
        self._values["objects"] = max(self._values["objects"], count)

    def add_skipped(self, skipped: Iterable[Skipped]) -> None:
        """Notes objects that could not take part, each once."""
        known = {(item.name, item.reason) for item in self.skipped}
        self.skipped += [item for item in skipped if (item.name, item.reason) not in known]

    def add_resolutions(self, world: EngineScene, coarsest: float) -> None:
        """Notes how finely coordinates are known: the coarsest of the objects, and those that are coarser than is
        permitted unasked, each once.

        Args:
            world: holds the objects.
            coarsest: what is permitted [m].
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
        """Notes what was done to meshes that were not judged as they stand, of each object once."""
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
        """Adds the counters and times of one answer, and what it leaves out."""
        self._add(answer.stats, answer.timings)
        left_out = self._values["left_out"]
        left_out["pairs"] += answer.left_out
        if answer.beyond is not None:
            metres = answer.beyond * self._values["metres_per_unit"]
            left_out["beyond"] = metres if left_out["beyond"] is None else min(metres, left_out["beyond"])

    def add_smaller(self, pairs: int) -> None:
        """Counts pairs that are not listed as they have too little volume in common."""
        self._values["smaller"] += pairs

    def forget_left_out(self) -> None:
        """Before the same frame is asked about again."""
        self._values["left_out"] = {"pairs": 0, "beyond": None}

    def _add(self, stats: Any, timings: Mapping[str, float]) -> None:
        for name in COUNTERS:
            self._values[name] += int(getattr(stats, name))
        self._values["threads"] = max(self._values["threads"], int(stats.threads))
        self._note_device(str(stats.device), str(getattr(stats, "note", "")))
        for name, seconds in timings.items():
            self.add_time(name, float(seconds))

    def _note_device(self, device: str, note: str) -> None:
        """Notes what answered, a GPU if any part was answered there, and why it did not, each reason once."""
        values = self._values
        if values["device"] in ("", "cpu"):
            values["device"] = device or values["device"]
        known = values["device_note"]
        if note and note not in known:
            values["device_note"] = known + "; " + note if known else note

    def add_time(self, name: str, seconds: float) -> None:
        """Adds seconds to one part of the work."""
        self._seconds[name] = self._seconds.get(name, 0.0) + seconds

    def state(self) -> dict[str, Any]:
        """Everything, for another process."""
        return {"values": self._values, "seconds": self._seconds}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> RunStatistics:
        """What `state` has given."""
        made = cls(1.0)
        made._values, made._seconds = state["values"], state["seconds"]
        return made

    def add(self, other: RunStatistics) -> None:
        """Takes in those of a later part of the work; skipped objects are not among them."""
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
        """Everything, ready for JSON."""
        return {**self._values, "seconds": sum(self._seconds.values()), "timings": dict(self._seconds)}


def largest(*counts: Mapping[str, int]) -> dict[str, int]:
    """The largest count of each kind: frames, and tests of one scene, see the same objects again."""
    kinds = dict.fromkeys(kind for counted in counts for kind in counted)
    return {kind: max(counted.get(kind, 0) for counted in counts) for kind in kinds}
