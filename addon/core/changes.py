"""What has changed in a scene since it was read: noted by handlers, consumed by Live."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Changes:
    """Objects are named by their session uid, which survives renaming.

    Attributes:
        moved: objects whose transform (or name) may differ.
        deformed: objects whose mesh may differ.
        names: full names of those of them of which a mesh or points may come, as they are called now.
        visible: objects may have been hidden or shown; selecting looks the same.
        structure: objects may have come, gone, or changed their name, parent or collection.
        everything: nothing read before may be trusted (undo, the start).
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
        """Takes in what another has noted."""
        self.moved |= other.moved
        self.deformed |= other.deformed
        self.names |= other.names
        self.visible |= other.visible
        self.structure |= other.structure
        self.everything |= other.everything

    def touches(self, *uids: int) -> bool:
        """Whether one of the objects may differ in any way."""
        return any(uid in self.moved or uid in self.deformed for uid in uids)
