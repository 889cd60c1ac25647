"""Record a detection in a journal: the pairs that it found, and the decisions about them."""

from __future__ import annotations

import getpass
import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InvalidFile
from ..types.steps import run_to_end
from .baseline import EarlierPair
from .carry import UNCERTAIN, Again, Alike, without
from .errors import InputError
from .identity import without_number
from .review.history import Decision, Found, History, detection_steps, said_events
from .review.journal import Event, Journal
from .reviews import NOT_REVIEWED, Review
from .verdicts import APART

if TYPE_CHECKING:
    from .report import DetectReport

ENDING = ".meshclash-journal"
OPEN = "open"


def author() -> str:
    """Return the name of the current user."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a system without users
        return "somebody"


def opened(path: Path) -> Journal:
    """Open a journal, which need not exist yet; raises InputError."""
    if path.suffix != ENDING:
        raise InputError(f"the journal '{path}' must end in {ENDING}")
    if not path.parent.is_dir() or (path.exists() and not os.access(path, os.W_OK)):
        raise InputError(f"the journal '{path}' cannot be written")
    try:
        return Journal(path)
    except InvalidFile as error:
        raise InputError(str(error)) from error


def written(journal: Journal, events: list[Event]) -> None:
    """Add events to a journal; raises InputError."""
    try:
        journal.add(events)
    except InvalidFile as error:
        raise InputError(str(error)) from error


def review_of(decision: Decision) -> Review:
    """Return the decision about a pair in the form of reports."""
    comments = "\n".join(item.text for item in decision.comments if item.text.strip())
    return Review(decision.status or OPEN, comments, decision.assignee)


def recorded(
    report: DetectReport,
    path: Path,
    who: str,
    identities: Collection[str],
    of_baseline: Mapping[str, Review] | None = None,
) -> DetectReport:
    """Write a detection to a journal, and return its report with the journal's decisions.

    Args:
        report: the report, including the baseline and BCF file, whose content is written into the journal if the
            journal does not contain it.
        path: path of the journal.
        who: detects.
        identities: identities of all objects of the files, also of objects in no set.
        of_baseline: decisions of the baseline, by pair id: they do not replace decisions of the journal, which may be
            newer.

    Raises:
        InputError: the journal cannot be read or written.
    """
    journal = opened(path)
    history = History(event for event in journal.events.values() if not event.scene)
    ends = {name: item.id for name, item in report.things.items()}
    pairs = {
        row.id: Found(row.names, (ends[row.a.name], ends[row.b.name]), report.question_of(row))
        for row in report.rows if row.verdict != APART
    }  # fmt: skip
    others = _not_tested(history, report, identities)
    steps = detection_steps(history, pairs, [*report.things.values()], who, answers=report.answers, others=others)
    events = run_to_end(steps)
    history.take(events)
    said = _said_elsewhere(history, report, who, of_baseline or {})
    history.take(said)
    written(journal, [*events, *said])
    of_journal = {row.id: review_of(history.decisions[row.id]) for row in report.rows if row.id in history.decisions}
    reviews = {**report.reviews, **of_journal}
    decided = {key for key, review in reviews.items() if review != NOT_REVIEWED}
    report = replace(
        report,
        reviews=reviews,
        group_names={**report.group_names, **history.names},
        journal=path.name,
        again=[without(item, decided) for item in report.again],
    )
    return replace(report, again=[*report.again, *_waiting(history, report, pairs)])


def _not_tested(history: History, report: DetectReport, identities: Collection[str]) -> set[str]:
    """Return the objects that this detection did not test: objects in models that are not loaded, in no set, or
    unreadable.
    """
    models, tested = {item["name"] for item in report.models}, {item.id for item in report.things.values()}
    lost = {without_number(item.name) for item in report.lost}
    return {
        key for key, item in history.objects.items()
        if key not in tested and (key in identities or item.name in lost or not models & {*item.models})
    }  # fmt: skip


def _said_elsewhere(history: History, report: DetectReport, who: str, of_baseline: Mapping[str, Review]) -> list[Event]:
    """Return the decisions of a baseline or a BCF file that the journal does not contain, also about pairs that are
    gone.
    """
    events = list[Event]()
    for key, review in report.all_reviews.items():
        known = review_of(history.decisions.get(key, Decision()))
        if review in (NOT_REVIEWED, known) or (known != NOT_REVIEWED and review == of_baseline.get(key)):
            continue
        if review.status != known.status:
            events += said_events(who, [key], "status", review.status)
        if review.assignee and review.assignee != known.assignee:
            events += said_events(who, [key], "assignee", review.assignee)
        lines = known.comment.splitlines()
        new = [line for line in review.comment.splitlines() if line not in lines]
        if new:
            events += said_events(who, [key], "comment", "\n".join(new))
    return events


def _waiting(history: History, report: DetectReport, pairs: Collection[str]) -> list[Again]:
    """Return decisions of the journal that belong to no pair of this detection for certain, and the pairs of the same
    names or GlobalIds that have no decision yet. They are listed in each run until these pairs are decided.

    Args:
        history: the journal, with this detection.
        report: this detection, with the decisions of the journal.
        pairs: ids of its pairs.
    """
    alike = lru_cache(None)(lambda renewed: Alike(report.rows, report.things, renewed))
    there, found = {item.id for item in report.things.values()}, list[Again]()
    listed = {item.pair.id for item in report.again}
    alike_listed = {(frozenset(item.pair.plain_names), frozenset(item.candidates)) for item in report.again}
    for key, decision in history.decisions.items():
        review = review_of(decision)
        if key in pairs or key in listed or review == NOT_REVIEWED or there.issuperset(decision.ends):
            continue
        if any(end in history.objects and end not in there for end in decision.ends):  # not tested now
            continue
        objects = [item for end in decision.ends if (item := history.thing(end)) is not None]
        if len(objects) < 2:
            continue
        renewed = frozenset(name for end in decision.ends for name in history.renewed.get(end, ()))
        candidates = tuple(
            pair for pair in alike(renewed).candidates(decision.test, decision.region, objects)
            if report.reviews.get(pair, NOT_REVIEWED) == NOT_REVIEWED
        )  # fmt: skip
        earlier = EarlierPair(key, decision.names, decision.ends, decision.test, review=review, region=decision.region)
        if candidates and (frozenset(earlier.plain_names), frozenset(candidates)) not in alike_listed:
            found.append(Again(earlier, objects, candidates, UNCERTAIN))
    return found
