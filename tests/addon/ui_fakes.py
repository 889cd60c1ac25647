"""Stand-ins for what only a window or the engine can give."""

from types import SimpleNamespace

import numpy as np
from meshclash.clash.frame_scene import Progress
from meshclash.clash.options import DetectOptions
from meshclash.clash.pair_row import PairRow, PairSide
from meshclash.clash.report import DetectReport
from meshclash.clash.review.revisions import pair_id

TRIANGLE = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], np.float32)

ENGINE = SimpleNamespace(Scene=object)
"""An engine whose kernels need not be compiled, and that can do nothing else."""
SEVERITIES = {"touching": 1, "near": 0, "apart": 0}


def make_side(name, **changes):
    values = {"name": name, "owner": name, "source": name, "faces": np.array([0], np.int32)}
    return PairSide(**{**values, "original_faces": values["faces"], **changes})


def make_row(a="A", b="B", verdict="clash", depth=0.25, offset=0.0, **changes):
    """A row of two objects; what is to be different of one of them ends in `_a` or `_b`."""
    faces = np.array([1, 2], np.int32)
    values = {
        "id": pair_id(a, b), "frame": 1, "verdict": verdict, "severity": SEVERITIES.get(verdict, 2), "contacts": 1,
        "location": (0.0, 0.0, 0.0), "depth": depth, "curves": TRIANGLE[:, :2] + offset,
    }  # fmt: skip
    of_a = {"highlight": TRIANGLE + offset}
    of_b = {"faces": faces, "original_faces": faces, "highlight": np.concatenate((TRIANGLE, TRIANGLE)) + offset}
    of = {"_a": of_a, "_b": of_b}
    for name, value in changes.items():
        if name[-2:] in of:
            of[name[-2:]][name[:-2]] = value
        else:
            values[name] = value
    return PairRow(a=make_side(a, **of_a), b=make_side(b, **of_b), **values)


def make_report(*rows, **options):
    stats = {
        "objects": 2, "triangles": 24, "volume_tests": 10, "primitive_tests": 5, "exact_tests": 1,
        "seconds": 0.5, "timings": {"read": 0.1, "query": 0.4},
    }  # fmt: skip
    return DetectReport("", 1.0, DetectOptions(**options), list(rows), [], stats)


def fake_detect_steps(report, count=3, fail_at=None, error=None, log=None):
    """A replacement of job.detect_steps that yields `count` times; `log` gets "closed" when it is stopped early."""

    def steps(_source, _options, _engine, highlights=True, prepare=None, remember=False, followed=None):
        try:
            for index in range(count):
                if index == fail_at:
                    raise error
                yield Progress(index / count, f"step {index}")
        except GeneratorExit:
            if log is not None:
                log.append("closed")
            raise
        return report

    return steps


class RecordingLayout:
    """Takes any layout call, remembers its arguments and gives back a layout."""

    def __init__(self, calls=None):
        object.__setattr__(self, "calls", [] if calls is None else calls)

    def __getattr__(self, name):
        def call(*args, text_ctxt="", **kwargs):  # `test_translations` checks the contexts
            self.calls.append((name, args, kwargs))
            return RecordingLayout(self.calls)

        return call

    def __setattr__(self, name, value):
        self.calls.append((name, (value,), {}))

    def texts(self):
        """Every text that is shown, without the spaces that put it at one side of a button."""
        return [kwargs["text"].strip() for _, _, kwargs in self.calls if kwargs.get("text")]

    def operators(self):
        return [args[0] for name, args, _ in self.calls if name == "operator"]


def draw(cls, context, method="draw"):
    """Draws a panel into a recording layout."""
    layout = RecordingLayout()
    getattr(cls, method)(SimpleNamespace(layout=layout), context)
    return layout


def draw_page(context):
    """Draws the rows of all lists, as a redraw of the sidebar would."""
    from addon.ui import groups, lists

    listed = context.window_manager.meshclash
    for cls, rows, active in (
        (lists.MESHCLASH_UL_pairs, "rows", "active_row"), (groups.MESHCLASH_UL_groups, "groups", "active_group"),
    ):  # fmt: skip
        for index, item in enumerate(getattr(listed, rows)):
            cls.draw_item(None, context, RecordingLayout(), listed, item, 0, listed, active, index)


def unequal_ages(context):
    """What is wrong where the list, its order and the report of a scene are of different ages; "" where nothing is."""
    from addon import results, scene_results, shown_things

    uid, listed = context.scene.session_uid, context.window_manager.meshclash
    chosen, order = results.chosen_rows(context), results.listed_order(uid)
    result, state = scene_results.result_of(uid), shown_things.listed()
    known = set() if result is None else set(map(id, result.report.rows))
    if not all(id(row) in known for row in chosen):
        return "a chosen row is of an older report"
    if result is None:
        return "rows of no report are listed" if len(order) else ""
    if len(order) and (state.order[0] != result.serial or max(order) >= len(result.report.rows)):
        return "the order is of an older report"
    if listed.scene_uid == uid and 0 <= listed.active_group < len(listed.groups):
        lost = set() if state.group is None else state.group - {row.id for row in result.found.rows}
        return f"the chosen group has pairs that were not found: {sorted(lost)[:3]}" if lost and not result.live else ""
    return ""


def timer():
    return SimpleNamespace(type="TIMER", value="NOTHING")


def escape():
    return SimpleNamespace(type="ESC", value="PRESS")


class PlacedLayout:
    """Takes layout calls and gives each control a place, as Blender does: columns downwards, rows side by side.

    Attributes:
        places: (x, y) of each control by what it is: a share of the width, and lines from the top.
        height: lines.
    """

    def __init__(self, down=True, root=None, left=0.0, width=1.0, top=0.0, columns=1):
        object.__setattr__(self, "down", down)
        object.__setattr__(self, "root", root or self)
        object.__setattr__(self, "parts", [])
        object.__setattr__(self, "size", 1.0)
        object.__setattr__(self, "factor", None)
        object.__setattr__(self, "columns", columns)

    def __setattr__(self, name, value):
        if name == "scale_y":
            object.__setattr__(self, "size", value)

    def _nested(self, down, factor=None, columns=1):
        nested = PlacedLayout(down, self.root, columns=columns)
        object.__setattr__(nested, "factor", factor)
        self.parts.append(nested)
        return nested

    def column(self, **_):
        return self._nested(True)

    def box(self):
        return self._nested(True)

    def row(self, **_):
        return self._nested(False)

    def split(self, factor=0.5, **_):
        return self._nested(False, factor)

    def grid_flow(self, columns=1, **_):
        return self._nested(False, columns=columns)

    def _control(self, what, lines=1.0, text="", icon="NONE"):
        self.parts.append((what, lines, text, icon))

    def label(self, text="", icon="NONE", translate=True, **_):
        self._control(None, 1.0, _shown(text, translate), icon)

    def separator(self, **_):
        self._control(None)

    def progress(self, text="", **_):
        self._control(None, 1.0, text)

    def prop(self, data, name, text=None, icon="NONE", expand=False, toggle=False, **_):
        known = data.bl_rna.properties[name]
        if expand:
            for item in known.enum_items:  # in a column one below the other
                self._control(("prop", name, item.identifier), 1.0, _shown(item.name, True))
            return
        shown = _shown(known.name if text is None else text, True)
        if known.type == "BOOLEAN":
            box = "CHECKBOX" if icon == "NONE" and not toggle else icon
            self._control(("prop", name), 1.0, shown, box)
        elif known.type in ("INT", "FLOAT"):
            value = f"{getattr(data, name):.{getattr(known, 'precision', 0)}f}{' m' * (known.unit == 'LENGTH')}"
            self._control(("prop", name), 1.0, f"{shown}  {value}".strip() if shown else value, icon)
        else:
            self._named_field(("prop", name), known, data, shown, icon)

    def _named_field(self, what, known, data, shown, icon):
        """A menu or a field; Blender puts its name, if it is shown, on a third of the width."""
        place = self._nested(False, 1.0 / 3.0) if shown else self
        if shown:
            place.label(text=shown, translate=False)
        value = ""
        if known.type == "ENUM" and not known.is_enum_flag:
            value = max((_shown(item.name, True) for item in known.enum_items), key=len, default="") + ARROW
        place._control(what, 1.0, value, icon)

    def prop_enum(self, data, name, value, text=None, icon="NONE", **_):
        items = data.bl_rna.properties[name].enum_items
        shown = _shown(items[value].name if text is None else text, True)
        self._control(("prop", name, value), 1.0, shown, icon)

    def prop_search(self, data, name, *_, text=None, **__):
        known = data.bl_rna.properties[name]
        self._named_field(("prop", name), known, data, _shown(known.name if text is None else text, True), "NONE")

    def popover(self, panel, text="", icon="NONE", translate=True, **_):
        self._control(("popover", panel), 1.0, _shown(text, translate) + ARROW * bool(text), icon)

    def menu(self, name, **_):
        self._control(("menu", name))

    def template_list(self, kind, _id, data, items, _active, _name, rows=5, maxrows=5, **_):
        self._control(("list", kind), float(max(min(len(getattr(data, items)), maxrows), rows)))

    def operator(self, name, text=None, icon="NONE", translate=True, **_):
        given = {}
        shown = _shown(operator_label(name), True) if text is None else _shown(text, translate)
        self._control(("operator", name, given), 1.0, shown, icon)
        return _Given(given)

    def operator_menu_enum(self, name, _property, text="", icon="NONE", **_):
        self._control(("operator", name), 1.0, _shown(text, True), icon)
        return _Given({})

    def places(self):
        """Each control's place by what it is; those of one name are numbered."""
        found = {}
        self._place(found, 0.0, 0.0, 1.0)
        return found

    def height(self):
        return self._place({}, 0.0, 0.0, 1.0)

    def shown(self):
        """The texts: icon, text and share of the width of each."""
        texts = []
        self._place({}, 0.0, 0.0, 1.0, texts)
        return [(icon, text, share) for text, icon, share in texts]

    def cut(self, width, text_width):
        """The texts that are wider than their place in a region of some width [px at scale 1], with both widths."""
        found = []
        for icon, text, share in self.shown():
            room = share * (width - EDGES) - PADDING - (ICON if icon != "NONE" else 0.0)
            if text_width(text) > room:
                found.append((text, round(text_width(text)), round(room)))
        return found

    def _place(self, found, x, y, width, texts=None):
        """Puts what is in it into `found`; gives its height."""
        below = 0.0
        for index, part in enumerate(self.parts):
            if self.down:
                left, top, wide = x, y + below, width
            else:
                count = max(self.columns, 1) if self.columns > 1 else len(self.parts)
                share = width / count
                left, top, wide = x + index % count * share, y + index // count, share
                if self.columns == 1:
                    left, wide = self._across(index, x, width)
            if isinstance(part, PlacedLayout):
                high = part._place(found, left, top, wide, texts)
            else:
                what, high, text, icon = part
                high *= self.size
                if texts is not None and text.strip():
                    texts.append((text, icon, wide))
                if what is not None:
                    key = tuple(tuple(sorted(item.items())) if isinstance(item, dict) else item for item in what)
                    number = sum(known[0] == key for known in found)
                    found[key, number] = round(left, 6), round(top, 6)
            below = below + high if self.down else max(below, high + (index // self.columns if self.columns > 1 else 0))
        return below

    def _across(self, index, x, width):
        """Left edge and width of a part of a row: buttons that are icons alone are small, others share what is left."""
        if self.factor is not None:
            share = self.factor if index == 0 else (1.0 - self.factor) / max(len(self.parts) - 1, 1)
            return x + (0.0 if index == 0 else self.factor * width + (index - 1) * share * width), share * width
        small = [not isinstance(part, PlacedLayout) and not part[2] and part[3] != "NONE" for part in self.parts]
        small = [one or getattr(part, "is_small", False) is True for one, part in zip(small, self.parts, strict=True)]
        tiny = min(SMALL, 1.0 / len(small)) * width
        rest = (width - sum(small) * tiny) / max(len(small) - sum(small), 1)
        return x + sum(tiny if one else rest for one in small[:index]), tiny if small[index] else rest

    @property
    def is_small(self):
        """Whether it holds icons alone, one below the other."""
        icons = (not isinstance(part, PlacedLayout) and not part[2] and part[3] != "NONE" for part in self.parts)
        return bool(self.parts) and self.down and all(icons)


EDGES, PADDING, ICON, SMALL = 32.0, 10.0, 20.0, 0.075
"""Of a sidebar beside its panels, of a text beside the edges of its button, of an icon [px]; a small button's share."""
ARROW = "    "
"""As wide as the arrow at the end of a menu."""


def operator_label(name):
    """What a button says that has no text of its own."""
    import bpy

    return getattr(getattr(bpy.ops, name.partition(".")[0]), name.partition(".")[2]).get_rna_type().name


def _shown(text, translate):
    """A text as Blender shows it: in the user's language."""
    from addon import translations

    return translations.iface_(text, translations.CONTEXT) if translate and text else text or ""


class _Given:
    """Takes the values of an operator's properties that tell one button from another."""

    def __init__(self, given):
        object.__setattr__(self, "_given", given)

    def __setattr__(self, name, value):
        if name in ("status", "step", "scope", "isolate", "listed"):
            self._given[name] = value
