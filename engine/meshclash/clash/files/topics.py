"""Clashes as topics of BCF, and what was said of them back as reviews."""

from __future__ import annotations

import math
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

from ..colours import COLOUR_A, COLOUR_B, hexadecimal
from ..report_formats import format_depth
from ..reviews import Review
from ..verdicts import CLASH_VERDICTS
from .bcf import BcfFile, BcfTopic, xml_bytes
from .junit import as_xml

Element = ElementTree.Element

SPACE = uuid.UUID("4d1c8a56-0a0b-5f0e-9a53-6d657368636c")
"""Namespace of the ids that are made of a pair's."""
AUTHOR = "MeshClash"
STATUSES = {"open": "Open", "reviewed": "Reviewed", "approved": "Approved", "resolved": "Resolved"}
MEANT = {
    **{name: key for key, name in ((key, value.lower()) for key, value in STATUSES.items())},
    "active": "open", "new": "open", "in progress": "reviewed", "closed": "resolved", "done": "resolved",
}  # fmt: skip
"""Statuses of other programs, in small letters."""
GLOBAL_ID = re.compile(r"[0-3][0-9A-Za-z_$]{21}")
COLOURS = hexadecimal(COLOUR_A), hexadecimal(COLOUR_B)
VIEW = (0.55, -0.62, 0.56)
FIELD, ASPECT = 60.0, 16.0 / 9.0
NEAREST, USUAL = 0.25, 2.0
"""How far the camera is at least, and where nothing is known of the size of a clash [m]."""

Pictures = Mapping[str, bytes]
Sizes = Callable[[dict[str, Any]], float | None]


def topic_guid(pair: str) -> str:
    """The Guid of a pair's topic: the same in every file."""
    return str(uuid.uuid5(SPACE, pair))


def to_bcf(
    report: dict[str, Any], version: str, pictures: Pictures | None = None, sizes: Sizes = lambda _: None
) -> bytes:
    """A topic for each pair that shares volume, or is nearer than was asked for.

    Args:
        report: of schema `meshclash.report/1`.
        version: "2.1" or "3.0".
        pictures: PNG by the ids of pairs.
        sizes: how large what is of interest of a pair is [m].
    """
    told = {item["name"]: item for item in report["objects"]}
    created = report["created"] or datetime.now(UTC).isoformat(timespec="seconds")
    pairs = [pair for pair in report["pairs"] if pair["verdict"] in (*CLASH_VERDICTS, "near")]
    first = list({pair["id"]: pair for pair in reversed(pairs)}.values())[::-1]  # one topic for all frames of a pair
    topics = [
        _topic(number, pair, told, created, version, (pictures or {}).get(pair["id"]), sizes(pair))
        for number, pair in enumerate(first, start=1)
    ]
    others = {} if version == "2.1" else {"extensions.xml": xml_bytes(_extensions())}
    return BcfFile(version, topics, others).to_bytes()


def reviews_of(file: BcfFile, pairs: Iterable[str]) -> dict[str, Review]:
    """What a file says of pairs, by their ids: its status, and its comments, the last one below."""
    topics = {topic.guid.lower(): topic for topic in file.topics}
    found = {}
    for pair in pairs:
        topic = topics.get(topic_guid(pair))
        if topic is not None:
            texts = [comment.text.strip() for comment in topic.comments if comment.text.strip()]
            found[pair] = Review(MEANT.get(topic.status.strip().lower(), "open"), "\n".join(texts))
    return found


def _topic(
    number: int,
    pair: dict[str, Any],
    told: Mapping[str, Mapping[str, str]],
    created: str,
    version: str,
    picture: bytes | None,
    size: float | None,
) -> BcfTopic:
    three = version == "3.0"
    guid, view = topic_guid(pair["id"]), str(uuid.uuid5(SPACE, f"{pair['id']} view"))
    markup = ElementTree.Element("Markup")
    topic = ElementTree.SubElement(
        markup, "Topic", {"Guid": guid, "TopicType": "Clash", "TopicStatus": STATUSES.get(pair["status"], "Open")}
    )
    _add(topic, "Title", f"{pair['verdict']} {number}: {pair['a']} | {pair['b']}")
    if not three:
        _add(topic, "Index", str(number))
    labels = [pair["verdict"], *(["new"] if pair.get("new") else []), *([pair.get("test")] if pair.get("test") else [])]
    holder = ElementTree.SubElement(topic, "Labels") if three else topic
    for label in labels:
        _add(holder, "Label" if three else "Labels", label)
    _add(topic, "CreationDate", created)
    _add(topic, "CreationAuthor", AUTHOR)
    _add(topic, "Description", _description(pair, told))
    comments = ElementTree.SubElement(topic, "Comments") if three and pair["comment"].strip() else markup
    if pair["comment"].strip():
        comment = ElementTree.SubElement(comments, "Comment", {"Guid": str(uuid.uuid5(SPACE, f"{pair['id']} comment"))})
        _add(comment, "Date", created)
        _add(comment, "Author", AUTHOR)
        _add(comment, "Comment", pair["comment"])
    files = {}
    if pair["location"] is not None:
        holder = ElementTree.SubElement(topic, "Viewpoints") if three else markup
        entry = ElementTree.SubElement(holder, "ViewPoint" if three else "Viewpoints", {"Guid": view})
        _add(entry, "Viewpoint", "viewpoint.bcfv")
        files["viewpoint.bcfv"] = xml_bytes(_viewpoint(view, pair, told, size or USUAL, three))
        if picture is not None:
            _add(entry, "Snapshot", "snapshot.png")
            files["snapshot.png"] = picture
    return BcfTopic(markup, files)


def _description(pair: dict[str, Any], told: Mapping[str, Mapping[str, str]]) -> str:
    lines = [f"{pair['verdict']} {format_depth(pair)}".strip(), f"id {pair['id']}"]
    for name in ("a", "b"):
        item = told.get(pair[name], {})
        known = [item[key] for key in ("class", "type", "storey", "system") if item.get(key)]
        by = "by GlobalId" if _global_id(item) else "by name: it has no GlobalId"
        lines.append(f"{name.upper()}: {pair[name]} ({', '.join([*known, by])})")
    return "\n".join(lines)


def _viewpoint(
    guid: str, pair: dict[str, Any], told: Mapping[str, Mapping[str, str]], size: float, three: bool
) -> Element:
    root = ElementTree.Element("VisualizationInfo", {"Guid": guid})
    components = ElementTree.SubElement(root, "Components")
    visibility = ElementTree.Element("Visibility", {"DefaultVisibility": "true"})
    selection, colouring = ElementTree.Element("Selection"), ElementTree.Element("Coloring")
    for name, colour in zip(("a", "b"), COLOURS, strict=True):
        _component(selection, pair[name], told.get(pair[name], {}))
        holder = ElementTree.SubElement(colouring, "Color", {"Color": colour})
        _component(
            ElementTree.SubElement(holder, "Components") if three else holder, pair[name], told.get(pair[name], {})
        )
    components.extend((selection, visibility, colouring))
    reach = max(NEAREST, 1.5 * size)
    target, eye = pair["location"], [x + reach * d for x, d in zip(pair["location"], VIEW, strict=True)]
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
            _point(plane, "Location", [x + 2.0 * reach * d for x, d in zip(target, outward, strict=True)])
            _point(plane, "Direction", outward)
    return root


def _up(direction: Sequence[float]) -> list[float]:
    """The upright direction across the view."""
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
    """A text that XML can hold."""
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
