"""A journal is a list of decisions about clashes: events in a file next to the model. Journals can be merged without
loss.

An event is one line of JSON with an id of its own. Events are only added, never changed, and decisions follow from all
events in the order of their times. So a crash loses nothing that was written, and the journals of two people can be
merged by combining their events.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ...errors import InvalidFile, UnsupportedOption
from ...messages import a_type, shown, suggestion
from ...types.arguments import several, text
from ...types.copying import Changeable

SAID = ("status", "assignee", "priority", "due", "comment")
"""Fields of a clash that people decide."""
EDITED = ("group", "merged", "name")
"""Manual changes of groups: move pairs into a group, merge groups, name a group."""
DETECTED = ("detected", "found", "gone", "moved", "objects")
"""Events of detections, described in `review.history`."""
FIELDS = (*SAID, *EDITED, *DETECTED)
"""Possible fields of an event."""
MOST_TEXT = 10_000
"""Characters of a value, or of a name."""
_NEWLINE = b"\n"


class Event(NamedTuple):
    """A recorded change to a clash or to a group of clashes.

    Attributes:
        id: 16 hexadecimal digits that are unique for this event.
        time: UTC, ISO 8601 with microseconds.
        author: the person who made the decision.
        clash: the id of a pair, or the key of a group; several ids are separated by line breaks.
        field: one of ``FIELDS``.
        value: the new value.
        scene: the scene of the file to which the event belongs; "" for a single scene.
    """

    id: str
    time: str
    author: str
    clash: str
    field: str
    value: str = ""
    scene: str = ""

    @property
    def clashes(self) -> list[str]:
        """The ids of the pairs, or the keys of the groups, that the event changes."""
        return self.clash.split("\n")

    @property
    def moved_from(self) -> list[str]:
        """The former ids of all pairs to which the event gave new ids. The list is empty if the event did something
        else.
        """
        if self.field != "moved":
            return []
        try:
            return [str(item[0]) for item in json.loads(self.value)]
        except (ValueError, TypeError, IndexError, KeyError, RecursionError):
            return []

    def of_scene(self, scene: str) -> "Event":
        """Return a copy of the event for a copy of its scene. The copied event gets a new id, which depends only on the
        old id and on the scene.

        Raises:
            UnsupportedOption: the name of the scene is not a string.
        """
        text("scene", scene)
        digest = hashlib.sha256(f"{self.id}{scene}".encode("utf-8", "surrogatepass"))
        return self._replace(id=digest.hexdigest()[:16], scene=scene)


def now() -> str:
    """Return the current time in the format of events."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def event(author: str, clash: str, what: str, value: str = "", time: str = "", scene: str = "") -> Event:
    """Return a new event.

    Args:
        what: field of the event.
        time: time of the decision; "" for the current time.
        scene: as in ``Event``.

    Raises:
        UnsupportedOption: the field does not exist, a value is not a string, or a string is too long.

    Example:
        >>> import meshclash as mc
        >>> mc.clash.event("ann", "wall/pipe", "status", "approved", time="2026-11-27T08:00:00Z").value
        'approved'
    """
    said = Event(secrets.token_hex(8), text("time", time) or now(), author, clash, what, value, scene)
    return checked_event(said)


def checked_event(said: Event) -> Event:
    """Return an event unchanged; raises UnsupportedOption if it cannot be an event."""
    fault = _fault(said)
    if fault:
        raise UnsupportedOption(f"{fault} in an event of {shown(said.clash)}")
    return said


def _fault(said: Event) -> str:
    """Return the reason why a value cannot be an event; "" for a valid event."""
    if not all(isinstance(part, str) for part in said):
        return f"{next(name for name, part in said._asdict().items() if not isinstance(part, str))} must be a text"
    if said.field not in FIELDS:
        return f"there is no field {shown(said.field)}{suggestion(said.field, FIELDS)}"
    if any(len(text) > MOST_TEXT for text in said):
        return f"a text has more than {MOST_TEXT} characters"
    try:
        moment = datetime.fromisoformat(said.time)
        "".join(said).encode()
    except (ValueError, UnicodeEncodeError):
        return "a time or a text is damaged"
    return "" if moment.tzinfo is not None else "a time has no zone"


def as_lines(events: Iterable[Event]) -> str:
    """Return the lines of a journal that contain events."""
    return "".join(json.dumps(said, ensure_ascii=False) + "\n" for said in events)


class Journal(Changeable):
    """A file that stores events. Several programs may write to the file at the same time.

    Args:
        path: path of the file, a string or a Path; the file need not exist yet.

    Attributes:
        events: all events, by id.
        damaged: number of lines that contain no event, for example because a program crashed while it wrote the line.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            self.path = Path(os.fsdecode(path))
        except TypeError:
            raise InvalidFile(f"the path of a journal must be a string or a Path, not {a_type(path)}") from None
        if "\0" in str(self.path):
            raise InvalidFile(f"{shown(str(self.path))} is not a valid file name for a journal")
        self.events: dict[str, Event] = {}
        self.damaged = 0
        self._read_to = 0
        self.read()

    def read(self) -> list[Event]:
        """Read the file, and return the events that other programs have added since the last call.

        Raises:
            InvalidFile: the file cannot be read.
        """
        try:
            if not self._is_there():
                return []
            with self.path.open("rb") as file:
                file.seek(self._read_to)
                content = file.read()
        except OSError as reason:
            raise InvalidFile(f"the journal '{self.path}' cannot be read: {reason.strerror}") from reason
        whole = content[: content.rfind(_NEWLINE) + 1]
        self._read_to += len(whole)
        added = []
        for line in whole.splitlines():
            said = parsed(line)
            if said is None:
                self.damaged += bool(line.strip())
            elif said.id not in self.events:
                self.events[said.id] = said
                added.append(said)
        return added

    def _is_there(self) -> bool:
        """Return whether the file exists; raises InvalidFile for pipes, which would block, and devices, which never
        end.
        """
        try:
            if not self.path.exists():
                return False
        except ValueError as error:
            raise InvalidFile(f"{shown(str(self.path))} is not a valid file name for a journal: {error}") from None
        if not self.path.is_file():
            raise InvalidFile(f"the journal '{self.path}' cannot be read: it is a folder, a device or a pipe")
        return True

    def add(self, events: Iterable[Event]) -> list[Event]:
        """Add events to the file, and return all new events, including those of other programs. When the function
        returns, the events are safely stored on the disk.

        If another program left an incomplete line at the end of the file, the function starts a new line. The
        incomplete line therefore cannot damage the added events.

        Raises:
            InvalidFile: the file cannot be written.
            UnsupportedOption: an event is not valid.
        """
        new = [checked_event(said) for said in several("events", events, Event) if said.id not in self.events]
        if not new:
            return self.read()
        lines = as_lines(new).encode()
        try:
            self._is_there()
            with self.path.open("ab+", buffering=0) as file:  # each write goes to the end, whoever wrote before
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != _NEWLINE:
                        lines = _NEWLINE + lines
                while lines:
                    lines = lines[file.write(lines) :]
                os.fsync(file.fileno())
        except OSError as reason:
            raise InvalidFile(f"the journal '{self.path}' cannot be written: {reason.strerror}") from reason
        return self.read()

    def join(self, other: Iterable[Event]) -> None:
        """Add the events of another journal or of a saved file. The errors are the same as for ``add``."""
        events = map(checked_event, several("other", other, Event))
        self.add(sorted(events, key=lambda said: (said.time, said.id)))


def parsed(line: bytes | str) -> Event | None:
    """Return the event in a line of a journal; None if the line contains no event."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, list) or len(data) not in (6, 7) or not all(isinstance(x, str) for x in data):
        return None
    said = Event(*data)
    if _fault(said):
        return None
    try:  # orders are those of texts
        moment = datetime.fromisoformat(said.time).astimezone(UTC)
    except OverflowError:
        return None
    return said._replace(time=moment.isoformat(timespec="microseconds"))
