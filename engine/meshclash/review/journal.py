"""What a team decided about clashes, as events in a file beside the model: none is lost, and journals can be joined.

An event is one line of JSON with an id of its own. Events are only ever added, and decisions follow from all of them in
the order of their times. So a crash loses nothing that was written, and the journals of two people are joined by taking
the events of both.
"""

import json
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ..errors import InvalidFile, UnsupportedOption

FIELDS = ("status", "assignee", "priority", "due", "comment", "found", "gone")
"""What an event may say of a clash. "found" and "gone" are said by detections, the others by people."""
MOST_TEXT = 10_000
"""Characters of a value, or of a name."""
_NEWLINE = b"\n"


class Event(NamedTuple):
    """Something that was said of a clash.

    Attributes:
        id: 16 hexadecimal digits, of this event alone.
        time: UTC, ISO 8601 with microseconds.
        author: who said it.
        clash: the id of a pair, or the key of a group.
        field: one of ``FIELDS``.
        value: what was said.
    """

    id: str
    time: str
    author: str
    clash: str
    field: str
    value: str = ""


class Comment(NamedTuple):
    """A remark on a clash."""

    time: str
    author: str
    text: str


@dataclass
class Decision:
    """What was said of a clash so far.

    Attributes:
        status, assignee, priority, due: what was said last; "" where nothing was.
        comments: in the order of their times.
        found: time of the detection that found it first, or found it again.
        gone: time of the detection that did not find it any more; "" while it is there.
        returned: whether it was there again after it was gone.
        time: of the last event.
    """

    status: str = ""
    assignee: str = ""
    priority: str = ""
    due: str = ""
    comments: list[Comment] = field(default_factory=list)
    found: str = ""
    gone: str = ""
    returned: bool = False
    time: str = ""


def now() -> str:
    """This moment, as events tell it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def event(author: str, clash: str, what: str, value: str = "", time: str = "") -> Event:
    """A new event.

    Args:
        what: its field.
        time: when it was said; "" for this moment.

    Raises:
        UnsupportedOption: there is no such field, or a text is too long.
    """
    said = Event(secrets.token_hex(8), time or now(), author, clash, what, value)
    fault = _fault(said)
    if fault:
        raise UnsupportedOption(f"{fault} in an event of '{clash:.80}'")
    return said


def _fault(said: Event) -> str:
    """Why it cannot be an event; "" where it can."""
    if said.field not in FIELDS:
        return f"there is no field {said.field!r:.80}"
    if any(len(text) > MOST_TEXT for text in said):
        return f"a text has more than {MOST_TEXT} characters"
    try:
        moment = datetime.fromisoformat(said.time)
        "".join(said).encode()
    except (ValueError, UnicodeEncodeError):
        return "a time or a text is damaged"
    return "" if moment.tzinfo is not None else "a time has no zone"


def found_events(before: dict[str, Decision], found: Iterable[str], author: str, time: str = "") -> list[Event]:
    """What a detection says: which clashes are there that were not, and which are gone.

    Args:
        before: the decisions until now, by clash.
        found: the ids of all clashes that the detection found.
        time: of the detection.
    """
    moment, there = time or now(), set(found)
    known = {clash for clash, decision in before.items() if decision.found and not decision.gone}
    begun = [event(author, clash, "found", time=moment) for clash in sorted(there - known)]
    return begun + [event(author, clash, "gone", time=moment) for clash in sorted(known - there)]


def decisions(events: Iterable[Event]) -> dict[str, Decision]:
    """What all events say together, by clash; the order in which they are given does not matter."""
    result: dict[str, Decision] = {}
    for said in sorted(set(events), key=lambda said: (said.time, said.id)):
        decision = result.setdefault(said.clash, Decision())
        decision.time = said.time
        if said.field == "comment":
            decision.comments.append(Comment(said.time, said.author, said.value))
        elif said.field == "found":
            decision.returned = decision.returned or bool(decision.gone)
            decision.found, decision.gone = said.time, ""
        elif said.field == "gone":
            decision.gone = said.time
        else:
            setattr(decision, said.field, said.value)
    return result


def progress(decision: Decision, last_detection: str) -> str:
    """What became of a clash: "new", "active", "reopened" or "resolved", the last of which is gone.

    Args:
        last_detection: time of it; what it found first is new.
    """
    if decision.gone:
        return "resolved"
    if decision.found < last_detection:
        return "active"
    return "reopened" if decision.returned else "new"


class Journal:
    """The file that holds the events; several programs may add to it at once.

    Args:
        path: of the file; it need not be there yet.

    Attributes:
        events: all events, by id.
        damaged: lines that hold no event: the end of a line that was being written when the machine stopped.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events: dict[str, Event] = {}
        self.damaged = 0
        self._read_to = 0
        self.read()

    def read(self) -> list[Event]:
        """The events that others have added since.

        Raises:
            InvalidFile: the file cannot be read.
        """
        try:
            if not self.path.exists():
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
            said = _parsed(line)
            if said is None:
                self.damaged += bool(line.strip())
            elif said.id not in self.events:
                self.events[said.id] = said
                added.append(said)
        return added

    def add(self, events: Iterable[Event]) -> None:
        """Write events to the disk; when it returns, they are there.

        A line that another program left unfinished is ended first, so that it takes no event of ours with it.

        Raises:
            InvalidFile: the file cannot be written.
        """
        new = [said for said in events if said.id not in self.events]
        if not new:
            return
        lines = "".join(json.dumps(said, ensure_ascii=False) + "\n" for said in new).encode()
        try:
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
        self.read()

    def join(self, other: Iterable[Event]) -> None:
        """Take in the events of another journal, or of a saved file; raises as ``add``."""
        self.add(sorted(other, key=lambda said: (said.time, said.id)))

    def decisions(self) -> dict[str, Decision]:
        """What all events say together, by clash."""
        return decisions(self.events.values())


def _parsed(line: bytes) -> Event | None:
    """The event of a line; None where it holds none."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, list) or len(data) != len(Event._fields) or not all(isinstance(x, str) for x in data):
        return None
    said = Event(*data)
    return None if _fault(said) else said
