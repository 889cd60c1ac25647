"""Changes in a scene since the last reading: recorded by handlers, used by Live."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Changes:
    """Changes of a scene. Objects are identified by session uid, which survives renaming.

    Attributes:
        moved: objects whose transform (or name) may have changed in an update in which their parent may have changed,
            too. Other movements are found only by comparing matrices.
        deformed: objects whose mesh may have changed.
        names: current full names of those objects that may yield a mesh or points.
        named: current full names of all objects that Blender updated, by session uid: one that is renamed and moved in
            one update only appears to move.
        visible: whether objects may have been hidden or shown; Blender reports a selection in the same way.
        transformed: whether anything may have moved.
        structure: whether objects may have been added, removed, renamed, or moved to another parent or collection.
        everything: whether all data read before is invalid (after undo, or at the start).
    """

    moved: set[int] = field(default_factory=set)
    deformed: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    named: dict[int, str] = field(default_factory=dict)
    visible: bool = False
    transformed: bool = False
    structure: bool = False
    everything: bool = False

    def __bool__(self) -> bool:
        told = self.visible or self.transformed or self.structure or self.everything
        return bool(self.moved or self.deformed or told)

    def add(self, other: Changes) -> None:
        """Merge other changes into these."""
        self.moved |= other.moved
        self.deformed |= other.deformed
        self.names |= other.names
        self.named |= other.named
        self.visible |= other.visible
        self.transformed |= other.transformed
        self.structure |= other.structure
        self.everything |= other.everything
