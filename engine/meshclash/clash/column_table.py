"""The table of all columns of a report.

JSON and its schema, CSV, workbooks, the page, the terminal, the window's list and its sort menu, and the table in
docs/report-format.md read the columns from this table. To add a column, write an entry, and add its name to the outputs
that show it (the tuples below the table). If the engine computes the value, `PairRow` also needs a field for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .cell_text import (
    format_count,
    format_depth,
    format_length,
    format_point,
    format_probability,
    format_verdict,
    format_volume_of,
)
from .option_table import EXACT
from .reviews import STATUSES
from .surface_regions import region_text
from .verdicts import FINAL_VERDICTS

if TYPE_CHECKING:
    from .pair_row import PairRow

AXES = ("x", "y", "z")


class Notes(NamedTuple):
    """Values that a report adds to the result of the engine for a pair.

    Attributes:
        status: one of `STATUSES`.
        comment: comment of the user, or "".
        outdated: whether an object may have changed since.
        new: whether the clash is missing in the baseline; None without a baseline, and for other verdicts.
        group: number of the clash's group, starting from 1; None if the clash is in no group.
        assignee: the person who is responsible for the clash, or "".
        decide_again: whether a decision of the baseline may belong to this pair, but its objects cannot be
            distinguished from others.
        model_a, model_b: names of the models that contain the objects; None without models.
        object_a, object_b: ids of the pair's objects among the tested objects; None if the report does not list them.
    """

    status: str = "open"
    comment: str = ""
    outdated: bool = False
    new: bool | None = None
    group: int | None = None
    assignee: str = ""
    decide_again: bool = False
    model_a: str | None = None
    model_b: str | None = None
    object_a: str | None = None
    object_b: str | None = None


class Surroundings(NamedTuple):
    """Values that report files add to the JSON entry of a pair.

    Attributes:
        number: position of the pair in the report, from 1 on.
        unit: unit of lengths.
        event: the event that contains the pair and its frame, or {}.
        objects: properties of objects by name.
    """

    number: int
    unit: str
    event: Mapping[str, Any]
    objects: Mapping[str, Mapping[str, str]]

    def property_of(self, name: str, key: str) -> str | None:
        """Return a property of an object, or None if the object does not have it."""
        return self.objects.get(name, {}).get(key)


@dataclass(frozen=True)
class Column:
    """One column of a report.

    Attributes:
        name: the key in JSON and CSV.
        kind: "id" (16 hexadecimal digits), "text", "choice", "flag", "integer", "integers", "number", "share"
            (0 to 1) or "point" (3 numbers).
        label: header in workbooks and in the window, in lower case on the page and in the terminal.
        help: meaning of the column, for the documents.
        read: function that returns the column's value from a row, with lengths in scene units; None if the JSON report
            does not contain the column.
        of_pair: function that returns the column's value from the JSON entry of a pair; None: the entry contains the
            value.
        unit: "m" or "m³".
        nullable: whether the value may be unknown.
        required: whether all reports of schema version 1 contain the column; False for columns that were added later.
        choices: the values of a choice.
        least: the smallest integer.
        tests: names of the tests that fill in the column; empty: all tests.
        option: the option that is needed to fill in the column, or "".
        text: the column's text on the page and in the terminal; None: the value itself.
        sorts_as: the number by which the page sorts the column; None: the page sorts by the text.
        width: width in workbooks, in characters.
        key: the key by which the window sorts the column; "" if the window cannot sort by it.
        key_label: label in the window's sort menu.
        tip: explanation of a cell in the window's list.
        key_tip: tooltip of the entry of the sort menu.
        list_label: header in the window's list, if it differs from `label`.
        share: fraction of the width of the window's list.
    """

    name: str
    kind: Literal["id", "text", "choice", "flag", "integer", "integers", "number", "share", "point"]
    label: str = ""
    help: str = ""
    read: Callable[[PairRow, Notes], Any] | None = None
    of_pair: Callable[[dict[str, Any], Surroundings], Any] | None = None
    unit: Literal["", "m", "m³"] = ""
    nullable: bool = False
    required: bool = True
    choices: tuple[str, ...] = ()
    least: int | None = None
    tests: tuple[str, ...] = ()
    option: str = ""
    text: Callable[[dict[str, Any]], str] | None = field(default=None, repr=False)
    sorts_as: Callable[[dict[str, Any]], float | None] | None = field(default=None, repr=False)
    width: float = 12
    key: str = ""
    key_label: str = ""
    tip: str = ""
    key_tip: str = ""
    list_label: str = ""
    share: float = 0.0

    @property
    def title(self) -> str:
        """Header on the page and in the terminal; for points the header includes the unit, other columns show the unit
        with each value.
        """
        return f"{self.label.lower()} [{self.unit}]" if self.kind == "point" else self.label.lower()

    @property
    def list_title(self) -> str:
        """Header of the column in the list of the window."""
        return self.list_label or self.label

    @property
    def is_text(self) -> bool:
        """Whether the column is aligned to the left."""
        return self.kind in ("id", "text", "choice")

    @property
    def cells(self) -> tuple[str, ...]:
        """Names of the columns in CSV and in workbooks: a point needs three."""
        return tuple(f"{self.name}_{axis}" for axis in AXES) if self.kind == "point" else (self.name,)

    @property
    def headers(self) -> tuple[str, ...]:
        """Headers of the columns in workbooks, with the unit."""
        labels = tuple(axis.upper() for axis in AXES) if self.kind == "point" else (self.label,)
        return tuple(f"{label} [{self.unit}]" if self.unit else label for label in labels)

    def json_value(self, row: PairRow, notes: Notes, scale: float) -> Any:
        """Return the value for the JSON report, in metres.

        Args:
            row: the row.
            notes: the report's information about the pair.
            scale: metres per scene unit.
        """
        assert self.read is not None
        value = self.read(row, notes)
        if value is None:
            return None
        if self.kind == "integers":
            return value.tolist()
        if self.kind == "point":
            return [scale * x for x in value]
        return value * {"": 1, "m": scale, "m³": scale**3}[self.unit] if self.unit else value

    def file_value(self, pair: dict[str, Any], around: Surroundings) -> Any:
        """Return the value for a file, from the JSON entry of a pair."""
        if self.of_pair is not None:
            return self.of_pair(pair, around)
        return pair[self.name] if self.required else pair.get(self.name)

    def file_values(self, pair: dict[str, Any], around: Surroundings) -> tuple[Any, ...]:
        """Return the values of the columns in `cells`."""
        value = self.file_value(pair, around)
        return (value,) if self.kind != "point" else (None,) * len(AXES) if value is None else tuple(value)

    def in_words(self, pair: dict[str, Any]) -> str:
        """Return the text on the page and in the terminal."""
        if self.text is not None:
            return self.text(pair)
        value = pair.get(self.name)
        return "" if value is None else str(value)

    def is_filled(self, options: Mapping[str, Any]) -> bool:
        """Return whether a test with these options fills in the column."""
        takes = not self.tests or options["test"] in self.tests
        return takes and (not self.option or bool(options.get(self.option)))

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the column's values."""
        if self.kind == "id":
            return {"type": "string", "pattern": "^[0-9a-f]{16}$"}
        if self.kind == "choice":
            return {"enum": list(self.choices)}
        names = {"text": "string", "flag": "boolean", "integer": "integer", "number": "number", "share": "number"}
        name = names.get(self.kind, "array")
        found: dict[str, Any] = {"type": [name, "null"] if self.nullable else name}
        if self.kind == "integers":
            found["items"] = {"type": "integer"}
        if self.kind == "point":
            found |= {"items": {"type": "number"}, "minItems": 3, "maxItems": 3}
        if self.kind == "share":
            found |= {"minimum": 0, "maximum": 1}
        return found if self.least is None else {**found, "minimum": self.least}


_MEASURED = ("clearance", "distance")
_TABLE = (
    Column(
        "id", "id", "Id",
        "16 hexadecimal digits that identify the pair; the id is the same in every run and in every frame, whatever "
        "the sets are. MeshClash computes the id from the names of the two objects, or from their GlobalIds for IFC "
        "files. For files, the names of the models are also part of the id. The id of an instance depends on its "
        "instancer, its source object and its position",
        lambda row, _: row.id, width=18,
    ),
    Column(
        "test", "text", "Test",
        "name of the test that found the pair, if there are several tests; `id` is then the id of the pair in this "
        "test",
        lambda row, _: row.test or None, nullable=True, required=False, width=16, key="TEST", key_label="Test",
        tip="Test that found the pair", key_tip="Sort by test", share=0.11,
    ),
    Column(
        "a", "text", "A",
        "name of the first object, which is in set A; `b` is in set B. If both objects are in both sets, they are in "
        "alphabetical order. The name of an instance is `Instancer/Object[position]`",
        lambda row, _: row.a.name, width=32, key="A", key_label="Name of Object A",
        key_tip="Sort by the name of the first object", share=0.19,
    ),
    Column(
        "b", "text", "B", "name of the second object",
        lambda row, _: row.b.name, width=32, key="B", key_label="Name of Object B",
        key_tip="Sort by the name of the second object", share=0.19,
    ),
    Column(
        "region", "text", "Regions",
        'for a contact of a mesh with itself, the two regions of the surface that cross each other and a digest of '
        'the topology, such as `"2-5:9f86d081"`. The value is the same in every frame and run until the topology '
        'changes. It is null if the mesh consists of only one region',
        lambda row, _: row.region or None, nullable=True, required=False, tests=("self",),
        text=lambda pair: region_text(pair.get("region") or ""),
        tip="Regions of the surface that cross each other", share=0.08,
    ),
    Column(
        "frame", "integer", "Frame", "frame of the scene",
        lambda row, _: row.frame, sorts_as=lambda pair: pair["frame"], width=7, key="FRAME", key_label="Frame",
        tip="The frame in which the pair was tested", key_tip="Sort by frame", share=0.05,
    ),
    Column(
        "verdict", "choice", "Verdict",
        '`"clash"`: the objects share volume, or the surfaces cross if one mesh is open; `"duplicate"`; '
        '`"contained"`; `"undecided"`: a scan is too coarse to tell whether the objects touch; `"touching"`: the '
        'objects touch without sharing volume, or their overlap is permitted; `"near"` (clearance); `"apart"` '
        '(distance); `"meets"` (deforming, and self, where `a` and `b` are the same object); `"meets"`, `"likely"`, '
        '`"unlikely"` (time-critical)',
        lambda row, _: row.verdict, choices=FINAL_VERDICTS, text=format_verdict, key="VERDICT", key_label="Verdict",
        tip="Relation of the two objects, such as clash or touching", key_tip="Sort by verdict, the worst first",
    ),
    Column(
        "contacts", "integer", "Contacts",
        "number of pairs of triangles that are in contact; for a scan, number of points that lie on both surfaces",
        lambda row, _: row.contacts, least=0, sorts_as=lambda pair: pair["contacts"], width=9,
    ),
    Column(
        "faces_a", "integers", "Faces of A",
        "indices of the faces of `a` that are in contact, in ascending order. The indices refer to the *evaluated* "
        "mesh. If the pair is near, the list contains all faces within the tolerance. If the pair is apart, it "
        "contains the nearest face",
        lambda row, _: row.a.faces,
    ),
    Column("faces_b", "integers", "Faces of B", "the same for `b`", lambda row, _: row.b.faces),
    Column(
        "original_faces_a", "integers", "Original Faces of A",
        "indices of the same faces of `a` in the original mesh; null if modifiers change the faces, and for curves and "
        "texts",
        lambda row, _: row.a.original_faces, nullable=True,
    ),
    Column(
        "original_faces_b", "integers", "Original Faces of B", "the same for `b`",
        lambda row, _: row.b.original_faces, nullable=True,
    ),
    Column(
        "location", "point", "Location", "a point of the contact, in world coordinates [m]",
        lambda row, _: row.location, unit="m", nullable=True, text=lambda pair: format_point(pair["location"]),
        width=11,
    ),
    Column(
        "depth", "number", "Depth",
        "diameter of a ball that certainly fits into both solids [m]. The value is null if MeshClash found no such "
        "ball, if the objects share no volume, or if an open mesh does not enclose a solid",
        lambda row, _: row.depth, unit="m", nullable=True, tests=EXACT, text=format_depth,
        sorts_as=lambda pair: pair["depth"] if pair["depth"] is not None else pair["depth_upper"],
    ),
    Column(
        "distance", "number", "Gap",
        "distance between the two objects [m]. The distance is 0 if the objects have a common point, on their "
        "surfaces or inside. It is null in the intersection test",
        lambda row, _: row.distance, unit="m", nullable=True, tests=_MEASURED,
        text=lambda pair: format_length(pair["distance"]), sorts_as=lambda pair: pair["distance"],
    ),
    Column(
        "point_a", "point", "Nearest Point of A",
        "point of `a` that is nearest to `b`, in world coordinates [m]; if the objects touch, a common point of both",
        lambda row, _: row.a.point, unit="m", nullable=True, tests=_MEASURED,
    ),
    Column(
        "point_b", "point", "Nearest Point of B", "the same for `b`",
        lambda row, _: row.b.point, unit="m", nullable=True, tests=_MEASURED,
    ),
    Column(
        "face_a", "integer", "Nearest Face of A",
        "index of the face of `a` that contains `point_a`, in the evaluated mesh",
        lambda row, _: row.a.face, nullable=True, tests=_MEASURED,
    ),
    Column(
        "face_b", "integer", "Nearest Face of B", "the same for `b`",
        lambda row, _: row.b.face, nullable=True, tests=_MEASURED,
    ),
    Column(
        "probability", "share", "Probability", "probability that the surfaces touch or cross",
        lambda row, _: row.probability, nullable=True, tests=("time-critical",), text=format_probability,
        sorts_as=lambda pair: pair["probability"],
    ),
    Column(
        "probability_lower", "share", "Probability at least",
        "lower end of the interval in which the probability lies for about nine of ten kinds of shapes",
        lambda row, _: row.probability_lower, nullable=True, required=False, tests=("time-critical",),
    ),
    Column(
        "probability_upper", "share", "Probability at most", "upper end of this interval",
        lambda row, _: row.probability_upper, nullable=True, required=False, tests=("time-critical",),
    ),
    Column(
        "points_a", "integers", "Points of A",
        "if `a` is a scan, its points that are in contact or inside a closed mesh, in ascending order",
        lambda row, _: row.a.points,
    ),
    Column("points_b", "integers", "Points of B", "the same for `b`", lambda row, _: row.b.points),
    Column(
        "count_a", "integer", "Faces A", "number of faces in `faces_a`, or of points in `points_a` for a scan",
        lambda row, _: row.a.count, text=lambda pair: format_count(pair, "a"),
    ),
    Column(
        "count_b", "integer", "Faces B", "the same for `b`",
        lambda row, _: row.b.count, text=lambda pair: format_count(pair, "b"),
    ),
    Column(
        "status", "choice", "Status", 'status that the user set: `"open"`, `"reviewed"`, `"approved"` or `"resolved"`',
        lambda _, notes: notes.status, choices=STATUSES, width=10, key="STATUS", key_label="Status",
        tip="Status of this pair", key_tip="Sort by status", share=0.08,
    ),
    Column("comment", "text", "Comment", "comment of the user", lambda _, notes: notes.comment, width=32),
    Column(
        "assignee", "text", "Assignee", "person who is responsible for the clash, or empty",
        lambda _, notes: notes.assignee, required=False, key="ASSIGNEE", key_label="Assignee",
        key_tip="Sort by assignee",
    ),
    Column(
        "outdated", "flag", "Outdated",
        "whether an object may have changed since the test; never true on the command line",
        lambda _, notes: notes.outdated,
    ),
    Column(
        "flush", "flag", "Flush",
        "whether the verdict would be worse if overlaps within the precision of the coordinates were not permitted",
        lambda row, _: row.flush,
    ),
    Column(
        "certainty", "share", "Certainty",
        "probability that the verdict is correct: 1 if MeshClash decided it exactly, less if an open mesh counts as a "
        "solid",
        lambda row, _: row.certainty, tip="Certainty of the verdict",
    ),
    Column(
        "volume", "number", "Common volume",
        "mean of the lower and the upper bound of the common volume [m³], if the option `overlap_volume` is set; null "
        "if one of the objects is not closed",
        lambda row, _: row.volume, unit="m³", nullable=True, tests=EXACT, option="overlap_volume",
        text=format_volume_of, sorts_as=lambda pair: pair["volume"], width=14, key="VOLUME", key_label="Volume",
        tip="Common volume of the two objects", key_tip="Sort by common volume, the largest first", list_label="Volume",
        share=0.08,
    ),
    Column(
        "volume_lower", "number", "Common volume at least", "proved lower bound of the common volume [m³]",
        lambda row, _: row.volume_lower, unit="m³", nullable=True, tests=EXACT, option="overlap_volume",
    ),
    Column(
        "volume_upper", "number", "Common volume at most", "proved upper bound of the common volume [m³]",
        lambda row, _: row.volume_upper, unit="m³", nullable=True, tests=EXACT, option="overlap_volume",
    ),
    Column(
        "depth_lower", "number", "Depth at least",
        "proved lower bound of the diameter of the largest ball that fits into both solids [m]; null if nothing is "
        "proved",
        lambda row, _: row.depth_lower, unit="m", nullable=True, tests=EXACT,
    ),
    Column(
        "depth_upper", "number", "Depth at most",
        "proved upper bound of the diameter of the largest ball that fits into both solids [m]; null if nothing is "
        "proved. Do not use this value as a depth",
        lambda row, _: row.depth_upper, unit="m", nullable=True, tests=EXACT,
    ),
    Column(
        "new", "flag", "New", "whether the baseline does not contain the clash; null if there is no baseline",
        lambda _, notes: notes.new, nullable=True, required=False,
    ),
    Column(
        "group", "integer", "Group", "number of the clash's group in `groups`, starting from 1",
        lambda _, notes: notes.group, nullable=True, required=False, least=1, key="GROUP", key_label="Group",
        tip="Group of the clash", key_tip="Sort by group, the largest first", share=0.12,
    ),
    Column(
        "decide_again", "flag", "Decide again",
        "whether a decision of the baseline might belong to this pair, because its objects cannot be distinguished "
        "from others (`undecided`)",
        lambda _, notes: notes.decide_again, required=False,
    ),
    Column(
        "model_a", "text", "Model A",
        'name of the model that contains `a`; null if there are no models. If several models share `a`, their names '
        'are separated by ", "',
        lambda _, notes: notes.model_a, nullable=True, required=False, width=16,
    ),
    Column(
        "model_b", "text", "Model B", "the same for `b`",
        lambda _, notes: notes.model_b, nullable=True, required=False, width=16,
    ),
    Column(
        "object_a", "text", "Object A", "id of `a` in the list `tested`; null if this list is empty",
        lambda _, notes: notes.object_a, nullable=True, required=False,
    ),
    Column(
        "object_b", "text", "Object B", "the same for `b`",
        lambda _, notes: notes.object_b, nullable=True, required=False,
    ),
    Column("number", "integer", "Number", of_pair=lambda _, around: around.number, width=8),
    Column("unit", "text", "Unit", of_pair=lambda _, around: around.unit),
    Column("event_start", "integer", of_pair=lambda _, around: around.event.get("start")),
    Column("event_end", "integer", of_pair=lambda _, around: around.event.get("end")),
    Column("event_worst_frame", "integer", of_pair=lambda _, around: around.event.get("worst_frame")),
    Column(
        "since_baseline", "text", "New", width=7,
        of_pair=lambda pair, _: None if pair["new"] is None else "new" if pair["new"] else "known",
    ),
    *(
        Column(
            f"{name}_{side}", "text", f"{label} {side.upper()}", width=width,
            of_pair=lambda pair, around, side=side, key=key: around.property_of(pair[side], key),  # type: ignore[misc]
        )
        for name, key, label, width in (
            ("class", "class", "Class", 18), ("storey", "storey", "Storey", 16),
            ("global_id", "GlobalId", "GlobalId", 25), ("collection", "collection", "Collection", 20),
        )
        for side in "ab"
    ),
    Column(
        "worst", "text", key="WORST", key_label="Worst First", key_tip="Use the order of the report",
    ),
    Column(
        "measure", "number", "Measure", key="MEASURE", key_label="Measure",
        tip="Depth of the overlap, gap, or probability of contact",
        key_tip="Sort by depth, gap or probability, the worst first", share=0.08,
    ),
    Column(
        "faces", "integer", "Faces", key="FACES", key_label="Faces",
        tip="Number of faces in contact on both objects, or of points of a scan",
        key_tip="Sort by the number of faces or points in contact", share=0.06,
    ),
    Column("collections", "text", "Collections", tip="Collections of the two objects", share=0.13),
    Column(
        "way_out", "text", "Way Out", tip="The shortest way out that was found: its length and direction", share=0.10,
    ),
    Column(
        "progress", "text", key="PROGRESS", key_label="Progress",
        key_tip="Sort by progress: new pairs first, then reopened ones",
    ),
    Column("priority", "text", key="PRIORITY", key_label="Priority", key_tip="Sort by priority"),
    Column("due", "text", key="DUE", key_label="Due", key_tip="Sort by due date"),
)  # fmt: skip
COLUMNS = {column.name: column for column in _TABLE}
"""All columns by name."""


def _named(*names: str) -> tuple[Column, ...]:
    return tuple(COLUMNS[name] for name in names)


JSON = tuple(column for column in _TABLE if column.read is not None)
"""The keys of a pair in the JSON report, in its order."""
_CAPITAL_FLUSH = replace(COLUMNS["flush"], of_pair=lambda pair, _: str(pair["flush"]))
"""CSV has always written this flag as "True" and "False", and programs compare these words."""
CSV = _named(
    "id", "a", "b", "frame", "verdict", "contacts", "faces_a", "faces_b", "original_faces_a", "original_faces_b",
    "location", "depth", "distance", "point_a", "point_b", "face_a", "face_b", "probability", "points_a", "points_b",
    "count_a", "count_b", "status", "comment", "outdated", "flush", "unit", "certainty", "volume", "volume_lower",
    "volume_upper", "depth_lower", "depth_upper", "event_start", "event_end", "event_worst_frame", "new", "group",
    "test", "global_id_a", "global_id_b", "storey_a", "storey_b", "collection_a", "collection_b", "region",
    "probability_lower", "probability_upper",
)  # fmt: skip
CSV = tuple(_CAPITAL_FLUSH if column.name == "flush" else column for column in CSV)
"""The columns of CSV; new columns are added at the end, because programs read columns by their position."""
WORKBOOK = _named(
    "number", "test", "verdict", "since_baseline", "a", "b", "status", "comment", "depth", "depth_upper", "distance",
    "volume", "location", "region", "class_a", "class_b", "storey_a", "storey_b", "collection_a",
    "collection_b", "global_id_a", "global_id_b", "frame", "contacts", "id",
)  # fmt: skip
"""The columns of XLSX."""
TEXT = _named(
    "verdict", "a", "b", "region", "test", "frame", "contacts", "count_a", "count_b", "depth", "volume", "distance",
    "probability", "location",
)  # fmt: skip
"""The columns of the page and of the terminal, if the tests fill them in."""
WINDOW = _named(
    "test", "group", "a", "b", "region", "collections", "measure", "volume", "way_out", "faces", "status", "frame"
)  # fmt: skip
"""The columns of the window's list, as far as they are filled in."""
LISTED = _named("depth", "depth_upper", "distance", "probability", "volume")
"""The numbers of a row that the items of the window's list store."""
EVENT_MEASURES = _named("depth", "depth_lower", "depth_upper", "distance")
"""The numbers of an event: the largest depth with its bounds, and the smallest gap."""
KEPT = _named("depth_upper", "distance", "probability", "volume", "volume_upper")
"""The numbers by which the window filters and sorts rows, in addition to the proved depth."""
SORTED = _named(
    "worst", "a", "b", "faces", "measure", "status", "verdict", "group", "progress", "frame", "test", "volume",
    "assignee", "priority", "due",
)  # fmt: skip
"""The keys by which the window can sort its list, in the order of the menu."""


def pair_schema() -> dict[str, Any]:
    """Return the JSON schema of a pair of the report."""
    return {
        "type": "object",
        "required": [column.name for column in JSON if column.required],
        "properties": {column.name: column.schema() for column in JSON},
    }
