"""Writes a report as JUnit XML: each pair is a test case, and open clashes fail."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from ..cell_text import format_depth
from ..report_formats import lost, summary
from ..terminal import without_controls
from ..verdicts import CLASH_VERDICTS

ACCEPTED = ("approved", "resolved")


def to_junit(report: dict[str, Any]) -> str:
    """Return one test suite: pairs without common volume and approved pairs pass; with a baseline, its open clashes
    fail, too.

    A lost object is an error, or skipped if the user accepts lost objects.
    """
    pairs, gone = report["pairs"], lost(report["stats"])
    kind = "skipped" if report["allow_lost"] else "error"
    counts = {
        "tests": str(len(pairs) + len(gone)),
        "failures": str(sum(map(fails, pairs))),
        "errors": str(len(gone) if kind == "error" else 0),
        "skipped": str(len(gone) if kind == "skipped" else 0),
    }
    seconds = f"{report['stats'].get('seconds', 0.0):.3f}"
    root = ElementTree.Element("testsuites", {"name": "MeshClash", **counts, "time": seconds})
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": as_xml(report["file"] or "scene"), **counts, "time": seconds}
    )
    if report["created"]:
        suite.set("timestamp", as_xml(report["created"][:19]))
    for pair in pairs:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": as_xml(_kind(pair)), "name": as_xml(_name(pair)), "time": "0"}
        )
        if fails(pair):
            known = "" if pair.get("new") is None else ("new " if pair["new"] else "known ")
            depth = format_depth(pair)
            message = as_xml(f"{known}{pair['verdict']} {depth}".strip())
            failure = ElementTree.SubElement(case, "failure", {"type": as_xml(pair["verdict"]), "message": message})
            place = pair["location"]
            at = "" if place is None else " at " + " ".join(f"{x:.4f}" for x in place) + " m"
            failure.text = as_xml(f"{pair['a']} and {pair['b']}{at}; id {pair['id']}")
    for item in gone:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": "meshclash.lost", "name": as_xml(item["name"]), "time": "0"}
        )
        ElementTree.SubElement(case, kind, {"type": "lost", "message": as_xml(item["reason"])})
    ElementTree.SubElement(suite, "system-out").text = as_xml(summary(report))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def fails(pair: dict[str, Any]) -> bool:
    """Return whether a pair clashes and is neither approved nor resolved."""
    return pair["verdict"] in CLASH_VERDICTS and pair["status"] not in ACCEPTED


def _kind(pair: dict[str, Any]) -> str:
    """Return the class of a test case: the named test if several were run, and the verdict."""
    return ".".join(filter(None, ("meshclash", pair.get("test"), pair["verdict"])))


def _name(pair: dict[str, Any]) -> str:
    return f"{pair['a']} | {pair['b']}" + (f" (frame {pair['frame']})" if pair["frame"] != 1 else "")


def as_xml(text: str) -> str:
    """Remove or escape characters that XML does not allow."""
    plain = without_controls(text)
    return "".join(letter if _is_xml(ord(letter)) else f"\\u{ord(letter):04x}" for letter in plain)


def _is_xml(code: int) -> bool:
    return code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
