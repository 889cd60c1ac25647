"""Histories of scenes, and the journal beside the file, which restores what a crash or another save lost.

A scene's property `reviews` contains the user's decisions on pairs, so that Blender can undo and save them. Each change
of a decision is an event in the scene's history, and is written to the journal immediately. Like `scene_results`, this
is state of the session: plain data by the `session_uid` of scenes.
"""

from __future__ import annotations

import getpass
import secrets
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import bpy
from meshclash.clash.review.history import (
    Decision,
    Found,
    History,
    compact,
    detection_steps,
    said_events,
    valued_events,
)
from meshclash.clash.review.journal import DETECTED, Event, Journal, as_lines, parsed
from meshclash.clash.review.journal import now as moment
from meshclash.clash.review.revisions import pair_id
from meshclash.clash.verdicts import APART
from meshclash.errors import InvalidFile
from meshclash.messages import Sentence
from meshclash.types.slices import portions

from . import preferences, scene_results

if TYPE_CHECKING:
    from meshclash.clash.pair_row import PairRow
    from meshclash.clash.report import DetectReport

MOST_TEXT = 8_000_000
"""Largest number of characters of a history in a .blend file; the journal beside it keeps everything."""
ROWS_AT_ONCE = 5_000
"""Number of rows in one step, which takes some milliseconds."""
ENDING = ".meshclash-journal"
FIELDS = ("status", "comment", "assignee", "priority", "due")
NOTHING = ("open", "", "", "", "")
STATUSES = ("OPEN", "REVIEWED", "APPROVED", "RESOLVED")
Words = tuple[str, ...]


@dataclass
class Kept:
    """The history of one scene.

    Attributes:
        scene: name of the scene in journals.
        history: all events.
        objects: session uids of objects by identity, at the last detection of this session.
        foreign: pairs with decisions from another Blender.
        version: number that changes with every change.
        detections: number that changes with every event of a detection.
        gone: cached pairs that are gone, with their version.
        still: cached pairs that are marked as resolved but still clash, with their version.
    """

    scene: str
    history: History = field(default_factory=History)
    objects: dict[str, int] = field(default_factory=dict)
    foreign: set[str] = field(default_factory=set)
    version: int = 0
    detections: int = 0
    still: tuple[int, list[str]] | None = None
    gone: tuple[int, list[tuple[str, Decision]]] | None = None

    def note(self, events: Iterable[Event]) -> None:
        """Update the version after events were added."""
        self.version += 1
        self.detections += any(said.field in DETECTED for said in events)


class Detected(NamedTuple):
    """The events of a detection.

    Attributes:
        events: events for the history.
        objects: session uids of objects by identity.
    """

    events: list[Event]
    objects: dict[str, int]


class _State:
    """The mutable state of this module."""

    kept: dict[int, Kept] = {}  # noqa: RUF012 - one per session on purpose
    journal: Journal | None = None
    problem = ""
    looked: tuple[tuple[int, int] | None, tuple[int, int] | None] | None = None  # journal, file
    saved: tuple[int, int] | None = None  # time and size of the file when this Blender read or wrote it


def kept(scene: bpy.types.Scene) -> Kept:
    """Return the kept history of a scene."""
    found = _State.kept.get(scene.session_uid)
    if found is None:
        own, taken = scene.meshclash.history_id, {other.scene for other in _State.kept.values()}
        found = Kept(secrets.token_hex(8) if not own or own in taken else own)
        if own in taken:  # a full copy of a scene: from now on it has its own history
            found.history.take(_own_events(scene.meshclash.history, found.scene))
        _State.kept[scene.session_uid] = found
    return found


def _own_events(lines: str, name: str) -> list[Event]:
    """Return the events in a scene's text as events of the scene with a name; the same objects in every call."""
    found = [said for said in map(parsed, lines.splitlines()) if said is not None]
    return [said if said.scene in ("", name) else said.of_scene(name) for said in found]


def history_of(scene: bpy.types.Scene) -> History:
    """Return the history of a scene."""
    return kept(scene).history


def author() -> str:
    """Return the user's name, from the preferences or else from the system."""
    chosen = str(preferences.of(bpy.context).author).strip()
    if chosen:
        return chosen
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a system without users
        return "somebody"


def problem() -> str:
    """Return why the journal cannot be written; "" if it can be written."""
    return _State.problem


def journal_path() -> Path | None:
    """Return the path of the journal beside the open file; None if the file was never saved."""
    return Path(bpy.data.filepath).with_suffix(ENDING) if bpy.data.filepath else None


def forget() -> None:
    """Discard the state of the open file."""
    _State.kept.clear()
    _State.journal, _State.problem, _State.saved, _State.looked = None, "", None, None


def say(scene: bpy.types.Scene, clashes: list[str], what: str, value: str) -> None:
    """Record the same event for several pairs or groups, in the history and in the journal."""
    append(scene, said_events(author(), clashes, what, value, scene=kept(scene).scene))


def append(scene: bpy.types.Scene, events: Iterable[Event]) -> set[str]:
    """Add events to the history of a scene and to the journal; return the ids that they concern."""
    events, found = list(events), kept(scene)
    about = found.history.take(events)
    found.note(events)
    _write(events)
    return about


def _write(events: Iterable[Event]) -> None:
    """Write events to the journal; if that is impossible, histories are only saved with the file."""
    events = list(events)
    path = journal_path()
    if path is None or not events:
        return
    try:
        if _State.journal is None or _State.journal.path != path:
            _State.journal = Journal(path)
            _take(_State.journal.events.values())
            events = [said for item in _State.kept.values() for said in item.history.events.values()]
        _take(_State.journal.add(events))
        _State.problem = ""
    except InvalidFile as error:
        _State.journal, _State.problem = None, str(error)


def words_of(review: bpy.types.PropertyGroup) -> Words:
    """Return the values of a review as words, in the order of `FIELDS`."""
    return (review.status.lower(), *(getattr(review, name) for name in FIELDS[1:]))


def _words(decision: Decision) -> Words:
    return (decision.status or "open", *(getattr(decision, name) for name in FIELDS[1:]))


def sync(scene: bpy.types.Scene, undone: bool = False) -> None:
    """Record changes of a scene's reviews by scripts or undo in the history.

    Args:
        scene: the scene.
        undone: whether the call follows an undo or redo; in that case decisions that others made in the meantime are
            restored.
    """
    found, reviews = kept(scene), scene.meshclash.reviews
    history, again = found.history, set()
    for review in reviews:
        if review.name not in history.decisions and history.moved_to(review.name) != review.name:
            again |= {review.name, history.moved_to(review.name)}
    now = {review.name: words_of(review) for review in reviews if review.name not in again}
    known = {
        clash: _words(said) for clash, said in history.decisions.items()
        if "|" not in clash and (said.status or said.assignee or said.priority or said.due or said.comments)
    }  # fmt: skip
    changed: dict[tuple[str, str], list[str]] = defaultdict(list)
    for clash in now.keys() | known.keys():
        before, after = known.get(clash, NOTHING), now.get(clash, NOTHING)
        if before == after or clash in again:
            continue
        if undone and clash in found.foreign:
            again.add(clash)
            continue
        for what, old, new in zip(FIELDS, before, after, strict=True):
            if old != new:
                changed[what, new].append(clash)
    append(scene, valued_events(author(), _former(scene), "found", moment(), found.scene))
    for (what, value), clashes in changed.items():
        say(scene, sorted(clashes), what, value)
    put(scene, again)


def _former(scene: bpy.types.Scene) -> list[tuple[str, list[str]]]:
    """Return the pairs of reviews from a version without histories, by the names of their objects."""
    decisions, found = history_of(scene).decisions, []
    for review in scene.meshclash.reviews:
        ends = [f"\0{name}" for name in (review.name_a, review.name_b)]
        if review.name not in decisions and review.name == pair_id(*ends):
            found.append((review.name, [review.name_a, review.name_b, *ends]))
    return found


def put(scene: bpy.types.Scene, clashes: Iterable[str]) -> None:
    """Update the reviews of pairs from the history."""
    reviews, decisions = scene.meshclash.reviews, history_of(scene).decisions
    wanted = {clash: decisions.get(clash, Decision()) for clash in clashes if "|" not in clash}
    if not wanted:
        return
    kept_words = {review.name: (review.name_a, review.name_b, words_of(review)) for review in reviews}
    before = dict(kept_words)
    for clash, decision in wanted.items():
        words = _words(decision)
        kept_words.pop(clash, None)
        if words != NOTHING:
            kept_words[clash] = (*decision.names, words)
    if kept_words != before:
        _fill(reviews, kept_words)
    scene_results.doubt_reviews()


def drop(scene: bpy.types.Scene, clashes: Iterable[str]) -> None:
    """Remove the reviews of pairs, all at once."""
    reviews, left_out = scene.meshclash.reviews, {*clashes}
    _fill(reviews, {
        review.name: (review.name_a, review.name_b, words_of(review))
        for review in reviews if review.name not in left_out
    })  # fmt: skip


def _fill(reviews: bpy.types.bpy_prop_collection, wanted: Mapping[str, tuple[str, str, Words]]) -> None:
    reviews.clear()
    for clash, (name_a, name_b, words) in wanted.items():
        review = reviews.add()
        review.name, review.name_a, review.name_b = clash, name_a, name_b
        review.status = words[0].upper() if words[0].upper() in STATUSES else "OPEN"
        for name, value in zip(FIELDS[1:], words[1:], strict=True):
            setattr(review, name, value)


def read_others() -> bool:
    """Read the events that other Blenders have written to the journal since the last reading; return whether new events
    were found.
    """
    if _State.journal is None:
        return False
    try:
        added = _State.journal.read()
    except InvalidFile as error:
        _State.problem = str(error)
        return False
    return _take(added)


def look_at_others() -> bool:
    """Read the journal if another Blender wrote to it or saved the file; return whether new events were found."""
    path = journal_path()
    stamps = None if path is None else (_stamp(path), _stamp(Path(bpy.data.filepath)))
    if path is None or stamps == _State.looked:
        return False
    _State.looked = stamps
    if _State.journal is None and path.exists():
        try:
            _State.journal = Journal(path)
        except InvalidFile as error:
            _State.problem = str(error)
            return True
        return _take(_State.journal.events.values()) or saved_by_another()
    return read_others() or saved_by_another()


def _take(events: Iterable[Event]) -> bool:
    of: dict[str, list[Event]] = defaultdict(list)
    for said in events:
        of[said.scene].append(said)
    news = False
    for scene in bpy.data.scenes:
        found = kept(scene)
        new = [said for said in of.get(found.scene, ()) if said.id not in found.history.events]
        if new and scene.library is None:
            about = found.history.take(new)
            found.foreign |= about
            found.note(new)
            put(scene, about)
            news = True
    return news


def loaded() -> None:
    """Read the histories of a file that was opened, and further events of its journal."""
    forget()
    for scene in bpy.data.scenes:
        if scene.library is not None:
            continue
        found = kept(scene)
        found.history.take(_own_events(scene.meshclash.history, found.scene))
        if len(scene.meshclash.reviews):
            sync(scene)
    path = journal_path()
    if path is None:
        return
    _State.saved = _stamp(path.with_suffix(Path(bpy.data.filepath).suffix))
    if path.exists():
        try:
            _State.journal = Journal(path)
        except InvalidFile as error:
            _State.problem = str(error)
            return
        _take(_State.journal.events.values())
        for found in _State.kept.values():
            found.foreign.clear()  # from now on, undo in this file is recorded as our change
    _write([said for item in _State.kept.values() for said in item.history.events.values()])


def before_save() -> None:
    """Save the histories in the file, up to the size limit."""
    read_others()
    for scene in bpy.data.scenes:
        if scene.library is not None:
            continue
        sync(scene)
        found = kept(scene)
        text = as_lines(compact(found.history.events.values(), MOST_TEXT))
        if scene.meshclash.history != text:
            scene.meshclash.history = text
        if text and scene.meshclash.history_id != found.scene:
            scene.meshclash.history_id = found.scene


def after_save() -> None:
    """Write the journal of a file that was saved."""
    _write([said for item in _State.kept.values() for said in item.history.events.values()])
    _State.saved = _stamp(Path(bpy.data.filepath)) if bpy.data.filepath else None


def saved_by_another() -> bool:
    """Return whether the open file was written by another program since this Blender read or wrote it."""
    return bool(bpy.data.filepath) and _State.saved is not None and _stamp(Path(bpy.data.filepath)) != _State.saved


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def detected_steps(scene: bpy.types.Scene, report: DetectReport) -> Generator[None, None, Detected]:
    """Compute the events of a detection in steps: which pairs it found, and which are gone."""
    read_others()
    sync(scene)
    found = kept(scene)
    identities = {item.name: item.id for item in report.revision}
    rows = [row for row in report.rows if row.verdict != APART]
    asked = {(row.test, row.verdict, row.region): row for row in rows}
    questions = {key: report.question_of(row) for key, row in asked.items()}
    yield
    pairs = {}
    for some in portions(rows, ROWS_AT_ONCE):
        for row in some:
            a, b = names = row.names
            ends = identities.get(a, ""), identities.get(b, "")
            pairs[row.id] = Found(names, ends, questions[row.test, row.verdict, row.region])
        yield
    uids = {item.name_full: item.session_uid for item in scene.objects if item is not None}
    now = {item.id: uids[item.name] for item in report.revision if item.name in uids}
    was = {uid: identity for identity, uid in found.objects.items()}
    same = {identity: was[uid] for identity, uid in now.items() if uid in was}
    others = _not_tested(found, now, uids) | _lost(found, report)
    objects = {**now, **{key: uid for key, uid in found.objects.items() if key in others}}
    yield
    events = yield from detection_steps(
        found.history, pairs, report.revision, author(), same, scene=found.scene, answers=report.answers, others=others
    )
    return Detected(events, objects)


def detected(scene: bpy.types.Scene, said: Detected) -> None:
    """Add the events of a detection with the current time; other Blenders may have recorded events in the meantime."""
    found, time = kept(scene), moment()
    found.objects = said.objects
    before = len(found.history.events)
    events = [event._replace(time=time) for event in said.events]
    append(scene, events)
    if before:
        put(scene, moved_ids(events))


def _not_tested(found: Kept, now: Mapping[str, int], uids: Mapping[str, int]) -> set[str]:
    """Return the identities of objects of earlier detections that are still in the scene but were not tested now."""
    there, tested = {*uids.values()}, {*now.values()}
    return {
        key for key, item in found.history.objects.items()
        if key not in now and (uid := found.objects.get(key, uids.get(item.name))) in there and uid not in tested
    }  # fmt: skip


def _lost(found: Kept, report: DetectReport) -> set[str]:
    """Return the identities of objects of earlier detections, also of instances, that the last detection could not
    read.
    """
    names, tested = {item.name for item in report.lost}, {item.id for item in report.revision}
    return {key for key, item in found.history.objects.items() if item.name in names and key not in tested}


def checked(scene: bpy.types.Scene, report: DetectReport, pair_id: str, rows: Iterable[PairRow]) -> None:
    """Record in the history the result of checking a pair of a report again."""
    decision, found, name = history_of(scene).decisions.get(pair_id), [*rows], kept(scene).scene
    if decision is None or not decision.found or bool(decision.gone) != bool(found):
        return
    if not found:
        say(scene, [pair_id], "gone", "")
        return
    value = [*decision.names, *decision.ends, report.question_of(found[0])]
    append(scene, valued_events(author(), [(pair_id, value)], "found", moment(), name))


def moved_ids(events: Iterable[Event]) -> set[str]:
    """Return the old and new ids of pairs whose id has changed."""
    return {clash for said in events if said.field == "moved" for clash in (*said.clashes, *said.moved_from)}


def edited_groups(scene: bpy.types.Scene) -> bool:
    """Return whether groups were edited manually."""
    history = history_of(scene)
    return bool(history.groups or history.merged or history.names)


def forget_edits(scene: bpy.types.Scene) -> None:
    """Discard all manual edits of groups."""
    history = history_of(scene)
    for what, known in (("group", history.groups), ("merged", history.merged), ("name", history.names)):
        if known:
            append(scene, said_events(author(), sorted(known), what, "", scene=kept(scene).scene))


def still_there(scene: bpy.types.Scene) -> list[str]:
    """Return the pairs that were resolved, but were found again by the last detection; cached for each version."""
    found = kept(scene)
    if found.still is None or found.still[0] != found.version:
        said = (review.name for review in scene.meshclash.reviews if review.status == "RESOLVED")
        found.still = found.version, [clash for clash in said if found.history.still_there(clash)]
    return found.still[1]


def assigned_to(scene: bpy.types.Scene, person: str) -> frozenset[str]:
    """Return the ids of the pairs whose assignee's name contains a text."""
    wanted, decisions = person.casefold(), history_of(scene).decisions
    return frozenset(clash for clash, said in decisions.items() if wanted in said.assignee.casefold())


def found_again(scene: bpy.types.Scene, result: Mapping[str, object]) -> list[str]:
    """Return the pairs of a result that were resolved, but were found again by the last detection."""
    return [clash for clash in still_there(scene) if clash in result]


def gone(scene: bpy.types.Scene) -> list[tuple[str, Decision]]:
    """Return the pairs that are no longer found, the latest first; cached for each version."""
    known = kept(scene)
    if known.gone is None or known.gone[0] != known.version:
        found = [(clash, decision) for clash, decision in known.history.decisions.items() if decision.gone]
        known.gone = known.version, sorted(found, key=lambda item: item[1].gone, reverse=True)
    return known.gone[1]


def notes(scene: bpy.types.Scene) -> list[tuple[str, str]]:
    """Return notes for the user about the history of a scene, with icons."""
    found: list[tuple[str, str]] = []
    if problem():
        found.append((Sentence("Decisions are saved in the .blend file only: {why}", why=problem()), "ERROR"))
    if saved_by_another():
        found.append(
            ("Another Blender has saved this file. Its decisions were merged, its other changes were not", "ERROR")
        )
    return found


def why_gone(scene: bpy.types.Scene, decision: Decision) -> str:
    """Return why a pair is no longer found, as far as the scene shows."""
    names = {item.name_full for item in scene.objects if item is not None}
    absent = [name for name in dict.fromkeys(decision.names) if name.partition("/")[0] not in names]
    if absent:
        return Sentence("{name} is not in the scene", name=absent[0])
    excluded = {frozenset(pair) for pair in scene.meshclash.excluded_names}
    if frozenset(decision.names) in excluded:
        return "The pair is excluded"
    return "No longer found, because an object was moved or changed"
