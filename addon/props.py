"""Settings of the work (saved with the scene) and the result list (kept by the window manager, not by undo)."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import PropertyGroup
from meshclash.clash.column_table import EVENT_MEASURES, LISTED, SORTED, Column
from meshclash.clash.errors import InputError
from meshclash.clash.fits import Fit
from meshclash.clash.option_table import OPTIONS, Option
from meshclash.clash.options import LAST_FRAME, DetectOptions, frame_range, parse_frames
from meshclash.clash.pair_row import PairRow
from meshclash.clash.queries.registry import TESTS, test_named
from meshclash.clash.reviews import Review
from meshclash.clash.rules import Rules
from meshclash.clash.verdicts import VERDICTS
from meshclash.messages import Sentence

from . import histories, kept_tests, reactions, reviews, running_work, scene_results, shown_things
from .adapters import massive_objects, shell_objects
from .adapters.lookup import scene_with
from .adapters.scene_size import default_clearance
from .adapters.source import metres_per_unit
from .core.levels import SPLITS, VOLUMES
from .core.methods import METHODS
from .core.table import (
    WORST,
    ListQuery,
)
from .redraw import tag_redraw, tag_redraw_timelines
from .translations import ChoiceProperty

SET_KINDS = (
    ("ALL", "Everything", "All visible objects of the scene"),
    ("SELECTION", "Selected", "The objects selected when Detect starts"),
    ("COLLECTION", "Collection", "All visible objects of a collection and of its child collections"),
    ("OBJECT", "Object", "One object"),
    ("RULE", "Rule", "Objects by name, material, property, IFC class or storey"),
)
RULE_TIP = (
    "Terms such as class:IfcPipe*, material:Steel, storey:Ground, property:KEY=VALUE or NAME*, combined with "
    "&, | and not"
)
OVERLAY_SCOPES = (
    ("ALL", "All Clashes", "Show every listed clash and the selected pair"),
    ("ACTIVE", "Selected Pair", "Show only the pair selected in the list"),
)
SURROUNDINGS = (
    ("ALL", "All", "Show all objects unchanged"),
    ("ISOLATE", "Isolate", "Show only the two objects of the selected pair (local view)"),
    ("GHOST", "Ghost", "Make all other objects transparent"),
)
STATUSES = (
    ("OPEN", "Open", "Not checked yet", "RADIOBUT_OFF", 0),
    ("REVIEWED", "Reviewed", "Checked: the model has to be changed", "HIDE_OFF", 1),
    ("APPROVED", "Approved", "Checked and accepted: nothing has to be changed", "CHECKMARK", 2),
    ("RESOLVED", "Resolved", "The model was changed to remove the clash", "SOLO_ON", 3),
)
NOT_PICKED = {
    "OBJECT": "choose the object first", "COLLECTION": "choose the collection first", "RULE": "enter a rule first",
}  # fmt: skip
STATUS_LABELS = {status: label for status, label, *_ in STATUSES}
GROUPINGS_SHOWN = (
    (
        "cause",
        "Cause",
        "Group clashes with a common cause: a detail that repeats between two kinds of objects, or one "
        "misplaced object",
    ),
    ("families", "Names", "Group by the names of the two objects without numbers, such as Bolt for Bolt.001"),
    ("pattern", "Pattern", "Group by the types of the two objects and the size of the overlap"),
    ("object", "Object", "Group by the fewest objects that are involved in all clashes"),
    ("place", "Location", "Group clashes of an object that are close to each other"),
    ("material", "Material", "Group by the materials of the two objects"),
    ("collection", "Collection", "Group by the collections of the two objects"),
    ("assembly", "Assembly", "Group by sub-assemblies: objects with the same parent"),
    ("class", "IFC Class", "Group by the IFC classes of the two objects"),
    ("storey", "Storey", "Group by the storeys of the two objects"),
)
PRIORITIES = (
    ("AS_IT_IS", "Unchanged", "Leave the priority unchanged"),
    ("LOW", "Low", "Less urgent than other pairs"),
    ("NORMAL", "Normal", "Normal urgency"),
    ("HIGH", "High", "More urgent than other pairs"),
    ("CRITICAL", "Critical", "Now"),
)
STATUS_ORDER = tuple(item[0] for item in STATUSES)
STATUS_FILTERS = [(name, label, tip, icon, 1 << number) for name, label, tip, icon, number in STATUSES]
SORT_KEYS = tuple((column.key, column.key_label, column.key_tip) for column in SORTED)
SAID_KEYS = {"ASSIGNEE": "assignee", "PRIORITY": "priority", "DUE": "due"}
PROGRESS_ORDER = ("new", "reopened", "active", "resolved", "")
PROGRESSES = (
    ("NEW", "New", "First found by the last detection", 1),
    ("ACTIVE", "Active", "Found by the last detection and by earlier ones", 2),
    ("REOPENED", "Reopened", "Found again after a detection that did not find it", 4),
    ("STILL", "Resolved, Still Found", "Marked as resolved, but found by the last detection", 8),
)
PERMITTED = (
    ("AUTO", "Resolution", "Ignore overlaps within the precision of the coordinates, up to 0.1 mm, and warn if the "
                           "coordinates are less precise"),
    ("RESOLUTION", "Resolution, No Limit", "Ignore overlaps within the precision of the coordinates, however coarse it "
                                           "is"),
    ("LENGTH", "Length", "Ignore overlaps up to a length, such as press fits and welds"),
)  # fmt: skip
MILLISECOND = 0.001
RULES = ("same_parent", "same_armature", "same_collection")
WINDOW_OPTIONS = tuple(option for option in OPTIONS.values() if option.in_window)
"""Options of tests that are settings of the scene; a property is made for each entry."""
LENGTHS = tuple(option.name for option in WINDOW_OPTIONS if option.kind == "length")
PRESET_VALUES = (
    "test", *(option.name for option in WINDOW_OPTIONS if option.name != "permitted_overlap"),
    *(f"skip_{name}" for name in RULES), "permitted_overlap", "permitted_by",
)  # fmt: skip
"""Settings in a preset. `permitted_by` is last, because setting a length changes it."""


def _derived(
    name: str, default: Callable[[bpy.types.Scene], float], counts: Callable[[PropertyGroup], bool] = lambda _: True
) -> dict[str, Any]:
    """Return arguments of a property whose default depends on the scene; values set by the user are stored as usual.

    Args:
        name: name of the property.
        default: function that returns the value if no value is set.
        counts: function that returns whether a stored value is used.
    """
    if bpy.app.version >= (5, 0, 0):

        def shown(self: PropertyGroup, value: float, is_set: bool) -> float:
            return value if is_set and counts(self) else default(self.id_data)

        return {"get_transform": shown}

    def get(self: PropertyGroup) -> float:
        return float(self[name]) if name in self and counts(self) else default(self.id_data)

    def put(self: PropertyGroup, value: float) -> None:
        self[name] = value

    return {"get": get, "set": put}


def _of_table(name: str, /, **more: Any) -> Any:
    """Return the property of an option.

    Args:
        name: name of the option.
        more: further arguments that only Blender has.
    """
    option = OPTIONS[name]
    told = {"name": option.label, "description": option.help, **more}
    if option.kind == "flag":
        return BoolProperty(default=option.default, **told)
    if option.kind == "count":
        return IntProperty(min=0, soft_max=10_000_000, default=option.default, **told)
    if option.kind == "choice":
        items = [(value.upper(), label, tip) for value, label, tip in option.choices]
        return ChoiceProperty(items=items, default=option.default.upper(), **told)
    if option.kind == "length":
        return FloatProperty(**{"subtype": "DISTANCE", "min": 0.0, "soft_max": 1.0, "precision": 5, **told})
    raise ValueError(f"{name}: the window has no property for an option of the kind {option.kind}")


def _redraw(_self: PropertyGroup, context: bpy.types.Context) -> None:
    tag_redraw(context)


def _redraw_timelines(_self: PropertyGroup, context: bpy.types.Context) -> None:
    tag_redraw_timelines(context)


def _rebuild_hierarchy(_self: PropertyGroup, context: bpy.types.Context) -> None:
    shown = shown_things.shown_hierarchy()
    if shown is not None and running_work.running_task() is None:
        bpy.ops.meshclash.show_hierarchy("INVOKE_DEFAULT", name=shown.name)


def _level_changed(self: PropertyGroup, context: bpy.types.Context) -> None:
    shown = shown_things.shown_hierarchy()
    if shown is not None:
        shown.show(self.hierarchy_level)
        _redraw(self, context)


def _show_active_pair(self: PropertyGroup, context: bpy.types.Context) -> None:
    if not self.filling:
        inside = 0 <= self.active_row < len(self.rows)
        self.selected = self.rows[self.active_row].pair_id if inside else ""
        reactions.tell("pair chosen", context)


def _show_active_event(self: PropertyGroup, context: bpy.types.Context) -> None:
    if not self.filling:
        reactions.tell("event chosen", context)


def _list_again(self: PropertyGroup, context: bpy.types.Context) -> None:
    """Update the list after its filters changed, from the first page."""
    if not self.filling:
        self.begin()
        reactions.tell("list asked", context)


def _order_again(self: PropertyGroup, context: bpy.types.Context) -> None:
    """Sort by another column, not reversed."""
    if not self.filling:
        self.filling, self.sort_reverse, self.filling = True, False, False
        _list_again(self, context)


def _group_again(self: PropertyGroup, context: bpy.types.Context) -> None:
    if not self.filling:
        self.begin()
        reactions.tell("groups asked", context)


def _list_group(self: PropertyGroup, context: bpy.types.Context) -> None:
    if not self.filling:
        self.begin()
        reactions.tell("group chosen", context)


def _turn_page(self: PropertyGroup, context: bpy.types.Context) -> None:
    if not self.filling:
        reactions.tell("page turned", context)


def _surroundings_changed(self: PropertyGroup, context: bpy.types.Context) -> None:
    if self.filling:
        return
    reactions.tell("view left", context)
    if self.around != "ALL":
        reactions.tell("pair chosen", context)


class MESHCLASH_PG_excluded_pair(PropertyGroup):
    """Two objects that are never tested against each other."""

    name_a: StringProperty(name="A", description="First object of the excluded pair")
    name_b: StringProperty(name="B", description="Second object of the excluded pair")


class MESHCLASH_PG_fit(PropertyGroup):
    """The permitted overlap of two kinds of objects, such as a press fit."""

    name_a: StringProperty(name="A", description="First object of the fit; * matches any characters", default="*")
    name_b: StringProperty(name="B", description="Second object of the fit; * matches any characters", default="*")
    permitted: FloatProperty(
        name="Fit", description="Greatest depth of an overlap of these two objects that counts as touching",
        subtype="DISTANCE", min=0.0, soft_max=1.0, precision=5, update=_redraw,
    )  # fmt: skip


def _reviewed(_self: PropertyGroup, _context: bpy.types.Context) -> None:
    scene_results.doubt_reviews()


class MESHCLASH_PG_review(PropertyGroup):
    """The user's decision on a pair; `name` is the id of the pair, which is the same in every run."""

    name_a: StringProperty(name="A")
    name_b: StringProperty(name="B")
    status: ChoiceProperty(
        name="Status", description="Status of this pair", items=STATUSES, default="OPEN",
        update=_reviewed,
    )  # fmt: skip
    comment: StringProperty(name="Comment", description="A note on this pair, saved with the file")
    assignee: StringProperty(name="Assignee", description="Person responsible for this pair")
    priority: StringProperty(name="Priority", description="Priority: low, normal, high or critical")
    due: StringProperty(name="Due", description="Due date, such as 2026-12-24")


def _selected_row(settings: PropertyGroup) -> PairRow | None:
    """Return the row of the selected pair, if the list shows the scene to which these settings belong."""
    uid, listed = settings.id_data.session_uid, bpy.context.window_manager.meshclash
    result = scene_results.result_of(uid)
    return result.row(listed.selected) if result is not None and listed.scene_uid == uid else None


def _comment(self: PropertyGroup) -> str:
    row = _selected_row(self)
    return "" if row is None else reviews.comment_of(self.id_data, row.id)


def _write_comment(self: PropertyGroup, value: str) -> None:
    row = _selected_row(self)
    if row is not None:
        reviews.say(self.id_data, [row], comment=value)


def _permitted_by_itself(scene: bpy.types.Scene) -> float:
    """Return the permitted overlap that the last detection used by default [Blender units]."""
    result = scene_results.result_of(scene.session_uid)
    report = None if result is None else result.report
    return 0.0 if report is None else 2.0 * (report.stats.get("resolution") or 0.0) / report.scale_length


def _permit_length(self: PropertyGroup, context: bpy.types.Context) -> None:
    """Switch the permitted overlap to a fixed length when the user sets one."""
    self.permitted_by = "LENGTH"
    _redraw(self, context)


def _is_stored(settings: PropertyGroup, name: str) -> bool:
    """Return whether the user has set a derived property; before Blender 5.0, properties with a getter always count as
    set.
    """
    return settings.is_property_set(name) if bpy.app.version >= (5, 0, 0) else name in settings


def keep_permitted_lengths() -> None:
    """Keep the permitted lengths in files of versions that had lengths only; otherwise the new default applies."""
    for settings in (scene.meshclash for scene in bpy.data.scenes if scene.library is None):
        if _is_stored(settings, "permitted_overlap") and not settings.is_property_set("permitted_by"):
            settings.permitted_by = "LENGTH"


class MESHCLASH_PG_settings(PropertyGroup):
    """The settings of Detect, saved in the .blend file."""

    set_a: ChoiceProperty(name="Set A", description="Objects of the first set", items=SET_KINDS, default="ALL")
    set_a_collection: PointerProperty(name="Collection", description="Collection of set A", type=bpy.types.Collection)
    set_a_object: PointerProperty(name="Object", description="Object of set A", type=bpy.types.Object)
    set_a_rule: StringProperty(name="Rule", description=RULE_TIP)
    set_b_rule: StringProperty(name="Rule", description=RULE_TIP)
    set_b: ChoiceProperty(name="Set B", description="Objects of the second set", items=SET_KINDS, default="ALL")
    set_b_collection: PointerProperty(name="Collection", description="Collection of set B", type=bpy.types.Collection)
    set_b_object: PointerProperty(name="Object", description="Object of set B", type=bpy.types.Object)
    test: ChoiceProperty(
        name="Test", description="What the detection looks for",
        items=[(test.name, test.label, test.description) for test in TESTS.values()], update=_redraw,
    )  # fmt: skip
    permitted_by: ChoiceProperty(
        name="Ignore Overlaps", description="Overlaps that count as touching", items=PERMITTED, default="AUTO",
        update=_redraw,
    )  # fmt: skip
    permitted_overlap: _of_table(
        "permitted_overlap", name="Ignore Overlaps Below", update=_permit_length,
        **_derived("permitted_overlap", _permitted_by_itself, lambda self: self.permitted_by == "LENGTH"),
    )  # fmt: skip
    tolerance: _of_table(
        "tolerance", soft_max=1000.0,
        description=f"{OPTIONS['tolerance'].help}. The default depends on the size of the scene",
        **_derived("tolerance", default_clearance),
    )  # fmt: skip
    budget: FloatProperty(
        name="Budget (ms)", description=OPTIONS["budget"].help,
        min=0.1, max=60_000.0, soft_max=100.0, default=5.0, precision=1,
    )  # fmt: skip
    skip_same_parent: BoolProperty(
        name="Same Parent", description="Do not test objects that have the same parent, nor a parent with its child"
    )
    skip_same_armature: BoolProperty(
        name="Same Armature", description="Do not test objects that are deformed by the same armature"
    )
    skip_same_collection: BoolProperty(
        name="Same Collection", description="Do not test objects that are in the same collection"
    )
    kept_tests: CollectionProperty(type=kept_tests.MESHCLASH_PG_kept_test)
    active_test: IntProperty(name="Test", description="The selected test of the list", default=-1)
    excluded_pairs: CollectionProperty(type=MESHCLASH_PG_excluded_pair)
    active_excluded: IntProperty(name="Excluded pair", description="Pair selected in the list of excluded pairs")
    fits: CollectionProperty(type=MESHCLASH_PG_fit)
    active_fit: IntProperty(name="Fit", description="Row selected in the table of fits")

    reviews: CollectionProperty(type=MESHCLASH_PG_review)
    comment: StringProperty(
        name="Comment", description="A note on the selected pair, whatever its status; saved with the file",
        get=_comment, set=_write_comment,
    )  # fmt: skip
    history: StringProperty(description="What became of clashes, as lines of a journal", options={"HIDDEN"})
    history_id: StringProperty(description="What journals call this scene", options={"HIDDEN"})
    saved_list: StringProperty(
        description="The list of the last results as it is saved with the file", options={"HIDDEN"}
    )
    attribute_name: StringProperty(
        name="Attribute", description="Name of the boolean face attribute that marks contacting faces",
        default="meshclash_contact", maxlen=60,
    )  # fmt: skip
    display_points: IntProperty(
        name="Points Drawn", description="Maximum number of points drawn with their deviation",
        min=1000, soft_max=10_000_000, default=2_000_000, update=_redraw,
    )  # fmt: skip
    massive_triangles: IntProperty(
        name="Triangles Shown", description="Maximum number of triangles shown of a massive model",
        min=1000, soft_max=2_000_000, default=200_000,
    )  # fmt: skip
    deviation_attribute: StringProperty(
        name="Attribute", description="Name of the attribute on points that holds the measured deviation; empty: none",
        default="meshclash_deviation", maxlen=60,
    )  # fmt: skip
    deviation_serial: IntProperty(
        description="Number of the last measurement in this session; it follows undo and redo", options={"HIDDEN"}
    )
    deviation_overlay: BoolProperty(
        name="Show Deviation", description="Draw the measured points in colours, with a legend", default=True,
        update=_redraw,
    )  # fmt: skip
    deviation_range: FloatProperty(
        name="Range (0: automatic)",
        description="Deviation at the ends of the colour scale. Automatic: the 95th percentile of the points",
        subtype="DISTANCE", min=0.0, soft_max=1.0, default=0.0, precision=4, update=_redraw,
    )  # fmt: skip
    live_budget: IntProperty(
        name="Live Budget (ms)",
        description="Time per update of Live. When a complete update takes longer, Live shows only which objects meet"
                    " and completes the results when nothing moves",
        min=2, soft_max=100, max=1000, default=20,
    )  # fmt: skip
    timeline_own: BoolProperty(
        name="Custom Range", description="Use a custom range instead of the frame range of the scene"
    )
    timeline_start: IntProperty(
        name="First Frame", description="First frame to scan", default=1, min=-LAST_FRAME, max=LAST_FRAME
    )
    timeline_end: IntProperty(
        name="Last Frame", description="Last frame to scan", default=250, min=-LAST_FRAME, max=LAST_FRAME
    )
    timeline_step: IntProperty(
        name="Frame Step", description="Test every n-th frame", default=1, min=1, soft_max=10,
    )  # fmt: skip
    timeline_between: BoolProperty(
        name="Between Frames", description="Also find objects that pass through each other between two frames. Rigid "
                                           "objects are assumed to move evenly from frame to frame", default=True,
    )  # fmt: skip
    timeline_strip: BoolProperty(
        name="Show in Timeline", description="Draw the events as a strip in timelines and dope sheets", default=True,
        update=_redraw_timelines,
    )  # fmt: skip
    hierarchy_volume: ChoiceProperty(
        name="Volume", description="Kind of bounding volume", items=VOLUMES, update=_rebuild_hierarchy
    )
    hierarchy_split: ChoiceProperty(
        name="Builder", description="How triangles are split between two nodes", items=SPLITS, update=_rebuild_hierarchy
    )
    hierarchy_level: IntProperty(
        name="Level", description="Depth in the hierarchy; 0 is the volume around the whole object",
        min=0, soft_max=20, default=3, update=_level_changed,
    )  # fmt: skip
    voxel_resolution: IntProperty(
        name="Voxel Count", description=("Number of voxels along the longest side of the region that both objects "
                                          "extend into"),
        min=1, soft_max=256, max=4096, default=32,
    )  # fmt: skip
    voxel_size: FloatProperty(
        name="Size (0: by number)", description="Size of a voxel; 0 uses the number of voxels above",
        subtype="DISTANCE", min=0.0, soft_max=1.0, default=0.0, precision=4,
    )  # fmt: skip
    method: ChoiceProperty(name="Method", description="Method to run on the two selected objects", items=METHODS)
    method_node_size: FloatProperty(
        name="Node Size",
        description="Node size at which a cloud query stops, so that it may find false contacts. 0 means no limit",
        subtype="DISTANCE", min=0.0, soft_max=1.0, default=0.0, precision=4,
    )  # fmt: skip
    advise_all: BoolProperty(
        name="Try All Combinations", description="Measure every bounding volume with every builder"
    )
    overlay: BoolProperty(
        name="Show Overlay", description="Draw the contacting faces in the 3D viewports", default=True, update=_redraw
    )
    overlay_scope: ChoiceProperty(
        name="Show", description="Which pairs to draw", items=OVERLAY_SCOPES, default="ALL", update=_redraw
    )
    overlay_curves: BoolProperty(
        name="Curves and Gaps", description="Draw the curves along which surfaces cross, and gaps with their length",
        default=True,
        update=_redraw,
    )  # fmt: skip
    overlay_xray: BoolProperty(
        name="X-Ray", description="Show contacting faces through other objects", default=True,
        update=_redraw,
    )  # fmt: skip

    def timeline_frames(self) -> range:
        """Return the frames of a scan.

        Raises:
            InputError: the range contains no frames.
        """
        scene = self.id_data
        first, last = scene.frame_start, scene.frame_end
        if self.timeline_own:
            first, last = self.timeline_start, self.timeline_end
        elif scene.use_preview_range:
            first, last = scene.frame_preview_start, scene.frame_preview_end
        return frame_range(first, last, self.timeline_step)

    @property
    def preset(self) -> dict[str, Any]:
        """The settings of a preset, lengths in metres. Setting a preset resets all other settings to their defaults."""
        said = {name: getattr(self, name) for name in PRESET_VALUES if _is_stored(self, name)}
        metres = metres_per_unit(self.id_data)
        return {name: value * metres if name in LENGTHS else value for name, value in said.items()}

    @preset.setter
    def preset(self, said: dict[str, Any]) -> None:
        for name in PRESET_VALUES:
            self.property_unset(name)
            self.pop(name, None)  # before Blender 5.0, derived properties stay set
        for name, value in said.items():
            setattr(self, name, value / metres_per_unit(self.id_data) if name in LENGTHS else value)

    @property
    def excluded_names(self) -> frozenset[tuple[str, str]]:
        """Return the pairs of names that are never tested."""
        return frozenset((pair.name_a, pair.name_b) for pair in self.excluded_pairs)

    def reviews_in_words(self) -> dict[str, Review]:
        """Return the reviews of pairs for reports, by id."""
        return {review.name: Review(review.status.lower(), review.comment, review.assignee) for review in self.reviews}

    def set_expression(self, which: str) -> str:
        """Return set A or B ("a", "b") as an expression of the core; "" for an empty picker."""
        kind = getattr(self, f"set_{which}")
        if kind == "COLLECTION":
            picked = getattr(self, f"set_{which}_collection")
            return f"collection:{picked.name_full}" if picked else ""
        if kind == "OBJECT":
            picked = getattr(self, f"set_{which}_object")
            return f"object:{picked.name_full}" if picked else ""
        return getattr(self, f"set_{which}_rule").strip() if kind == "RULE" else kind.lower()

    def take_options(self, options: DetectOptions) -> None:
        """Set the options of Detect, except for listed pairs; a missing set becomes a rule with its name."""
        chosen: dict[str, Any] = {f"skip_{name}": getattr(options.rules, name) for name in RULES}
        chosen["test"] = options.test
        for option in WINDOW_OPTIONS:
            value = getattr(options, option.name)
            if value is not None and option.name != "permitted_overlap":
                chosen[option.name] = value.upper() if option.kind == "choice" else value
        if options.budget is not None:
            chosen["budget"] = options.budget / MILLISECOND
        permitted = options.permitted_overlap
        if isinstance(permitted, str):
            chosen["permitted_by"] = permitted.upper()
        else:
            chosen["permitted_overlap"] = permitted
        self.preset = chosen
        self.fits.clear()
        for known in options.fits:
            fit = self.fits.add()
            fit.name_a, fit.name_b, fit.permitted = *known[:2], known.permitted / metres_per_unit(self.id_data)
        for side in "ab":
            self._take_set(side, getattr(options, f"set_{side}"))

    def _take_set(self, side: str, expression: str) -> None:
        kind, _, name = expression.partition(":")
        known = {"collection": bpy.data.collections, "object": bpy.data.objects}
        picked = known[kind].get(name) if kind in known else None
        if picked is not None:
            setattr(self, f"set_{side}", kind.upper())
            setattr(self, f"set_{side}_{kind}", picked)
        elif expression in ("all", "selection"):
            setattr(self, f"set_{side}", expression.upper())
        else:
            setattr(self, f"set_{side}", "RULE")
            setattr(self, f"set_{side}_rule", expression)

    def detect_options(self, metres_per_unit: float) -> DetectOptions:
        """Return the options of Detect; lengths are converted from Blender units to metres.

        Raises:
            InputError: an option is out of range.
        """
        rules = Rules(
            same_parent=self.skip_same_parent,
            same_armature=self.skip_same_armature,
            same_collection=self.skip_same_collection,
            listed_pairs=self.excluded_names,
        )
        test = test_named(self.test)
        values = {
            option.name: self._in_metres(option, metres_per_unit)
            for option in WINDOW_OPTIONS if option.is_for(test.name)
        }  # fmt: skip
        if "permitted_overlap" in values and self.permitted_by != "LENGTH":
            values["permitted_overlap"] = self.permitted_by.lower()
        if "fits" in test.takes:
            fits = ((fit.name_a, fit.name_b, fit.permitted * metres_per_unit) for fit in self.fits)
            values["fits"] = tuple(Fit(*fit) for fit in fits)
        return DetectOptions(
            set_a=self.set_expression("a"), set_b=self.set_expression("b"), test=test.name, rules=rules, **values
        )

    def _in_metres(self, option: Option, metres_per_unit: float) -> Any:
        """Return the value of an option for `DetectOptions`: lengths in metres, times in seconds."""
        value = getattr(self, option.name)
        if option.kind == "choice":
            return value.lower()
        factor = {"length": metres_per_unit, "time": MILLISECOND}.get(option.kind)
        return value if factor is None else factor * value

    def scan_options(self, metres_per_unit: float) -> dict[str, Any]:
        """Return the options for reading scans; lengths in metres."""
        return {option.name: self._in_metres(option, metres_per_unit) for option in WINDOW_OPTIONS if option.of_scans}

    def checked_options(self, metres_per_unit: float) -> DetectOptions:
        """Check the pickers, then return the options of Detect.

        Raises:
            InputError: a picker is empty, or an option is out of range.
        """
        for which in "ab" if test_named(self.test).of_pairs else "a":
            if not self.set_expression(which):
                raise InputError(
                    Sentence(f"Set {which.upper()}") + ": " + Sentence(NOT_PICKED[getattr(self, f"set_{which}")])
                )
        return self.detect_options(metres_per_unit)


for _option in WINDOW_OPTIONS:  # those not defined above
    if _option.name not in MESHCLASH_PG_settings.__annotations__:
        MESHCLASH_PG_settings.__annotations__[_option.name] = _of_table(_option.name)


def _measure(column: Column) -> Any:
    """Return the property of a number of a row or an event, in Blender units."""
    return FloatProperty(name=column.label, description=f"{column.label}; negative: unknown", default=-1.0)


class MESHCLASH_PG_row(PropertyGroup):
    """One object pair of the page that Blender's list shows; `name` holds both names."""

    pair_id: StringProperty()
    name_a: StringProperty()
    name_b: StringProperty()
    region: StringProperty(description="Pair of regions of a surface that crosses itself")
    verdict: StringProperty()
    faces_a: IntProperty()
    faces_b: IntProperty()
    certainty: FloatProperty(description="That the verdict is right, 0 to 1", default=1.0)


for _column in LISTED:
    MESHCLASH_PG_row.__annotations__[_column.name] = _measure(_column)


class MESHCLASH_PG_event(PropertyGroup):
    """One event of the timeline; `name` holds both names."""

    name_a: StringProperty()
    name_b: StringProperty()
    region: StringProperty(description="Pair of regions of a surface that crosses itself")
    verdict: StringProperty()
    flush: BoolProperty()
    pair_id: StringProperty()
    start: IntProperty()
    end: IntProperty()
    worst: IntProperty()
    certainty: FloatProperty(description="That the verdict is right, 0 to 1", default=1.0)


for _column in EVENT_MEASURES:
    MESHCLASH_PG_event.__annotations__[_column.name] = _measure(_column)


class MESHCLASH_PG_group(PropertyGroup):
    """One group of clashes; `name` is the reason why they belong together."""

    count: IntProperty(description="Pairs of the group")
    side_a: StringProperty(
        description="The first of the two kinds of objects; all of the reason where there are no two"
    )
    side_b: StringProperty(description="The second of the two kinds of objects")
    depth: FloatProperty(description="Greatest depth in Blender units; negative: unknown", default=-1.0)
    least: FloatProperty(description="Least depth in Blender units; negative: unknown", default=-1.0)
    key: StringProperty(description="The same for the same group of another detection")


class MESHCLASH_PG_results(PropertyGroup):
    """The result list of one scene: a page of its rows, and the filters of the list."""

    scene_uid: IntProperty()
    rows: CollectionProperty(type=MESHCLASH_PG_row)
    selected: StringProperty(description="Id of the selected pair, on whatever page it is")
    active_row: IntProperty(
        name="Pair", description="A click on a pair selects, frames and isolates its two objects", default=-1,
        update=_show_active_pair,
    )  # fmt: skip
    total: IntProperty(description="Pairs of the report")
    found: IntProperty(description="Pairs that are listed, on all pages together")
    page: IntProperty(name="Page", description="Page of the list", default=1, min=1, update=_turn_page)
    search: StringProperty(
        name="Search", description="Show only pairs whose names contain these words, in any order", update=_list_again,
        options={"TEXTEDIT_UPDATE"},
    )  # fmt: skip
    statuses: ChoiceProperty(
        name="Status Filter", description="Show only pairs with these statuses; Shift-click selects several",
        items=STATUS_FILTERS, options={"ENUM_FLAG"}, default=set(STATUS_ORDER), update=_list_again,
    )  # fmt: skip
    progress: ChoiceProperty(
        name="Progress", description="Show only pairs with this progress; Shift-click selects several, none shows all",
        items=[(name, label, tip, "NONE", bit) for name, label, tip, bit in PROGRESSES], options={"ENUM_FLAG"},
        update=_list_again,
    )  # fmt: skip
    least_volume: FloatProperty(
        name="Common Volume",
        description="Show only pairs with at least this common volume, and pairs whose common volume is unknown",
        unit="VOLUME", min=0.0, default=0.0, precision=4, update=_list_again,
    )  # fmt: skip
    of_frames: StringProperty(
        name="Frames",
        description="Show only pairs at these frames, such as 12 or 5-30; empty shows all",
        update=_list_again,
    )
    of_test: StringProperty(
        name="Test", description="Show only pairs found by this test; empty shows all", update=_list_again
    )
    assignee: StringProperty(
        name="Assignee", description="Show only pairs assigned to this person; empty shows all", update=_list_again
    )
    sort_key: ChoiceProperty(
        name="Sort by", description="How the list is sorted", items=SORT_KEYS, default=WORST, update=_order_again
    )
    sort_reverse: BoolProperty(name="Reverse", description="Reverse the order of the list", update=_list_again)
    around: ChoiceProperty(
        name="Other Objects", description="How to show other objects", items=SURROUNDINGS, default="ISOLATE",
        update=_surroundings_changed,
    )  # fmt: skip
    groups: CollectionProperty(type=MESHCLASH_PG_group)
    active_group: IntProperty(
        name="Group", description="List only the pairs of this group", default=-1, update=_list_group
    )
    group_by: ChoiceProperty(
        name="Group by", description="How to group clashes", items=GROUPINGS_SHOWN,
        default="cause", update=_group_again,
    )  # fmt: skip
    events: CollectionProperty(type=MESHCLASH_PG_event)
    active_event: IntProperty(
        name="Event", description="Select an event to go to its worst frame and select its two objects", default=-1,
        update=_show_active_event,
    )  # fmt: skip
    filling: BoolProperty(description="The list is being filled: selecting a row has no effect")

    def begin(self) -> None:
        """Go to the first page; the caller must fill the list."""
        self.filling, self.page, self.filling = True, 1, False

    def show_all(self) -> None:
        """Reset the filters to all verdicts, statuses and names; the caller must fill the list."""
        self.filling = True
        for verdict in VERDICTS:
            setattr(self, f"show_{verdict}", True)
        self.statuses, self.search, self.page, self.least_volume = set(STATUS_ORDER), "", 1, 0.0
        self.of_test = self.assignee = self.of_frames = ""
        self.active_group, shown_things.listed().group, self.progress = -1, None, set()
        self.filling = False

    def ask_for_all(self) -> None:
        """Reset filters and sort order for a new file, because those of the former file do not apply."""
        self.show_all()
        self.filling, self.sort_key, self.sort_reverse = True, WORST, False
        self.filling = False

    def query(self) -> ListQuery:
        """Return the filters and the order of the list."""
        statuses = None if len(self.statuses) in (0, len(STATUS_ORDER)) else frozenset(self.statuses)
        return ListQuery(
            self.shown_verdicts(), self.search, statuses, shown_things.listed().owners, self.sort_key,
            self.sort_reverse, self.least_volume, self._pairs(), self.of_test,
            frozenset(self.progress), self.asked_frames(),
        )  # fmt: skip

    def asked_frames(self) -> range | None:
        """Return the frames whose pairs are listed; None for all frames, or if the range is invalid."""
        try:
            return parse_frames(self.of_frames)
        except InputError:
            return None

    def _pairs(self) -> frozenset[str] | None:
        """Return the pairs of the chosen group and the chosen assignee; None for all pairs."""
        group, scene = shown_things.listed().group, scene_with(self.scene_uid)
        if scene is None:
            return group
        asked = [group] if group is not None else []
        asked += [histories.assigned_to(scene, self.assignee)] if self.assignee else []
        return frozenset.intersection(*asked) if asked else None

    def shown_verdicts(self) -> frozenset[str]:
        """Return the verdicts that are listed."""
        return frozenset(verdict for verdict in VERDICTS if self.shows(verdict))

    def shows(self, verdict: str) -> bool:
        """Return whether pairs of a verdict are listed."""
        return bool(getattr(self, f"show_{verdict}"))


for _verdict in VERDICTS.values():
    MESHCLASH_PG_results.__annotations__[f"show_{_verdict.name}"] = BoolProperty(
        name=_verdict.label, description=_verdict.filter_tip, default=True, update=_list_again
    )


CLASSES = (
    kept_tests.MESHCLASH_PG_kept_test,
    MESHCLASH_PG_excluded_pair,
    MESHCLASH_PG_fit,
    MESHCLASH_PG_review,
    MESHCLASH_PG_settings,
    MESHCLASH_PG_row,
    MESHCLASH_PG_event,
    MESHCLASH_PG_group,
    MESHCLASH_PG_results,
)


@contextmanager
def known() -> Iterator[None]:
    """Attach the settings to scenes inside the block if the extension is not registered (scripts in a checkout)."""
    with ExitStack() as done:
        if not hasattr(bpy.types.Scene, "meshclash"):
            for cls in CLASSES:
                bpy.utils.register_class(cls)
                done.callback(bpy.utils.unregister_class, cls)
            attach()
            done.callback(detach)
        yield


def attach() -> None:
    """Register the properties of scenes, of the window manager and of objects."""
    bpy.types.Scene.meshclash = PointerProperty(type=MESHCLASH_PG_settings)
    bpy.types.WindowManager.meshclash = PointerProperty(type=MESHCLASH_PG_results)
    massive_objects.attach()
    shell_objects.attach()


def detach() -> None:
    """Unregister the properties; order and filters of the list end with the session."""
    for manager in bpy.data.window_managers:
        for known in manager.meshclash.bl_rna.properties:
            manager.meshclash.property_unset(known.identifier)
    del bpy.types.Scene.meshclash
    del bpy.types.WindowManager.meshclash
    massive_objects.detach()
    shell_objects.detach()
