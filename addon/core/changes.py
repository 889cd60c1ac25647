"""Changes in a scene since it was read: recorded by handlers, consumed by Live."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Changes:
    """Changes of a scene. Objects are identified by session uid, which survives renaming.

    Attributes:
        moved: objects whose transform (or name) may have changed.
        deformed: objects whose mesh may have changed.
        names: current full names of those of these objects that may yield a mesh or points.
        visible: whether objects may have been hidden or shown; selecting cannot be distinguished from it.
        structure: whether objects may have been added, removed, renamed, or moved to another parent or collection.
        everything: whether all data read before is invalid (after undo, or at the start).
    """

    moved: set[int] = field(default_factory=set)
    deformed: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    visible: bool = False
    structure: bool = False
    everything: bool = False

    def __bool__(self) -> bool:
        return bool(self.moved or self.deformed or self.visible or self.structure or self.everything)

    def add(self, other: Changes) -> None:
        """Merge other changes into these."""
        self.moved |= other.moved
        self.deformed |= other.deformed
        self.names |= other.names
        self.visible |= other.visible
        self.structure |= other.structure
        self.everything |= other.everything

    def touches(self, *uids: int) -> bool:
        """Return whether one of the objects may have changed in any way."""
        return any(uid in self.moved or uid in self.deformed for uid in uids)
