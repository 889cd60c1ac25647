"""The history of the clashes of a scene: all events of a journal, from all detections.

A detection records the pairs that it "found" for the first time, and the pairs that are "gone". If objects of the model
have new names, the detection first records the former ids of their pairs ("moved"), so that decisions stay with their
pairs.
"""

from __future__ import annotations

import json
import math
import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from ...errors import UnsupportedOption
from ...messages import shown
from ...types.arguments import by_text, instance, several, text
from ...types.copying import Changeable
from ...types.numbers import truth
from .journal import FIELDS, MOST_TEXT, SAID, Event, checked_event, event, now
from .revisions import Identity, checked_identity, match_revisions, pair_id, renewed_models

Names = tuple[str, str]
NEW, ACTIVE, REOPENED, RESOLVED = "new", "active", "reopened", "resolved"
TEST = "test:"
"""Begins the question of a named test; its name follows."""
REGION = "region:"
"""Begins the question about a part of a self-contact; its pair of regions follows, then "|" and the question itself."""
BOX_DIGITS = 6
"""Of the metres of a box, behind the point."""
AT_ONCE = MOST_TEXT // 17
"""Maximum number of pair ids, including line ends, in one event."""


class Comment(NamedTuple):
    """A comment on a clash."""

    time: str
    author: str
    text: str


@dataclass(slots=True)
class Decision:
    """The current status, assignee, priority, due date and comments of a clash or a group.

    Attributes:
        status, assignee, priority, due: the last value of each; "" without a value.
        comments: comments in the order of their times.
        found: time of the detection that found the pair for the first time, or found it again.
        gone: time of the detection that no longer found the pair; "" while the pair exists.
        returned: whether the pair was found again after it was gone.
        time: time of the last event.
        settled: time of the last status.
        names: names of the two objects, ("", "") if unknown.
        ends: identities of the two objects.
        questions: the tests that find the pair: it is gone when no test finds it any more.
        asked: the tests that found the pair last, also of a pair that is gone.
    """

    status: str = ""
    assignee: str = ""
    priority: str = ""
    due: str = ""
    comments: tuple[Comment, ...] = ()
    found: str = ""
    gone: str = ""
    returned: bool = False
    time: str = ""
    settled: str = ""
    names: Names = ("", "")
    ends: Names = ("", "")
    questions: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

    @property
    def test(self) -> str:
        """The name of the test that found the clash, or "" if the test has no name. If several tests find the same
        pair, the pair has a different id in each test.
        """
        whole = (whole_question(text) for text in self.questions or self.asked)
        return next((text.removeprefix(TEST) for text in whole if text.startswith(TEST)), "")

    @property
    def region(self) -> str:
        """The two regions of an object that overlap, if the clash is between parts of the same object. For a clash
        between two objects, the value is "".
        """
        named = (text.removeprefix(REGION) for text in self.questions or self.asked if text.startswith(REGION))
        return next((text.partition("|")[0] for text in named), "")

    @property
    def comment(self) -> str:
        """The last comment."""
        return self.comments[-1].text if self.comments else ""


def region_question(question: str, region: str) -> str:
    """Return the question that finds a part of a self-contact; the question itself if `region` is ""."""
    return f"{REGION}{region}|{question}" if region else question


def whole_question(question: str) -> str:
    """Return the question about the whole object of which a question is about a part; others are returned unchanged."""
    return question.partition("|")[2] if question.startswith(REGION) else question


class Found(NamedTuple):
    """A pair that a detection found, with the names and identities of its two objects, and the test that found it."""

    names: Names
    ends: Names
    question: str = ""


class History(Changeable):
    """The history of a scene, which consists of all its events.

    Args:
        events: events in any order.

    Attributes:
        events: events by their ids.
        decisions: the decisions, by the ids of pairs and the keys of groups.
        objects: the objects of the last detection, by their ids.
        former: the last state of objects that later detections did not find, by their ids in ``Decision.ends``.
        renewed: by these ids, the models that had new keys for almost all objects when the object was not found.
        groups: the keys of groups that pairs were put into by hand, by the ids of the pairs.
        merged: for each merged group, the key of the group into which it was merged.
        names: names of groups that were named, by their keys.
        detected: time of the last detection; "" before the first detection.
        edits: a number that changes with each manual change of groups.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.events: dict[str, Event] = {}
        self._forget()
        self.take(events)

    def _forget(self) -> None:
        self.decisions: dict[str, Decision] = {}
        self.objects: dict[str, Identity] = {}
        self.former: dict[str, Identity] = {}
        self.renewed: dict[str, set[str]] = {}
        self.groups: dict[str, str] = {}
        self.merged: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.detected = ""
        self.edits = getattr(self, "edits", 0) + 1
        self._last = ""
        self._forward: dict[str, str] = {}

    def take(self, events: Iterable[Event]) -> set[str]:
        """Add all events that the history does not contain yet. Return the pairs and groups that these events change.

        Raises:
            UnsupportedOption: a value cannot be an event.
        """
        new = [said for said in several("events", events, Event) if _is_new(said, self.events)]
        self.events.update((said.id, said) for said in new)
        new = sorted({said.id: said for said in new}.values(), key=_order)
        if new and new[0].time <= self._last:  # another writer said it before what is known
            self._forget()
            new_ones = sorted(self.events.values(), key=_order)
        else:
            new_ones = new
        for (_, what), together in groupby(new_ones, key=lambda said: (said.time, said.field)):
            if what == "moved":
                self._move(list(together))
            elif what == "objects":
                self._take_objects(list(together))
            else:
                for said in together:
                    self._say(said)
        self._last = new_ones[-1].time if new_ones else self._last
        return {clash for said in new for clash in said.clashes}

    def _say(self, said: Event) -> None:
        if said.field == "detected":
            self.detected = said.time
        elif said.field in ("group", "merged", "name"):
            self.edits += 1
            of = {"group": self.groups, "merged": self.merged, "name": self.names}[said.field]
            for clash in said.clashes:
                if said.value:
                    of[clash] = said.value
                else:
                    of.pop(clash, None)
        else:
            for clash, found in zip(said.clashes, _found(said), strict=True):
                if said.field == "found":  # another pair may have got the former id of a pair that moved
                    self._forward.pop(clash, None)
                self._say_of(self._decision(clash), said, found)

    def _decision(self, clash: str) -> Decision:
        known = self.decisions.get(clash)
        if known is None:
            clash = self._forward.get(clash, clash)
            known = self.decisions.get(clash)
        if known is None:
            known = self.decisions[clash] = Decision()
        return known

    @staticmethod
    def _say_of(decision: Decision, said: Event, found: Found | None) -> None:
        decision.time = said.time
        if said.field == "comment":
            decision.comments += (Comment(said.time, said.author, said.value),)
        elif said.field == "found":
            decision.returned = decision.returned or bool(decision.gone)
            if decision.gone or not decision.found:
                decision.found, decision.gone = said.time, ""
            question = "" if found is None else found.question
            if question not in decision.questions:
                decision.questions += (question,)
            decision.asked = decision.questions
            if found is not None:
                decision.names, decision.ends = found.names, found.ends
        elif said.field == "gone":
            left = decision.questions if said.value else ()
            decision.questions = tuple(text for text in left if text != said.value)
            if not decision.questions:
                decision.gone = said.time
        else:
            setattr(decision, said.field, said.value)
            if said.field == "status":
                decision.settled = said.time

    def _take_objects(self, events: Iterable[Event]) -> None:
        """Take the objects of one detection that differ from those of the one before."""
        before, gone = {**self.objects}, dict[str, Identity]()
        for item in (item for said in events for item in _listed(said.value)):
            if isinstance(item, list) and len(item) == 1 and isinstance(item[0], str):
                if item[0] in self.objects:
                    gone[item[0]] = self.objects.pop(item[0])
            elif (found := _identity(item)) is not None:
                self.objects[found.id] = found
        if not gone:
            return
        renewed = renewed_models([*before.values()], [*self.objects.values()])
        self.former |= gone
        self.renewed |= {key: renewed.intersection(item.models) for key, item in gone.items()}

    def _move(self, events: Sequence[Event]) -> None:
        """Move all pairs at once, because two may have exchanged their names."""
        moves = [
            (new, *item)
            for said in events
            for new, item in zip(said.clashes, _listed(said.value), strict=False)
            if _is_texts(item, 3)
        ]
        taken = {old: self.decisions.pop(old) for _, old, *_ in moves if old in self.decisions}
        groups = {old: self.groups.pop(old) for _, old, *_ in moves if old in self.groups}
        for new, old, end_a, end_b in moves:
            if old in taken:
                decision = taken[old]
                for before, end in zip(decision.ends, (end_a, end_b), strict=True):
                    if before != end and (item := self.thing(before)) is not None:
                        self.former[end] = item
                decision.ends = (end_a, end_b)
                self.decisions[new], self._forward[old] = decision, new
            if old in groups:
                self.groups[new] = groups[old]
        self.edits += 1
        for new, *_ in moves:
            self._forward.pop(new, None)

    def thing(self, end: str) -> Identity | None:
        """Return an object of a pair by its id in ``Decision.ends``, as it was when a detection last found it; None if
        it is unknown.
        """
        end = text("end", end)
        return self.objects.get(end) or self.former.get(end)

    def moved_to(self, clash: str) -> str:
        """Return the new id of a pair if one of its objects was renamed, or the same id if not."""
        return self._forward.get(text("clash", clash), clash)

    def progress(self, clash: str) -> str:
        """Return the progress of a pair, which is "new", "active", "reopened" or "resolved". If no detection ever found
        the pair, return "".
        """
        decision = self.decisions.get(text("clash", clash))
        return "" if decision is None or not decision.found else progress(decision, self.detected)

    def still_there(self, clash: str) -> bool:
        """Return whether a later detection still found a pair that a person had marked as resolved."""
        decision = self.decisions.get(text("clash", clash))
        if decision is None or decision.status != RESOLVED or decision.gone:
            return False
        return decision.settled < self.detected

    def group_of(self, key: str, clash: str, way: str) -> str:
        """Return the key of the group to which a pair belongs after all manual changes of groups.

        Args:
            key: key of the automatic group of the pair.
            clash: the id of the pair.
            way: a grouping; pairs are moved within groups of one grouping.
        """
        text("key", key), text("way", way)
        by_hand = self.groups.get(text("clash", clash), "")
        if by_hand.startswith(f"hand|{way}|"):
            key = by_hand
        seen = {key}
        while key in self.merged and self.merged[key] not in seen:
            key = self.merged[key]
            seen.add(key)
        return key


def decisions(events: Iterable[Event]) -> dict[str, Decision]:
    """Work out the current decision for each clash from all events. The order of the events does not matter.

    Example:
        >>> import meshclash as mc
        >>> said = mc.clash.event("ann", "wall/pipe", "status", "approved", time="2026-11-27T08:00:00Z")
        >>> mc.clash.decisions([said])["wall/pipe"].status
        'approved'
    """
    return History(events).decisions


def progress(decision: Decision, last_detection: str) -> str:
    """Return the progress of a clash, which is "new", "active", "reopened" or "resolved". If a clash is resolved,
    MeshClash no longer finds it.

    Args:
        last_detection: time of the last detection; pairs that this detection found first are new.

    Example:
        >>> import meshclash as mc
        >>> events = mc.clash.found_events({}, ["wall/pipe"], "ann", time="2026-11-27T08:00:00Z")
        >>> mc.clash.progress(mc.clash.decisions(events)["wall/pipe"], "2026-11-27T08:00:00Z")
        'new'
    """
    instance("decision", decision, Decision)
    if decision.gone:
        return RESOLVED
    if text("found", decision.found) < text("last_detection", last_detection):
        return ACTIVE
    return REOPENED if decision.returned else NEW


def said_events(
    author: str, clashes: Sequence[str], what: str, value: str, time: str = "", scene: str = ""
) -> list[Event]:
    """Return events that set the same value for many pairs. The function uses as few events as possible. The arguments
    are the same as for ``event``.

    Example:
        >>> import meshclash as mc
        >>> events = mc.clash.said_events("ann", ["wall/pipe", "wall/duct"], "status", "approved")
        >>> sorted(mc.clash.decisions(events))
        ['wall/duct', 'wall/pipe']
    """
    moment, clashes = text("time", time) or now(), several("clashes", clashes, str)
    return [
        event(author, "\n".join(clashes[k : k + AT_ONCE]), what, value, moment, scene)
        for k in range(0, len(clashes), AT_ONCE)
    ]


def detection_steps(
    history: History,
    pairs: Mapping[str, Found],
    objects: Sequence[Identity],
    author: str,
    same: Mapping[str, str] | None = None,
    time: str = "",
    scene: str = "",
    answers: Callable[[str], bool] = lambda _question: True,
    others: Collection[str] = (),
) -> Generator[None, None, list[Event]]:
    """Compute the events that a detection adds to a history. The computation runs in slices.

    Args:
        history: the history until now.
        pairs: all clashes that the detection found, by their ids.
        objects: all tested objects; empty if they are unknown.
        author: the person who ran the detection.
        same: earlier ids of objects by their current ids, if the caller knows that the objects are the same.
        time, scene: as for ``event``.
        answers: function that returns whether the detection ran a given test; the pairs of tests that it did not run
            are not recorded as gone.
        others: ids of objects that exist but were not tested; their pairs are not recorded as gone, either.

    Example:
        >>> import meshclash as mc
        >>> found = {"wall/pipe": mc.clash.Found(("Wall", "Pipe"), ("1", "2"))}
        >>> events = mc.run(mc.clash.detection_steps(mc.clash.History(), found, [], "ann"))
        >>> [event.clash for event in events if event.field == "found"]
        ['wall/pipe']
    """
    same = {} if same is None else by_text("same", same, str)
    _check_detection(history, pairs, answers)
    objects, others = several("objects", objects, Identity), several("others", others, str)
    objects = [checked_identity(item) for item in objects]
    moment = text("time", time) or now()
    said = [event(author, "", "detected", "", moment, scene)]
    moves: list[tuple[str, list[str]]] = []
    if objects:
        boxes = np.round(np.array([item.box for item in objects], np.float64), BOX_DIGITS)
        objects = [item._replace(box=box) for item, box in zip(objects, boxes, strict=True)]
        yield
        unchanged = _unchanged(history, objects)
        yield
        moves = moved_pairs(history, objects, same, unchanged, others)
        yield
        said += valued_events(author, moves, "moved", moment, scene)
        for item in valued_events(author, _changed(history, objects, unchanged, others), "objects", moment, scene):
            said.append(item)
            yield
    known = _asked_of(history, {old: new for new, (old, *_) in moves}, others)
    yield
    begun = (
        (clash, [*found.names, *found.ends, found.question])
        for clash, found in pairs.items()
        if found.question not in known.get(clash, ())
    )
    ended: dict[str, list[str]] = defaultdict(list)
    for clash in known.keys() - pairs.keys():
        for question in known[clash]:
            told = answers(question)
            if truth("what answers returns", told):
                ended[question].append(clash)
    for item in valued_events(author, begun, "found", moment, scene):
        said.append(item)
        yield
    for question in sorted(ended):
        said += said_events(author, sorted(ended[question]), "gone", question, moment, scene)
    return said


def _check_detection(history: History, pairs: Mapping[str, Found], answers: Any) -> None:
    """Raise UnsupportedOption for arguments of ``detection_steps`` of wrong kinds."""
    instance("history", history, History)
    for clash, found in by_text("pairs", pairs, Found).items():
        texts = (*found.names, *found.ends, found.question) if _are_pairs(found) else ()
        if len(texts) != 5 or not all(isinstance(part, str) for part in texts):
            raise UnsupportedOption(
                f"the pair {shown(clash)} is invalid: names and ends must be pairs of strings, and question a string"
            )
    if not callable(answers):
        raise UnsupportedOption(f"answers must be a function of a question, not {shown(answers)}")


def _are_pairs(found: Found) -> bool:
    return isinstance(found.names, tuple | list) and isinstance(found.ends, tuple | list)


def _is_new(said: Event, known: Mapping[str, Event]) -> bool:
    """Return whether an event is new to the history; raises UnsupportedOption for values that cannot be events."""
    if said.field not in FIELDS or not all(isinstance(part, str) for part in said):
        checked_event(said)
    return said.id not in known


def _asked_of(history: History, moved: Mapping[str, str], others: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the questions that find each current pair, by the ids that pairs have after renaming.

    Pairs of ``others`` are left out.
    """
    there = {
        clash: said.questions
        for clash, said in history.decisions.items()
        if said.found and not said.gone and not any(end in others for end in said.ends)
    }
    stay = {clash: found for clash, found in there.items() if clash not in moved}
    return {**stay, **{moved[clash]: found for clash, found in there.items() if clash in moved}}


def found_events(before: Mapping[str, Decision], found: Iterable[str], author: str, time: str = "") -> list[Event]:
    """Return the events of a detection for which only the ids of pairs are known. The events record which pairs are new
    and which pairs are gone.

    Args:
        before: the decisions until now, by clash.
        found: the ids of all clashes that the detection found.
        author: the person who ran the detection.
        time: time of the detection.

    Example:
        >>> import meshclash as mc
        >>> [event.clash for event in mc.clash.found_events({}, ["wall/pipe"], "ann")]
        ['wall/pipe']
    """
    moment, there = text("time", time) or now(), set(several("found", found, str))
    before = by_text("before", before, Decision)
    known = {clash for clash, decision in before.items() if decision.found and not decision.gone}
    begun = said_events(author, sorted(there - known), "found", "", moment)
    return begun + said_events(author, sorted(known - there), "gone", "", moment)


def moved_pairs(
    history: History,
    objects: Sequence[Identity],
    same: Mapping[str, str],
    unchanged: Collection[str] = (),
    others: Collection[str] = (),
) -> list[tuple[str, list[str]]]:
    """Return the new ids of pairs whose objects were renamed, each with the old id and the two objects.

    If an object of a pair cannot be distinguished from others any more, the pair gets a separate id and is gone with
    it, because another object has its name now.
    """
    now_there = {item.id for item in objects}
    same = {new: old for new, old in same.items() if new in now_there}
    if not history.objects:  # decisions of a version that knew names only
        known = {end for decision in history.decisions.values() for end in decision.ends}
        same = {**{item.id: f"\0{item.name}" for item in objects if f"\0{item.name}" in known}, **same}
        match = same
    else:
        taken = {*same.values()}
        if not any(item.models for item in objects):  # an id of a model's object is a name, which another may have
            same = {**{key: key for key in unchanged if key not in same and key not in taken}, **same}
        taken = {*same.values(), *others}
        old = [item for key, item in history.objects.items() if key not in taken]
        match = {**match_revisions(old, [item for item in objects if item.id not in same]), **same}
    moved = {old: new for new, old in match.items() if old != new}
    moved |= dict.fromkeys(now_there.difference(match.values(), _named_by_keys(history, objects)), "")
    moves = []
    for clash, decision in history.decisions.items() if moved else ():
        ends = [(moved[end] or secrets.token_hex(8)) if end in moved else end for end in decision.ends]
        if decision.ends != ("", "") and tuple(ends) != decision.ends:
            moves.append((pair_id(ends[0], ends[1], decision.test, decision.region), [clash, *ends]))
    return moves


def _named_by_keys(history: History, objects: Sequence[Identity]) -> set[str]:
    """Return the ids of objects that were missing and are back, recognised by keys of their own."""
    copies = Counter((name, item.key) for item in objects for name in item.models)
    return {
        item.id for item in objects
        if item.key and item.models and item.id not in history.objects
        and all(copies[name, item.key] == 1 for name in item.models)
    }  # fmt: skip


def compact(events: Iterable[Event], most: int) -> list[Event]:
    """Return the newest events that fit into a number of characters; decisions of people have priority over
    detections.
    """
    kept: list[Event] = []
    ordered = sorted(events, key=lambda said: (said.field in (*SAID, "group", "merged", "name"), _order(said)))
    for said in reversed(ordered):
        most -= sum(map(len, said)) + 30
        if most < 0:
            break
        kept.append(said)
    return sorted(kept, key=_order)


def _order(said: Event) -> tuple[str, bool, str, str]:
    """Sort by time; a detection first records the current names of pairs."""
    return said.time, said.field not in ("moved", "objects"), said.field, said.id


def _changed(
    history: History, objects: Sequence[Identity], unchanged: Collection[str], others: Collection[str]
) -> Iterator[tuple[str, list[Any]]]:
    """Return the objects that differ from those of the last detection; a missing object is represented only by its
    id.
    """
    there = {*others, *(item.id for item in objects)}
    yield from (("", [key]) for key in history.objects if key not in there)
    for item in objects:
        if item.id not in unchanged:
            models = [[*item.models]] if item.models else []
            yield "", [item.id, item.name, item.box.ravel().tolist(), item.triangles, item.area, item.key, *models]


def _unchanged(history: History, objects: Sequence[Identity]) -> set[str]:
    """Return the ids of the objects that are unchanged since the last detection."""
    both = [(known, item) for item in objects if (known := history.objects.get(item.id)) is not None]
    both = [(known, item) for known, item in both if known[1:2] + known[3:] == item[1:2] + item[3:]]
    boxes = np.array([[known.box, item.box] for known, item in both]).reshape(-1, 2, 6)
    same = (boxes[:, 0] == boxes[:, 1]).all(axis=1)
    return {item.id for (_, item), is_same in zip(both, same.tolist(), strict=True) if is_same}


def valued_events(author: str, items: Iterable[tuple[str, Any]], what: str, time: str, scene: str) -> Iterator[Event]:
    """Return events that set a different value for each of many clashes; the values are lists, as JSON."""
    clashes: list[str] = []
    values: list[str] = []
    room = MOST_TEXT
    for clash, value in items:
        text = _as_json(value)
        if values and len(text) + 20 > room:
            yield event(author, "\n".join(clashes).strip("\n"), what, f"[{','.join(values)}]", time, scene)
            clashes, values, room = [], [], MOST_TEXT
        clashes.append(clash)
        values.append(text)
        room -= len(text) + 20
    if values:
        yield event(author, "\n".join(clashes).strip("\n"), what, f"[{','.join(values)}]", time, scene)


_as_json = json.JSONEncoder(ensure_ascii=False).encode


def _listed(text: str) -> list[Any]:
    """Return the list of a value; an empty list if the value is damaged."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def _identity(item: Any) -> Identity | None:
    """Return the object that an event describes; None if the event is damaged."""
    try:
        key, name, box, triangles, area, own, *rest = item
        models = tuple(rest[0]) if rest else ()
        is_whole = len(box) == 6 and all(map(math.isfinite, (*box, triangles, area)))
    except (TypeError, ValueError, OverflowError):
        return None
    if not (is_whole and isinstance(triangles, int) and {*map(type, (key, name, own, *models))} == _TEXTS):
        return None
    return Identity(key, name, np.array(box, np.float64).reshape(2, 3), triangles, float(area), own, models)


_TEXTS = {str}


def _is_texts(item: Any, count: int) -> bool:
    return isinstance(item, list) and len(item) == count and {*map(type, item)} == _TEXTS


def _found(said: Event) -> list[Found | None]:
    """Return the information of a "found" event about each of its pairs."""
    count = len(said.clashes)
    items = _listed(said.value) if said.field == "found" and said.value else []
    if len(items) != count:
        return [None] * count
    return [Found((x[0], x[1]), (x[2], x[3]), *x[4:]) if _is_texts(x, 4) or _is_texts(x, 5) else None for x in items]
