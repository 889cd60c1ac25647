"""Configurations of two bodies and the verdict that each must get, known by construction.

The convention
    A closed mesh is a solid: the points about which its surface winds a number of times that is not zero, with its
    boundary. Winding -1 (a mirrored mesh) is as solid as 1; the cavity of a shell, whose inner surface is turned inside
    out, has winding 0 and is empty space.

    Two solids        APART      no common point
                      TOUCHING   common points, but no common volume
                      DUPLICATE  the same set of points, however triangulated
                      CONTAINED  one is a subset of the other; their surfaces may share faces
                      CLASH      any other common volume
    Open and closed   APART, TOUCHING as above; CONTAINED when the open surface lies wholly inside the solid, and not
                      only on its boundary; CLASH when part of it is inside and part outside
    Two open ones     CLASH when the surfaces cross, TOUCHING when they only meet

    The depth of a clash is the diameter of the largest ball inside the common volume. A clash no deeper than the
    permitted overlap is TOUCHING, and so is a gap no wider than the touch tolerance. Where one mesh is open there is no
    common volume, hence no depth, and no permitted overlap makes less of the clash. The touch tolerance concerns only
    what is apart: a near copy of a body is a clash or contained, not a duplicate.
"""

import itertools
from dataclasses import dataclass

import numpy as np
from solids import (
    Mesh,
    axes_swapped,
    bounds,
    box,
    cell_body,
    gear,
    joined,
    l_shape,
    mirrored,
    moved,
    open_box,
    prism,
    refined,
    reversed_winding,
    roof,
    sheet,
    shell,
    tetrahedron,
    torus,
    tube,
)

APART, TOUCHING, CLASH, CONTAINED, DUPLICATE = "APART", "TOUCHING", "CLASH", "CONTAINED", "DUPLICATE"


@dataclass(frozen=True)
class Case:
    """Two meshes and their verdict.

    `depth` is given where the construction tells it. `robust` says that the verdict does not hang on faces meeting
    exactly, so that it must survive any rotation.
    """

    name: str
    a: Mesh
    b: Mesh
    verdict: str
    depth: float | None = None
    permitted_overlap: float = 0.0
    touch_tolerance: float = 0.0
    robust: bool = False


def boxes_on_a_grid():
    """Equal boxes shifted by 0, half, one and one and a half sides along each axis: faces flush wherever possible."""
    unit = box((0, 0, 0), (1, 1, 1))
    for shift in itertools.combinations_with_replacement((0, 0.5, 1, 1.5), 3):
        overlap = 1 - max(shift)
        verdict = DUPLICATE if overlap == 1 else CLASH if overlap > 0 else TOUCHING if overlap == 0 else APART
        depth = overlap if verdict == CLASH else None
        robust = verdict in (CLASH, APART)
        yield Case(f"boxes-shifted-{shift}", unit, moved(unit, shift), verdict, depth, robust=robust)


def near_copies():
    """Boxes that nearly coincide: a touch tolerance wider than the difference does not make them one."""
    unit = box((0, 0, 0), (1, 1, 1))
    shifted, smaller = moved(unit, (0.125, 0, 0)), box((0.125,) * 3, (0.875,) * 3)
    yield Case("near-copy-shifted", unit, shifted, CLASH, 0.875, touch_tolerance=0.25, robust=True)
    yield Case("near-copy-smaller", unit, smaller, CONTAINED, touch_tolerance=0.25, robust=True)


def subdivided_boxes():
    """Boxes whose edge loops lie exactly in the other's face planes: all primitive pairs only touch, yet they clash."""
    for times, step in ((1, 0.5), (2, 0.25), (2, 0.75)):
        fine = refined(box((0, 0, 0), (1, 1, 1)), times)
        for shift in ((step, 0, 0), (step, step, 0), (step, step, step)):
            yield Case(f"subdivided-{times}-{shift}", fine, moved(fine, shift), CLASH, 1 - step, robust=True)


def nested_boxes():
    """A box in a box, sharing none to five of its faces with it; and boxes that stick out."""
    outer = box((0, 0, 0), (4, 4, 4))
    inner = {
        "free": ((1, 1, 1), (2, 2, 2)),
        "on-a-face": ((0, 1, 1), (1, 2, 2)),
        "on-an-edge": ((0, 0, 1), (1, 1, 2)),
        "in-a-corner": ((0, 0, 0), (1, 1, 1)),
        "from-face-to-face": ((0, 1, 1), (4, 2, 2)),
        "layer": ((0, 0, 1), (4, 4, 2)),
        "half": ((0, 0, 0), (4, 4, 2)),
    }
    for name, corners in inner.items():
        for times in (0, 2):
            body = refined(box(*corners), times)
            yield Case(f"nested-{name}-refined-{times}", outer, body, CONTAINED, robust=name == "free")
    out = {"through": ((-1, 1, 1), (5, 2, 2)), "out": ((-1, 1, 1), (2, 2, 2)), "out-flush": ((-1, 0, 0), (2, 1, 1))}
    for name, corners in out.items():
        yield Case(f"sticking-{name}", outer, box(*corners), CLASH, 1.0, robust=True)


# Bodies of many shapes: a mesh, a box strictly inside its material, the depth of its overlap with itself lifted by half
BODIES = {
    "gear": (gear(2, 8, 0, 1), ((-0.25, -0.25, 0.25), (0.25, 0.25, 0.75)), 0.5),
    "torus": (torus(2, 0.5), ((1.875, -0.125, -0.125), (2.125, 0.125, 0.125)), None),
    "tube": (tube(2, 1, 16, 0, 1), ((1.375, -0.125, 0.25), (1.625, 0.125, 0.75)), 0.5),
    "l-shape": (l_shape(3, 1, 0, 1), ((0.25, 0.25, 0.25), (0.75, 0.75, 0.75)), 0.5),
    "prism": (prism(2, 6, 0, 1), ((-0.5, -0.5, 0.25), (0.5, 0.5, 0.75)), 0.5),
    "cylinder": (prism(1.5, 24, 0, 1), ((-0.5, -0.5, 0.25), (0.5, 0.5, 0.75)), 0.5),
    "shell": (shell((0, 0, 0), (4, 4, 4), 1), ((0.25, 0.25, 0.25), (0.75, 0.75, 3)), None),
    "two boxes": (joined(box((0, 0, 0), (1, 1, 1)), box((2, 0, 0), (3, 1, 1))), ((0.25,) * 3, (0.75,) * 3), 0.5),
}


def each_body():
    """The same relations for bodies of every shape."""
    for name, (mesh, core, lifted_depth) in BODIES.items():
        relations = (_copies(mesh, lifted_depth), _boxes_around(mesh), _boxes_in_core(mesh, core), _sheets(mesh, core))
        for relation, a, b, verdict, *rest in itertools.chain(*relations):
            options = rest[0] if rest else {}
            yield Case(f"{name}-{relation}", a, b, verdict, **options)


def _copies(mesh, lifted_depth):
    low, high = bounds(mesh)
    size = high - low
    yield "identical", mesh, mesh, DUPLICATE, {"robust": True}
    yield "finer-triangulation", mesh, refined(mesh), DUPLICATE
    yield "inside-out", mesh, reversed_winding(mesh), DUPLICATE, {"robust": True}
    yield "beside", mesh, moved(mesh, (size[0] + 0.25, 0, 0)), APART, {"robust": True}
    yield "above-itself", mesh, moved(mesh, (0, 0, size[2] + 0.25)), APART, {"robust": True}
    if lifted_depth is None:
        return
    yield "mirrored-copy", mesh, mirrored(mesh, 2), DUPLICATE
    lifted = moved(mesh, (0, 0, size[2] / 2))
    yield "on-top-of-itself", mesh, moved(mesh, (0, 0, size[2])), TOUCHING
    yield "lifted-by-half", mesh, lifted, CLASH, {"depth": lifted_depth, "robust": True}
    yield "lifted-mirrored", mirrored(mesh, 2), lifted, CLASH, {"depth": lifted_depth, "robust": True}
    permitted = lifted_depth * 1.25
    yield "lifted-within-permitted", mesh, lifted, TOUCHING, {"permitted_overlap": permitted, "robust": True}
    permitted = lifted_depth * 0.75
    yield "lifted-beyond-permitted", mesh, lifted, CLASH, {"permitted_overlap": permitted, "robust": True}


def _boxes_around(mesh):
    low, high = bounds(mesh)
    plate_low, plate_high = (*(low[:2] - 1), high[2]), (*(high[:2] + 1), high[2] + 1)
    plate = box(plate_low, plate_high)
    yield "in-larger-box", mesh, box(low - 1, high + 1), CONTAINED, {"robust": True}
    yield "in-its-bounding-box", mesh, box(low, high), CONTAINED
    yield "upper-half-in-box", mesh, box((*(low[:2] - 1), (low[2] + high[2]) / 2), plate_high), CLASH, {"robust": True}
    yield "under-a-plate", mesh, plate, TOUCHING
    yield "under-a-fine-plate", mesh, refined(plate, 2), TOUCHING
    lifted = moved(plate, (0, 0, 0.125))
    yield "gap-within-tolerance", mesh, lifted, TOUCHING, {"touch_tolerance": 0.1875, "robust": True}
    yield "gap-beyond-tolerance", mesh, lifted, APART, {"touch_tolerance": 0.0625, "robust": True}
    yield "gap-exact", mesh, lifted, APART, {"robust": True}


def _boxes_in_core(mesh, core):
    top = bounds(mesh)[1][2]
    (x0, y0, z0), (x1, y1, _) = core
    inside, outside = box(*core), moved(box(*core), (0, 0, top + 1))
    yield "box-inside", mesh, inside, CONTAINED, {"robust": True}
    yield "inside-out-around-box", reversed_winding(mesh), inside, CONTAINED, {"robust": True}
    yield "pin-sticking-out", mesh, box((x0, y0, z0), (x1, y1, top + 1)), CLASH, {"robust": True}
    yield "one-box-inside-one-outside", mesh, joined(inside, outside), CLASH, {"robust": True}


def _sheets(mesh, core):
    low, high = bounds(mesh)
    (x0, y0, z0), (x1, y1, z1) = core
    middle = (z0 + z1) / 2
    yield "sheet-through", mesh, sheet(low[:2] - 1, high[:2] + 1, middle), CLASH, {"robust": True}
    yield "fine-sheet-through", mesh, sheet(low[:2] - 1, high[:2] + 1, middle, 5), CLASH, {"robust": True}
    yield "sheet-on-top", mesh, sheet(low[:2] - 1, high[:2] + 1, high[2]), TOUCHING
    yield "sheet-inside", mesh, sheet((x0, y0), (x1, y1), middle), CONTAINED, {"robust": True}
    yield "sheet-above", mesh, sheet(low[:2], high[:2], high[2] + 0.25), APART, {"robust": True}


def flat_topped_bodies():
    """A pin standing on the top face of a body, and one let into it flush with the top face."""
    for name in ("gear", "tube", "l-shape", "prism", "cylinder", "two boxes"):
        mesh, ((x0, y0, z0), (x1, y1, _)), _ = BODIES[name]
        top = bounds(mesh)[1][2]
        yield Case(f"{name}-pin-on-top", mesh, box((x0, y0, top), (x1, y1, top + 1)), TOUCHING)
        yield Case(f"{name}-pin-let-in", mesh, box((x0, y0, z0), (x1, y1, top)), CONTAINED)


def cavities():
    """Bodies in the cavity of a hollow box (cavity 1..3 of 0..4)."""
    hollow = shell((0, 0, 0), (4, 4, 4), 1)
    boxes = {
        "free": ((1.5,) * 3, (2.5,) * 3, APART, None),
        "on-the-wall": ((1, 1.5, 1.5), (2, 2.5, 2.5), TOUCHING, None),
        "in-the-corner": ((1,) * 3, (2,) * 3, TOUCHING, None),
        "filling": ((1,) * 3, (3,) * 3, TOUCHING, None),
        "in-the-wall": ((0.25,) * 3, (0.75,) * 3, CONTAINED, None),
        "filling-a-wall": ((0, 0, 0), (1, 4, 4), CONTAINED, None),
        "into-the-wall": ((0.5, 1.5, 1.5), (2, 2.5, 2.5), CLASH, 0.5),
        "into-all-walls": ((0.5,) * 3, (3.5,) * 3, CLASH, None),  # a layer of 0.5, thicker in its corners
        "of-its-outer-size": ((0,) * 3, (4,) * 3, CONTAINED, None),
        "around-it": ((-1,) * 3, (5,) * 3, CONTAINED, None),
        "through-it": ((-1, 1.5, 1.5), (5, 2.5, 2.5), CLASH, 1.0),
    }
    for name, (low, high, verdict, depth) in boxes.items():
        robust = name in ("free", "in-the-wall", "into-the-wall", "into-all-walls", "around-it", "through-it")
        yield Case(f"cavity-box-{name}", hollow, box(low, high), verdict, depth, robust=robust)
    low, high, _, depth = boxes["through-it"]
    yield Case("cavity-box-too-thick", hollow, box(low, high), CLASH, permitted_overlap=0.75 * depth, robust=True)
    yield Case("cavity-box-permitted", hollow, box(low, high), TOUCHING, permitted_overlap=1.25 * depth, robust=True)
    near = box((1.125, 1.5, 1.5), (2, 2.5, 2.5))
    yield Case("cavity-gap-within-tolerance", hollow, near, TOUCHING, touch_tolerance=0.25, robust=True)
    yield Case("cavity-gap-beyond-tolerance", hollow, near, APART, touch_tolerance=0.0625, robust=True)
    yield Case("cavity-shell-fitting", hollow, shell((1,) * 3, (3,) * 3, 0.5), TOUCHING)
    yield Case("cavity-shell-free", hollow, shell((1.25,) * 3, (2.75,) * 3, 0.25), APART, robust=True)
    yield Case("cavity-sheet-free", hollow, sheet((1.5, 1.5), (2.5, 2.5), 2), APART, robust=True)
    yield Case("cavity-sheet-to-the-walls", hollow, sheet((1, 1), (3, 3), 2), TOUCHING)
    yield Case("cavity-sheet-into-the-walls", hollow, sheet((0.5, 0.5), (3.5, 3.5), 2), CLASH, robust=True)
    yield Case("cavity-gear-free", hollow, moved(gear(0.75, 6, 0, 0.5), (2, 2, 1.5)), APART, robust=True)
    yield Case("cavity-gear-on-floor", hollow, moved(gear(0.75, 6, 0, 0.5), (2, 2, 1)), TOUCHING)


def holes_and_links():
    """Bodies that pass through each other's holes."""
    ring, link = torus(2, 0.5), moved(axes_swapped(torus(2, 0.5), (0, 2, 1)), (2, 0, 0))
    yield Case("tori-linked", ring, link, APART, robust=True)
    yield Case("tori-clashing", ring, moved(link, (-1.5, 0, 0)), CLASH, robust=True)
    yield Case("shaft-through-torus", ring, prism(1, 12, -2, 2), APART, robust=True)
    yield Case("thick-shaft-through-torus", ring, prism(2, 12, -2, 2), CLASH, robust=True)
    yield Case("shaft-fills-hole-exactly", tube(2, 1, 16, 0, 1), prism(1, 16, -1, 2), TOUCHING)
    yield Case("plug-fills-hole-exactly", tube(2, 1, 16, 0, 1), prism(1, 16, 0, 1), TOUCHING)
    yield Case("fine-plug-fills-hole", tube(2, 1, 16, 0, 1), refined(prism(1, 16, 0, 1)), TOUCHING)
    bracket, bar = l_shape(3, 1, 0, 1), box((1, 1, 0), (2, 2, 1))
    yield Case("bar-in-inner-corner", bracket, bar, TOUCHING)
    yield Case("bar-lifted-in-inner-corner", bracket, moved(bar, (0, 0, 0.5)), TOUCHING)
    yield Case("bar-free-in-inner-corner", bracket, moved(bar, (0.125, 0.125, 0)), APART, robust=True)
    yield Case("bar-into-inner-corner", bracket, moved(bar, (-0.25, 0, 0)), CLASH, 0.25, robust=True)


def press_fits():
    """A round shaft pressed into a hole with radial interference, with and without permitted overlap; and with play."""
    hub = tube(2, 1, 32, 0, 1, grid=None)
    for d in (0.0625, 0.03125, 0.015625, 0.0078125):
        shaft = prism(1 + d, 32, -1, 2, grid=None)
        yield Case(f"press-fit-{d}", hub, shaft, CLASH, d, robust=True)
        yield Case(f"press-fit-{d}-permitted", hub, shaft, TOUCHING, permitted_overlap=1.25 * d, robust=True)
        yield Case(f"press-fit-{d}-too-tight", hub, shaft, CLASH, permitted_overlap=0.75 * d, robust=True)
        loose = prism(1 - d, 32, -1, 2, grid=None)
        yield Case(f"play-{d}", hub, loose, APART, robust=True)
        yield Case(f"play-{d}-within-tolerance", hub, loose, TOUCHING, touch_tolerance=1.25 * d, robust=True)
        yield Case(f"play-{d}-beyond-tolerance", hub, loose, APART, touch_tolerance=0.75 * d, robust=True)
    frame = tube(4 * 2**0.5, 2 * 2**0.5, 4, 0, 1, grid=None)
    key = prism(2.125 * 2**0.5, 4, -1, 2, grid=None)
    yield Case("square-key-too-wide", frame, key, CLASH, robust=True)  # a layer of 0.125, thicker in its corners


def small_contacts():
    """Touching in a vertex, along an edge, edge across edge; lowered into the body and lifted off it by 1/8."""
    block = box((0, 0, 0), (4, 4, 1))
    ridge = roof((0, 0, 0), (4, 4, 0), 1)
    across = moved(axes_swapped(roof((0, 0, 0), (4, 4, 0), -1), (1, 0, 2)), (0, 0, 2))
    bodies = {
        "tip-on-face": (block, tetrahedron((2.25, 2.5, 1), 3, 1)),
        "tip-on-face-diagonal": (block, tetrahedron((2, 2, 1), 3, 1)),
        "tip-on-edge": (block, tetrahedron((4, 2.5, 1), 3, 1)),
        "tip-on-corner": (block, tetrahedron((4, 4, 1), 3, 1)),
        "edge-on-face": (block, roof((1, 1, 3), (3, 3, 3), 1)),
        "edge-on-edge": (block, roof((1, 3, 3), (3, 5, 3), 1)),
        "edge-across-edge": (ridge, across),
        "tip-on-ridge": (ridge, tetrahedron((1.5, 2, 1), 3, 1)),
        "face-on-part-of-face": (block, box((3, 3, 1), (5, 5, 2))),
    }
    for name, (below, above) in bodies.items():
        yield Case(f"{name}", below, above, TOUCHING)
        yield Case(f"{name}-lowered", below, moved(above, (0, 0, -0.125)), CLASH, robust=True)
        lifted = moved(above, (0, 0, 0.125))
        yield Case(f"{name}-lifted", below, lifted, APART, robust=True)
        yield Case(f"{name}-lifted-within-tolerance", below, lifted, TOUCHING, touch_tolerance=0.25, robust=True)


def open_surfaces():
    """Sheets and open boxes against boxes and against each other."""
    block, tray = box((0, 0, 0), (4, 4, 4)), open_box((0, 0, 0), (4, 4, 4))
    yield Case("sheet-spanning-a-box", block, sheet((0, 0), (4, 4), 2), CONTAINED)
    yield Case("sheet-half-in-box", block, sheet((2, 1), (6, 3), 2), CLASH, robust=True)
    fine, huge = refined(box((0, 0, 0), (1, 1, 1))), 4096  # the sheet passes through the loop of edges at half height
    yield Case("huge-sheet-along-edge-loop", fine, sheet((-huge, -huge), (huge, huge), 0.5), CLASH, robust=True)
    yield Case("fine-sheet-edges-in-faces", block, sheet((-4, -4), (8, 8), 2, 3), CLASH, robust=True)
    yield Case("sheet-in-a-face", block, sheet((1, 1), (3, 3), 4), TOUCHING)
    yield Case("fine-sheet-in-a-face", block, sheet((-2, -2), (6, 6), 4, 8), TOUCHING)
    yield Case("sheet-on-an-edge", block, sheet((4, 0), (6, 4), 4), TOUCHING)
    yield Case("sheet-beside-a-face", block, sheet((4, 0), (6, 4), 2), TOUCHING)
    yield Case("tray-of-the-same-size", block, tray, TOUCHING)
    yield Case("tray-in-larger-box", box((-1,) * 3, (5,) * 3), tray, CONTAINED, robust=True)
    yield Case("tray-in-box-with-same-floor", box((-1, -1, 0), (5, 5, 5)), tray, CONTAINED)
    yield Case("tray-with-box-free", tray, box((1, 1, 1), (3, 3, 3)), APART, robust=True)
    yield Case("tray-with-box-on-floor", tray, box((1, 1, 0), (3, 3, 2)), TOUCHING)
    yield Case("tray-with-tall-box", tray, box((1, 1, 1), (3, 3, 6)), APART, robust=True)
    yield Case("tray-with-box-through-floor", tray, box((1, 1, -1), (3, 3, 1)), CLASH, robust=True)
    yield Case("tray-with-box-through-floor-permitted", tray, box((1, 1, -1), (3, 3, 1)), CLASH, permitted_overlap=9.0)
    upright = axes_swapped(sheet((0, 0), (4, 4), 0), (0, 2, 1))
    flat = sheet((-1, -1), (5, 1), 2)
    yield Case("sheets-crossing", upright, flat, CLASH, robust=True)
    yield Case("sheets-in-t", upright, sheet((-1, 0), (5, 1), 2), TOUCHING)
    yield Case("sheets-with-common-edge", upright, sheet((0, 0), (4, 1), 0), TOUCHING)
    yield Case("sheets-parallel", flat, moved(flat, (0, 0, 0.25)), APART, robust=True)
    yield Case("sheets-parallel-near", flat, moved(flat, (0, 0, 0.25)), TOUCHING, touch_tolerance=0.5, robust=True)
    whole, holed = sheet((0, 0), (8, 8), 0), sheet((0, 0), (8, 8), 0, 8)
    holed = holed[0], np.delete(holed[1], slice(20, 22), axis=0)
    yield Case("sheet-over-a-hole", whole, holed, TOUCHING)
    yield Case("sheets-identical", whole, whole, DUPLICATE, robust=True)
    yield Case("sheets-identical-finer", whole, refined(whole, 2), DUPLICATE)
    yield Case("sheets-overlapping-in-plane", flat, moved(flat, (1, 0.5, 0)), TOUCHING)
    yield Case("trays-crossing", tray, moved(tray, (2, 2, 2)), CLASH, robust=True)
    yield Case("trays-stacked", tray, moved(tray, (0, 0, 4)), TOUCHING)


def several_components():
    """Meshes of several bodies, apart or overlapping each other."""
    pair = joined(box((0, 0, 0), (4, 4, 4)), box((6, 0, 0), (10, 4, 4)))
    yield Case("box-between-two", pair, box((4.5, 1, 1), (5.5, 2, 2)), APART, robust=True)
    yield Case("box-bridging-two", pair, box((3, 1, 1), (7, 2, 2)), CLASH, 1.0, robust=True)
    yield Case("box-fitting-between-two", pair, box((4, 1, 1), (6, 2, 2)), TOUCHING)
    both = joined(box((1, 1, 1), (2, 2, 2)), box((7, 1, 1), (8, 2, 2)))
    yield Case("two-boxes-in-two", pair, both, CONTAINED, robust=True)
    fused = joined(box((0, 0, 0), (4, 2, 2)), box((2, 0, 0), (6, 2, 2)))
    yield Case("box-in-overlap-of-two", fused, box((2.5, 0.5, 0.5), (3.5, 1.5, 1.5)), CONTAINED, robust=True)
    yield Case("box-across-inner-face", fused, box((1.5, 0.5, 0.5), (2.5, 1.5, 1.5)), CONTAINED, robust=True)
    yield Case("box-beside-overlap-of-two", fused, box((2.5, 2, 0), (3.5, 3, 1)), TOUCHING)
    onion = joined(shell((0,) * 3, (8,) * 3, 1), shell((2,) * 3, (6,) * 3, 1))
    yield Case("onion-box-in-outer-gap", onion, box((1.25, 3, 3), (1.75, 4, 4)), APART, robust=True)
    yield Case("onion-box-in-inner-wall", onion, box((2.25, 3, 3), (2.75, 4, 4)), CONTAINED, robust=True)
    yield Case("onion-box-at-the-core", onion, box((3.5,) * 3, (4.5,) * 3), APART, robust=True)
    yield Case("onion-fitting-layer", onion, shell((1,) * 3, (7,) * 3, 1), TOUCHING)
    yield Case("onion-in-a-block", onion, box((-1,) * 3, (9,) * 3), CONTAINED, robust=True)
    yield Case("same-body-of-two-boxes", fused, box((0, 0, 0), (6, 2, 2)), DUPLICATE)


def all_cases() -> list[Case]:
    """Every configuration; names are unique."""
    families = (boxes_on_a_grid, near_copies, subdivided_boxes, nested_boxes, each_body, flat_topped_bodies, cavities)
    families += (holes_and_links, press_fits, small_contacts, open_surfaces, several_components)
    return [case for family in families for case in family()]


def flush_body(rng, heights):
    """Towers on four squares, of cubes, finer, or each of one box, and triangles folded onto themselves."""
    body = cell_body([(k // 2, k % 2, z) for k in range(4) for z in range(*heights[k])])
    how = rng.random()
    if how < 0.3:
        body = refined(body)
    elif how < 0.6:
        corners = [((k // 2, k % 2, heights[k][0]), (k // 2 + 1, k % 2 + 1, heights[k][1])) for k in range(4)]
        body = joined(*(box(low, high) for low, high in corners if low[2] < high[2]))
    for _ in range(rng.integers(0, 3)):
        corners = rng.integers(0, 3, (3, 3)).astype(float)
        if np.linalg.matrix_rank(corners[1:] - corners[0]) == 2:
            body = joined(body, (corners, np.array([[0, 1, 2], [0, 2, 1]])))
    return body


def flush_bodies(seed):
    """One body, and another one that is part of it, the rest of a cube, or any."""
    rng = np.random.default_rng(seed)
    tops, others = rng.integers(0, 3, 4), rng.integers(0, 3, 4)
    tops[rng.integers(4)], others[rng.integers(4)] = 1, 2
    of_other = {
        0: [(0, min(pair)) for pair in zip(tops, others, strict=True)],
        1: [(top, 2) for top in tops],
        2: [(0, top) for top in others],
    }[min(seed % 4, 2)]
    if all(bottom == top for bottom, top in of_other):
        of_other[0] = (0, 1)
    return flush_body(rng, [(0, top) for top in tops]), flush_body(rng, of_other)
