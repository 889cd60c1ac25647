"""The command ``meshclash review list|show|set REPORT.json``: shows and records decisions about clashes and groups in a
journal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .baseline import read_report
from .command_line import DONE, Parser, run_subcommand
from .errors import InputError
from .gone import in_words
from .journals import ENDING, author, opened, review_of, written
from .report_formats import clash_line, to_json
from .review.history import Decision, History, said_events
from .review.journal import MOST_TEXT, Event
from .reviews import NOT_REVIEWED, STATUSES, Review
from .terminal import printable, say
from .verdicts import CLASH_VERDICTS
from .words import counted

GROUP = "group:"
SHORTEST = 4  # characters of the beginning of an id


def main(arguments: Sequence[str]) -> int:
    """Run the command; return the exit code."""
    return run_subcommand(_parser(), arguments)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="meshclash review", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    what = f"ids of pairs, or their first letters; {GROUP}N for all pairs that group N has now; all"

    def command(name: str, act: Any, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(act=act)
        made.add_argument("report", type=Path, metavar="REPORT.json")
        journal = f"where decisions are (default: what the report names, else its name with the ending {ENDING})"
        made.add_argument("--journal", type=Path, metavar="FILE", help=journal)
        return made

    listed = command("list", _list, "the groups and their pairs, with what was decided")
    listed.add_argument("--status", choices=STATUSES, help="only pairs of this status")
    listed.add_argument("--assignee", metavar="NAME", help="only pairs that somebody takes care of")
    listed.add_argument("--json", action="store_true", help="print JSON")
    shown = command("show", _show, "everything that was said of pairs")
    shown.add_argument("pairs", nargs="+", metavar="PAIR", help=what)
    put = command("set", _set, "decide: of a group, for the pairs that it has now; new members will be new")
    put.add_argument("pairs", nargs="+", metavar="PAIR", help=what)
    put.add_argument("--status", choices=STATUSES)
    put.add_argument("--assignee", metavar="NAME", help='who takes care of it; "" for nobody')
    put.add_argument("--comment", metavar="TEXT", help="a comment is added to those that are there")
    put.add_argument("--name", metavar="TEXT", help="of one group")
    put.add_argument("--author", metavar="NAME", help="who decides (default: the user of this machine)")
    return parser


@dataclass
class Decided:
    """The clashes of a report with their decisions.

    Attributes:
        pairs: pairs of the report, by their ids, the worst row of each pair.
        groups: groups of the report.
        gone: clashes of the baseline that no longer exist, by their ids.
        others: the number of other pairs in the report, such as touching pairs, which need no decision.
        history: history from the journal.
        objects: properties of the objects of the pairs, by name.
    """

    pairs: dict[str, dict[str, Any]]
    groups: list[dict[str, Any]]
    gone: dict[str, dict[str, Any]] = field(default_factory=dict)
    others: int = 0
    history: History = field(default_factory=History)
    objects: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def review(self, pair: str) -> Review:
        """Return the decision in the journal, or else the one in the report."""
        decision, row = self.history.decisions.get(pair), self.row(pair)
        own = NOT_REVIEWED if decision is None else review_of(decision)
        if own != NOT_REVIEWED:
            return own
        return Review(row.get("status", "open"), row.get("comment", ""), row.get("assignee") or "")

    def row(self, pair: str) -> dict[str, Any]:
        """Return what the report says about a pair, which may be gone."""
        return self.pairs.get(pair) or self.gone[pair]

    def name(self, group: Mapping[str, Any]) -> str:
        """Return the name that a user gave to a group, or else its reason."""
        return self.history.names.get(group["key"], group["reason"])

    def meant(self, texts: Sequence[str]) -> list[str]:
        """Return the ids of the pairs that the arguments select, gone ones only by their ids; raises InputError."""
        found: dict[str, None] = {}
        for text in texts:
            if text == "all":
                found |= dict.fromkeys(self.pairs)
            elif text.startswith(GROUP):
                found |= dict.fromkeys(self.group(text)["pairs"])
            else:
                found[self._pair(text)] = None
        return list(found)

    def _pair(self, text: str) -> str:
        known = dict.fromkeys([*self.pairs, *self.gone])
        some = [key for key in known if key == text or (len(text) >= SHORTEST and key.startswith(text))]
        if not some and len(text) < SHORTEST:
            raise InputError(f"'{text}' is too short: give the first {SHORTEST} characters of an id, or more")
        if not some:
            raise InputError(f"the report has no pair whose id starts with '{text}'")
        if len(some) > 1:
            raise InputError(f"'{text}' is ambiguous: {counted(len(some), 'id')} start with it")
        return some[0]

    def group(self, text: str) -> dict[str, Any]:
        """Return the group that an argument selects; raises InputError."""
        number = text.removeprefix(GROUP)
        if not number.isdecimal() or not 1 <= int(number) <= len(self.groups):
            raise InputError(f"the report has no {text}: it contains {counted(len(self.groups), 'group')}")
        return self.groups[int(number) - 1]


def _opened(given: argparse.Namespace) -> tuple[Decided, Any]:
    report = read_report(given.report)
    pairs: dict[str, dict[str, Any]] = {}
    others = 0
    for pair in report["pairs"]:
        if pair["verdict"] in (*CLASH_VERDICTS, "near"):
            pairs.setdefault(pair["id"], pair)
        else:
            others += 1
    gone = {pair["id"]: pair for pair in report.get("gone") or [] if pair["id"] not in pairs}
    journal = opened(given.journal or _journal_of(given.report, report))
    history = History(event for event in journal.events.values() if not event.scene)
    objects = {item["name"]: item for item in report.get("objects") or []}
    return Decided(pairs, report.get("groups") or [], gone, others, history, objects), journal


def _journal_of(path: Path, report: Mapping[str, Any]) -> Path:
    """Return the journal of a report: beside the report, and with its name unless the report names another.

    Raises:
        InputError: the report names a journal that is not beside it, so that its decisions would be missed.
    """
    named = report.get("journal")
    if not isinstance(named, str):
        return path.with_suffix(ENDING)
    journal = path.with_name(Path(named).name)
    if not journal.exists():
        raise InputError(f"the decisions of this report are in '{named}', which is not beside it: add --journal FILE")
    return journal


def _list(given: argparse.Namespace) -> int:
    decided, _ = _opened(given)
    shown = {
        key for key in decided.pairs
        if (review := decided.review(key)) and given.status in (None, review.status)
        and (given.assignee is None or given.assignee.casefold() in review.assignee.casefold())
    }  # fmt: skip
    if given.json:
        groups = [
            {
                "number": number, "key": group["key"], "name": decided.name(group),
                "pairs": [_as_dict(key, decided) for key in group["pairs"] if key in shown],
            }
            for number, group in enumerate(decided.groups, start=1)
        ]  # fmt: skip
        say(sys.stdout, *to_json({"groups": groups}).splitlines())
        return DONE
    lines, grouped = list[str](), set[str]()
    for number, group in enumerate(decided.groups, start=1):
        own = [key for key in group["pairs"] if key in shown]
        grouped |= {*own}
        if own:
            lines += [f"{GROUP}{number}  {decided.name(group)} ({counted(len(own), 'pair')})", *_lines(own, decided)]
    rest = [key for key in decided.pairs if key in shown - grouped]
    lines += ["in no group", *_lines(rest, decided)] if rest else []
    lines += _left_out(decided)
    say(sys.stdout, *map(printable, lines), f"{counted(len(shown), 'pair')} of {len(decided.pairs):,}")
    return DONE


def _left_out(decided: Decided) -> list[str]:
    """Return lines about pairs of the report that the list does not show."""
    lines = []
    if decided.others:
        verb = "needs" if decided.others == 1 else "need"
        lines.append(f"not listed: {counted(decided.others, 'touching or other pair')} that {verb} no decision")
    if decided.gone:
        verb = "is" if len(decided.gone) == 1 else "are"
        lines.append(f"not listed: {counted(len(decided.gone), 'pair')} of the baseline that {verb} gone")
    return lines


def _lines(keys: Sequence[str], decided: Decided) -> list[str]:
    found = []
    for key in keys:
        review = decided.review(key)
        told = [review.status, *([f"for {review.assignee}"] if review.assignee else [])]
        told += [f'"{review.comment.splitlines()[-1]}"'] if review.comment.strip() else []
        found.append(f"  {key}  {clash_line(decided.pairs[key])}: {', '.join(told)}")
    return found


def _as_dict(key: str, decided: Decided) -> dict[str, Any]:
    row, review = decided.pairs[key], decided.review(key)
    said = {"status": review.status, "assignee": review.assignee, "comment": review.comment}
    return {"id": key, "a": row["a"], "b": row["b"], "verdict": row["verdict"], **said}


def _show(given: argparse.Namespace) -> int:
    decided, _ = _opened(given)
    for key in decided.meant(given.pairs):
        row, review = decided.row(key), decided.review(key)
        decision = decided.history.decisions.get(key, Decision())
        lines = [f"{key}  {clash_line(row)}", *(f"{side}: {_described(side, row, decided)}" for side in "ab")]
        lines += [f"test: {row['test']}"] if row.get("test") else []
        lines += [f"at: {' '.join(f'{x:.3f}' for x in row['location'])} m"] if row.get("location") else []
        lines += [f"gone: {in_words(row['why'], row['detail'])}"] if key in decided.gone else []
        lines += [f"status: {review.status}"]
        lines += [f"assignee: {review.assignee}"] if review.assignee else []
        lines += [f"{item.time[:16]} {item.author}: {item.text}" for item in decision.comments] or (
            [f"comment: {review.comment}"] if review.comment.strip() else []
        )
        say(sys.stdout, *map(printable, lines), "")
    return DONE


def _described(side: str, row: Mapping[str, Any], decided: Decided) -> str:
    """Return an object of a pair with what helps to find it in another program: model, class, storey, GlobalId."""
    name = row[side]
    said = decided.objects.get(name, {})
    model = [f"model {row[f'model_{side}']}"] if row.get(f"model_{side}") else []
    known = [said[word] for word in ("class", "storey") if said.get(word)]
    known += [f"GlobalId {said['GlobalId']}"] if said.get("GlobalId") else []
    return f"{name} ({', '.join([*model, *known])})" if model or known else str(name)


def _set(given: argparse.Namespace) -> int:
    said = {
        name: getattr(given, name) for name in ("status", "assignee", "comment") if getattr(given, name) is not None
    }
    if not said and given.name is None:
        raise InputError("no change is given: add --status, --assignee, --comment or --name")
    decided, journal = _opened(given)
    who, events = given.author or author(), list[Event]()
    if any(len(text) > MOST_TEXT for text in (who, given.name or "", *said.values())):
        raise InputError(f"the text is longer than {MOST_TEXT:,} characters")
    keys = decided.meant(given.pairs)
    if gone := next((decided.gone[key] for key in keys if key in decided.gone), None):
        why = in_words(gone["why"], gone["detail"])
        raise InputError(f"the pair {gone['id']} is gone ({why}): only pairs that the report has now can be decided")
    if given.name is not None:
        if len(given.pairs) != 1 or not given.pairs[0].startswith(GROUP):
            raise InputError(f"--name renames one group, such as {GROUP}1")
        events += said_events(who, [decided.group(given.pairs[0])["key"]], "name", given.name.strip())
    for what, value in said.items():
        events += said_events(who, keys, what, value)
    written(journal, events)
    say(
        sys.stdout,
        f"{counted(len(keys), 'pair')}: {', '.join([*said.values(), *([given.name] if given.name else [])])}",
    )
    return DONE
