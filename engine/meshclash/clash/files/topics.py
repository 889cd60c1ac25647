"""Write clashes as BCF topics, and read decisions from BCF topics."""

from __future__ import annotations

import math
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple
from xml.etree import ElementTree

from ..cell_text import format_depth
from ..colours import COLOUR_A, COLOUR_B, hexadecimal
from ..grouping import SPACE, group_guid
from ..reviews import NOT_REVIEWED, Review
from ..verdicts import CLASH_VERDICTS
from .bcf import BcfFile, BcfTopic, xml_bytes
from .junit import as_xml

Element = ElementTree.Element

AUTHOR = "MeshClash"
STATUSES = {"open": "Open", "reviewed": "Reviewed", "approved": "Approved", "resolved": "Resolved"}
MEANT = {
    **{name: key for key, name in ((key, value.lower()) for key, value in STATUSES.items())},
    "active": "open", "new": "open", "in progress": "reviewed", "closed": "resolved", "done": "resolved",
}  # fmt: skip
"""Statuses of other programs, in lower case."""
GLOBAL_ID = re.compile(r"[0-9A-Za-z_$]{22}")
COLOURS = hexadecimal(COLOUR_A), hexadecimal(COLOUR_B)
VIEW = (0.55, -0.62, 0.56)
FIELD, ASPECT = 60.0, 16.0 / 9.0
NEAREST, USUAL = 0.25, 2.0
"""Minimum distance of the camera, and the distance if the size of a clash is unknown [m]."""

TOPICS = GROUP, PAIR = ("group", "pair")
"""The choices for BCF topics: one for each group, or one for each pair."""
NAMED_PAIR = re.compile(r"^id ([0-9a-f]{16})(?: at ((?:-?[0-9.]+ ){2}-?[0-9.]+))?\s*$", re.MULTILINE)

Pictures = Mapping[str, bytes]
Sizes = Callable[[dict[str, Any]], float | None]


def topic_guid(pair: str) -> str:
    """Return the GUID of a pair's topic, which is the same in every file."""
    return str(uuid.uuid5(SPACE, pair))


def to_bcf(
    report: dict[str, Any],
    version: str,
    pictures: Pictures | None = None,
    sizes: Sizes = lambda _: None,
    by: str = PAIR,
) -> bytes:
    """Return a BCF topic for each group of clashes, or for each pair that shares volume or is closer than the
    tolerance.

    Args:
        report: a report of schema `meshclash.report/1`.
        version: "2.1" or "3.0".
        pictures: PNG by the ids of pairs.
        sizes: size of the region of interest of each pair [m].
        by: one of `TOPICS`. If topics are written for groups, pairs without a group have one topic each.
    """
    told = {item["name"]: item for item in report["objects"]}
    created = report["created"] or datetime.now(UTC).isoformat(timespec="seconds")
    pairs = [pair for pair in report["pairs"] if pair["verdict"] in (*CLASH_VERDICTS, "near")]
    first = {pair["id"]: pair for pair in reversed(pairs)}  # one topic for all frames of a pair
    first = dict(reversed(first.items()))
    found = list[_Subject]()
    for group in report["groups"] if by == GROUP else ():
        members = [first.pop(key) for key in group["pairs"] if key in first]
        if members:
            order = {pair["id"]: k for k, pair in enumerate(pairs)}
            members.sort(key=lambda pair: order[pair["id"]])  # the worst ones first
            guid = group.get("topic") or group_guid(group["key"])
            words = f"{group['name']}: {group['reason']}" if group.get("name") else group["reason"]
            found.append(_Subject(guid, f"{len(found) + 1}: {words}", members))
    for pair in first.values():
        title = f"{pair['verdict']} {len(found) + 1}: {pair['a']} | {pair['b']}"
        found.append(_Subject(topic_guid(pair["id"]), title, [pair]))
    topics = [
        _topic(number, subject, told, created, version, pictures or {}, sizes)
        for number, subject in enumerate(found, start=1)
    ]
    others = {} if version == "2.1" else {"extensions.xml": xml_bytes(_extensions())}
    return BcfFile(version, topics, others).to_bytes()


@dataclass(frozen=True)
class _Subject:
    """The pairs of a topic, worst first."""

    guid: str
    title: str
    pairs: list[dict[str, Any]]

    @property
    def status(self) -> str:
        """Status of all pairs of the topic; open if they differ."""
        own = {pair["status"] for pair in self.pairs}
        return own.pop() if len(own) == 1 else "open"


class Told(NamedTuple):
    """The status and comments that a topic states for one pair.

    Attributes:
        review: status and comments; the status is "" if the topic does not change it.
        location: location of the pair when the topic was written [m]; None if unknown.
    """

    review: Review
    location: tuple[float, ...] | None


def reviews_of(file: BcfFile, pairs: Iterable[str], known: Mapping[str, Review] | None = None) -> dict[str, Review]:
    """Return the reviews in a file by pair id: status, assignee and comments, the last comment at the end.

    Args:
        file: the file.
        pairs: ids.
        known: the current reviews of the pairs. An open topic of several pairs does not change different statuses of
            its pairs, because it was written in this form; a topic without an assignee changes no assignee.
    """
    return {key: told.review for key, told in told_of(file, pairs, known or {}).items()}


def told_of(file: BcfFile, pairs: Iterable[str], known: Mapping[str, Review]) -> dict[str, Told]:
    """Return the same result as `reviews_of`, with the locations of the pairs."""
    own = {topic_guid(key): key for key in pairs}
    wanted, found = {*own.values()}, dict[str, Told]()
    for topic in file.topics:
        alone = own.get(topic.guid.lower())
        named = _named_pairs(topic)
        members = [key for key in named if key in wanted] or ([alone] if alone else [])
        several = len(named) > 1
        status = MEANT.get(topic.status.strip().lower(), "open")
        assignee = (topic.element.findtext("AssignedTo") or "").strip()
        differ = len({known.get(key, NOT_REVIEWED).status for key in members}) > 1
        for key in members:
            texts = []
            for comment in topic.comments:
                of = next((other for other in named if comment.guid.lower() == _comment_guid(other)), key)
                if of == key and comment.text.strip():
                    texts.append(comment.text.strip())
            kept = several and status == "open" and differ
            before = known.get(key, NOT_REVIEWED)
            now, who = before.status if kept else status, assignee or before.assignee
            place = named.get(key) or (_place(topic) if not several else None)
            found[key] = Told(Review(now, "\n".join(texts), who), place)
    return found


def _comment_guid(of: str) -> str:
    """Return the GUID of a comment on a pair, by its id, or on all pairs of a topic, by the topic's GUID."""
    return str(uuid.uuid5(SPACE, f"{of} comment"))


def unknown_topics(file: BcfFile, pairs: Iterable[str]) -> int:
    """Return how many topics of a file are about none of the given pairs."""
    own = {*pairs}
    guids = {topic_guid(key) for key in own}
    return sum(topic.guid.lower() not in guids and own.isdisjoint(_named_pairs(topic)) for topic in file.topics)


def _named_pairs(topic: BcfTopic) -> dict[str, tuple[float, ...] | None]:
    """Return the pairs named in a topic's description, with their locations if given."""
    found: dict[str, tuple[float, ...] | None] = {}
    for match in NAMED_PAIR.finditer(topic.element.findtext("Description") or ""):
        place = tuple(map(float, match[2].split())) if match[2] else None
        found[match[1]] = place if place is None or all(map(math.isfinite, place)) else None
    return found


def _place(topic: BcfTopic) -> tuple[float, ...] | None:
    """Return the location of a topic's pair from its viewpoint: the centre of the region that the clipping planes
    enclose.
    """
    for view in topic.viewpoints:
        planes = view.findall("ClippingPlanes/ClippingPlane/Location")
        try:
            corners = [[float(plane.findtext(axis) or "nan") for axis in "XYZ"] for plane in planes]
        except ValueError:
            return None
        if len(corners) == 6:
            place = tuple(sum(axis) / 6.0 for axis in zip(*corners, strict=True))
            return place if all(map(math.isfinite, place)) else None
    return None


def _topic(
    number: int,
    subject: _Subject,
    told: Mapping[str, Mapping[str, str]],
    created: str,
    version: str,
    pictures: Pictures,
    sizes: Sizes,
) -> BcfTopic:
    three, pairs = version == "3.0", subject.pairs
    markup = ElementTree.Element("Markup")
    status = STATUSES.get(subject.status, "Open")
    topic = ElementTree.SubElement(markup, "Topic", {"Guid": subject.guid, "TopicType": "Clash", "TopicStatus": status})
    _add(topic, "Title", subject.title)
    if not three:
        _add(topic, "Index", str(number))
    labels = {
        label: None for pair in pairs
        for label in (pair["verdict"], "new" if pair.get("new") else "", pair.get("test") or "") if label
    }  # fmt: skip
    holder = ElementTree.SubElement(topic, "Labels") if three else topic
    for label in labels:
        _add(holder, "Label" if three else "Labels", label)
    _add(topic, "CreationDate", created)
    _add(topic, "CreationAuthor", AUTHOR)
    assignees = {pair.get("assignee") or "" for pair in pairs}
    if len(assignees) == 1 and (who := assignees.pop()):
        _add(topic, "AssignedTo", who)
    _add(topic, "Description", "\n\n".join(_description(pair, told) for pair in pairs))
    said = [(_comment_guid(pair["id"]), pair["comment"]) for pair in pairs if pair["comment"].strip()]
    if len(said) == len(pairs) and len({text for _, text in said}) == 1:  # a decision about the group
        said = [(_comment_guid(subject.guid if len(pairs) > 1 else pairs[0]["id"]), said[0][1])]
    comments = ElementTree.SubElement(topic, "Comments") if three and said else markup
    for guid, text in said:
        comment = ElementTree.SubElement(comments, "Comment", {"Guid": guid})
        _add(comment, "Date", created)
        _add(comment, "Author", AUTHOR)
        _add(comment, "Comment", text)
    files: dict[str, bytes] = {}
    shown = [some for some in ([pairs, pairs[:1]] if len(pairs) > 1 else [pairs]) if any(p["location"] for p in some)]
    holder = ElementTree.SubElement(topic, "Viewpoints") if three and shown else markup
    for k, some in enumerate(shown):
        name = "viewpoint" if k == 0 else f"viewpoint_{k + 1}"
        guid = str(uuid.uuid5(SPACE, f"{subject.guid} {name}" if len(pairs) > 1 else f"{pairs[0]['id']} view"))
        entry = ElementTree.SubElement(holder, "ViewPoint" if three else "Viewpoints", {"Guid": guid})
        _add(entry, "Viewpoint", f"{name}.bcfv")
        files[f"{name}.bcfv"] = xml_bytes(_viewpoint(guid, some, told, sizes, three))
        if len(some) == 1 and some[0]["id"] in pictures:
            snapshot = "snapshot" if k == 0 else f"snapshot_{k + 1}"
            _add(entry, "Snapshot", f"{snapshot}.png")
            files[f"{snapshot}.png"] = pictures[some[0]["id"]]
    return BcfTopic(markup, files)


def _description(pair: dict[str, Any], told: Mapping[str, Mapping[str, str]]) -> str:
    at = "" if pair["location"] is None else " at " + " ".join(f"{x:.6f}" for x in pair["location"])
    lines = [f"{pair['verdict']} {format_depth(pair)}".strip(), f"id {pair['id']}{at}"]
    for name in ("a", "b"):
        item = told.get(pair[name], {})
        known = [item[key] for key in ("class", "type", "storey", "system") if item.get(key)]
        by = "by GlobalId" if _global_id(item) else "by name: it has no GlobalId"
        model = [f"model {pair[f'model_{name}']}"] if pair.get(f"model_{name}") else []
        lines.append(f"{name.upper()}: {pair[name]} ({', '.join([*model, *known, by])})")
    return "\n".join(lines)


def _viewpoint(
    guid: str, pairs: Sequence[dict[str, Any]], told: Mapping[str, Mapping[str, str]], sizes: Sizes, three: bool
) -> Element:
    """Return a viewpoint that shows the locations of all pairs."""
    root = ElementTree.Element("VisualizationInfo", {"Guid": guid})
    components = ElementTree.SubElement(root, "Components")
    visibility = ElementTree.Element("Visibility", {"DefaultVisibility": "true"})
    selection, colouring = ElementTree.Element("Selection"), ElementTree.Element("Coloring")
    sides: dict[str, str] = {}
    for pair in pairs:
        for name in "ab":
            sides.setdefault(pair[name], name)
    for thing in sides:
        _component(selection, thing, told.get(thing, {}))
    for name, colour in zip("ab", COLOURS, strict=True):
        own = [thing for thing, side in sides.items() if side == name]
        holder = ElementTree.SubElement(colouring, "Color", {"Color": colour}) if own else colouring
        holder = ElementTree.SubElement(holder, "Components") if three and own else holder
        for thing in own:
            _component(holder, thing, told.get(thing, {}))
    components.extend((selection, visibility, colouring))
    target, half, reach = _seen(pairs, sizes)
    eye = [x + reach * d for x, d in zip(target, VIEW, strict=True)]
    camera = ElementTree.SubElement(root, "PerspectiveCamera")
    direction = [-d / math.sqrt(sum(x * x for x in VIEW)) for d in VIEW]
    _point(camera, "CameraViewPoint", eye)
    _point(camera, "CameraDirection", direction)
    _point(camera, "CameraUpVector", _up(direction))
    _add(camera, "FieldOfView", f"{FIELD:g}")
    if three:
        _add(camera, "AspectRatio", f"{ASPECT:.6g}")
    planes = ElementTree.SubElement(root, "ClippingPlanes")
    for axis in range(3):
        for sign in (-1.0, 1.0):
            outward = [sign if k == axis else 0.0 for k in range(3)]
            plane = ElementTree.SubElement(planes, "ClippingPlane")
            _point(plane, "Location", [x + half * d for x, d in zip(target, outward, strict=True)])
            _point(plane, "Direction", outward)
    return root


def _seen(pairs: Sequence[dict[str, Any]], sizes: Sizes) -> tuple[list[float], float, float]:
    """Return the centre of the pairs' locations, and the distances of clipping planes and camera from it [m]."""
    placed = [(pair["location"], max(NEAREST, 1.5 * (sizes(pair) or USUAL))) for pair in pairs if pair["location"]]
    low, high = ([end(place[axis] for place, _ in placed) for axis in range(3)] for end in (min, max))
    target = [0.5 * (a + b) for a, b in zip(low, high, strict=True)]
    reach = max(own for _, own in placed)
    if len(placed) == 1:
        return placed[0][0], 2.0 * reach, reach
    radius = 0.5 * math.dist(low, high)
    length = math.sqrt(sum(x * x for x in VIEW))
    away = (radius + 0.5 * reach) / math.sin(math.radians(0.5 * FIELD)) * max(1.0, 1.0 / ASPECT) / length
    return target, radius + 2.0 * reach, max(reach, away)


def _up(direction: Sequence[float]) -> list[float]:
    """Return the upright direction perpendicular to the view direction."""
    along = direction[2]
    up = [(1.0 if k == 2 else 0.0) - along * direction[k] for k in range(3)]
    length = math.sqrt(sum(x * x for x in up))
    return [x / length for x in up]


def _component(holder: Element, name: str, told: Mapping[str, str]) -> None:
    known = _global_id(told)
    component = ElementTree.SubElement(holder, "Component", {"IfcGuid": known} if known else {})
    if not known:
        _add(component, "OriginatingSystem", AUTHOR)
        _add(component, "AuthoringToolId", name)


def _global_id(told: Mapping[str, str]) -> str:
    text = told.get("GlobalId", "")
    return text if GLOBAL_ID.fullmatch(text) else ""


def _point(holder: Element, name: str, values: Sequence[float]) -> None:
    point = ElementTree.SubElement(holder, name)
    for axis, value in zip("XYZ", values, strict=True):
        _add(point, axis, repr(float(value)))


def _add(holder: Element, name: str, text: str) -> None:
    """Add an element with a text that XML allows."""
    clean = as_xml(text)
    ElementTree.SubElement(holder, name).text = clean if clean.strip() else "-"


def _extensions() -> Element:
    root = ElementTree.Element("Extensions")
    for group, item, names in (
        ("TopicTypes", "TopicType", ["Clash"]),
        ("TopicStatuses", "TopicStatus", list(STATUSES.values())),
        ("TopicLabels", "TopicLabel", [*CLASH_VERDICTS, "near", "new"]),
    ):
        holder = ElementTree.SubElement(root, group)
        for name in names:
            _add(holder, item, name)
    return root
