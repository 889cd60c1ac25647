"""Writes a report as SARIF 2.1.0: each clash is a result with a fingerprint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..cell_text import format_depth
from ..report_formats import lost
from ..terminal import without_controls
from ..verdicts import CLASH_VERDICTS, VERDICTS
from .junit import ACCEPTED

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
"""Characters that need no escape in a URI."""
PAGE = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html"


def to_sarif(report: dict[str, Any], version: str) -> str:
    """Return one run: clashes are errors, accepted clashes are suppressed, and a baseline marks which are new.

    An object that is lost is a notification of the run.

    Args:
        report: a report of schema `meshclash.report/1`.
        version: version of MeshClash.
    """
    clashing = [pair for pair in report["pairs"] if pair["verdict"] in CLASH_VERDICTS]
    rules = list(dict.fromkeys(pair["verdict"] for pair in clashing))
    files = [Path(item["path"]).as_posix() for item in report["files"]] or [
        Path(report["file"] or "scene.blend").as_posix()
    ]
    driver = {
        "name": "MeshClash",
        "version": version,
        "informationUri": PAGE,
        "rules": [
            {"id": name, "shortDescription": {"text": f"Pairs that are {VERDICTS[name].counted}"}} for name in rules
        ],
    }
    results = [_result(pair, rules.index(pair["verdict"]), files[0]) for pair in clashing]
    invocation = {
        "executionSuccessful": True,
        "toolExecutionNotifications": [_notification(item, report["allow_lost"]) for item in lost(report["stats"])],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "utf16CodeUnits",
        "results": results,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return without_controls(json.dumps(log, allow_nan=False, ensure_ascii=False, indent=1) + "\n", "\\u{:04x}")


def _result(pair: dict[str, Any], rule: int, file: str) -> dict[str, Any]:
    text = f"{pair['a']} and {pair['b']}: {pair['verdict']} {format_depth(pair)}".rstrip()
    found: dict[str, Any] = {
        "ruleId": pair["verdict"],
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": _uri(file)}},
                "logicalLocations": [{"fullyQualifiedName": pair[name], "kind": "object"} for name in ("a", "b")],
            }
        ],
        "partialFingerprints": {"meshclashPair/v1": pair["id"]},
        "properties": {
            "test": pair.get("test"),
            "depth": pair["depth"],
            "location": pair["location"],
            "frame": pair["frame"],
        },
    }
    if pair.get("new") is not None:
        found["baselineState"] = "new" if pair["new"] else "unchanged"
    if pair["status"] in ACCEPTED:
        found["suppressions"] = [{"kind": "external", "status": "accepted", "justification": pair["comment"]}]
    return found


def _notification(item: dict[str, Any], allowed: bool) -> dict[str, Any]:
    return {
        "level": "warning" if allowed else "error",
        "message": {"text": f"{item['name']} could not be tested: {item['reason']}"},
        "locations": [{"logicalLocations": [{"fullyQualifiedName": item["name"], "kind": "object"}]}],
    }


def _uri(file: str) -> str:
    encoded = Path(file).as_posix().encode("utf-8", "backslashreplace")
    return "".join(chr(byte) if chr(byte) in PLAIN else f"%{byte:02X}" for byte in encoded)
