"""Find out why a clash of an earlier run is no longer found."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from .baseline import Baseline, EarlierPair
from .carry import Carried, told
from .review.revisions import Identity

LOST, QUESTION, NOT_LOADED, REMOVED, CHANGED, VERDICT, SOLVED = REASONS = (
    "object lost", "set or rule changed", "model not loaded", "object removed", "object changed or moved",
    "verdict changed", "solved",
)  # fmt: skip
"""The reasons in the order in which they are checked; the first reason that applies is reported."""
NOT_TESTED = (LOST, QUESTION, NOT_LOADED)
"""Reasons for which it is unknown whether the clash still exists."""
IGNORED = ("frames", "permitted_by")
"""Options that do not affect a single pair, or that other options repeat."""


@dataclass(frozen=True)
class Present:
    """The objects and settings of a run, for comparison with an earlier one.

    Attributes:
        verdicts: verdicts of all rows of the report, by the ids of pairs.
        things: the current objects by their ids; empty if the report does not contain their identities.
        models: the names of its models.
        lost: names of its objects that could not be tested, without the numbers of copies.
        questions: the options of each named test, or of "" for a single test; empty if they are unknown.
    """

    verdicts: Mapping[str, str]
    things: Mapping[str, Identity]
    models: Collection[str]
    lost: Collection[str]
    questions: Mapping[str, Mapping[str, Any]]


def why_gone(
    pair: EarlierPair, before: Baseline, now: Present, same: Carried, there: Collection[tuple[str, str]]
) -> tuple[str, str]:
    """Return one of `REASONS`, and its details.

    Args:
        pair: a pair of the earlier report.
        before: the earlier report.
        now: this run.
        same: the pairs and objects that were recognised.
        there: each model of this run with what is `told` of each of its objects.
    """
    lost = [name for name in pair.plain_names if name in now.lost]
    if lost:
        return LOST, lost[0]
    changed = _changed(pair, before.questions, now.questions)
    if changed:
        return QUESTION, changed
    ends = [before.thing(end) for end in pair.ends]
    known = [item for item in ends if item is not None]
    away = sorted({name for item in known if not {*item.models} & {*now.models} for name in item.models})
    if away and now.models:
        return NOT_LOADED, ", ".join(away)
    if before.objects and not now.things:
        return SOLVED, ""
    found = same.found
    for end, item in zip(pair.ends, ends, strict=True):
        if item is None or end in found:
            continue
        known_as = told(item, same.renewed)
        if not any((name, known_as) in there for name in item.models):
            return REMOVED, item.name
    for end, item in zip(pair.ends, ends, strict=True):
        if item is not None and (end not in found or not _is_as_before(item, now.things[found[end]])):
            return CHANGED, item.name
    verdict = now.verdicts.get(same.ids.get(pair.id, ""), "")
    return (VERDICT, verdict) if verdict else (SOLVED, "")


def _is_as_before(old: Identity, new: Identity) -> bool:
    return old.stands_as(new) and old.is_shaped_as(new)


def _changed(pair: EarlierPair, before: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the settings that changed and affect a pair; "" if none changed, or if this is unknown."""
    if not before or not now:
        return ""
    if pair.test not in before or pair.test not in now:
        return f"test {pair.test}" if pair.test else "named tests"
    old, new = before[pair.test], now[pair.test]
    names = [name for name in new if name in old and name not in IGNORED and old[name] != new[name]]
    if "exclude_pairs" in names:
        listed = [{*names_of} for names_of in new["exclude_pairs"]]
        if {*pair.names} not in listed:
            names.remove("exclude_pairs")
    if old.get("permitted_by") != new.get("permitted_by"):
        names.append("permitted_overlap")
    return ", ".join(dict.fromkeys(names))


def gone_pairs(
    before: Baseline, now: Present, clashes: Collection[str], same: Carried
) -> list[tuple[EarlierPair, str, str]]:
    """Return the clashes of an earlier run that are no longer found, with reason and details.

    Args:
        before: the earlier run.
        now: this one.
        clashes: the ids of its pairs that share volume.
        same: the pairs and objects that were recognised.
    """
    there = {(name, told(item, same.renewed)) for item in now.things.values() for name in item.models}
    return [
        (pair, *why_gone(pair, before, now, same, there))
        for pair in before.pairs.values() if pair.is_clash and same.ids.get(pair.id) not in clashes
    ]  # fmt: skip


def gone_as_dict(pair: EarlierPair, why: str, detail: str) -> dict[str, Any]:
    """Return a clash that is no longer found as a dictionary for reports."""
    row = {name: pair.row.get(name) for name in ("verdict", "depth", "depth_upper", "location", "model_a", "model_b")}
    told = {"status": pair.review.status, "comment": pair.review.comment, "why": why, "detail": detail}
    return {"id": pair.id, "a": pair.names[0], "b": pair.names[1], "test": pair.test or None, **row, **told}


def in_words(why: str, detail: str) -> str:
    """Format a reason: "model not loaded: hvac"."""
    return f"{why}: {detail}" if detail else why
