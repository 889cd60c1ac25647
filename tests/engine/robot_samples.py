"""URDF texts of small robots, and random trees of joints of every type."""

import numpy as np
from hypothesis import strategies as st

LIMIT = '<limit lower="-3" upper="3" effort="1" velocity="1"/>'
CUBE = '<box size="1 1 1"/>'


def collision(shape=CUBE, origin="", tag="collision"):
    return f"<{tag}>{origin}<geometry>{shape}</geometry></{tag}>"


def link(name, *shapes):
    return f'<link name="{name}">{"".join(shapes)}</link>'


def joint(name, kind, parent, child, more=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'


def write(folder, *elements, name="robot"):
    path = folder / f"{name}.urdf"
    path.write_text(f'<?xml version="1.0"?><robot name="{name}">{"".join(elements)}</robot>', encoding="utf-8")
    return path


def two_links(kind, more="", shape=CUBE):
    """A robot of links a and b with one joint j."""
    return link("a", collision(shape)), link("b", collision(shape)), joint("j", kind, "a", "b", more)


def numbers(values):
    return " ".join(repr(float(value)) for value in values)


@st.composite
def robot_trees(draw, kinds=("fixed", "revolute", "continuous", "prismatic", "planar", "floating"), flat_normal=None):
    """(links, joints): names, and dicts with ``name kind parent child xyz rpy axis mimic limit``.

    Args:
        draw: of hypothesis.
        kinds: types of joints.
        flat_normal: axis of all planar joints; None for any.
    """
    length = st.floats(-2, 2).map(lambda x: round(x, 3))
    triple = st.tuples(length, length, length)
    count = draw(st.integers(1, 7))
    names = [f"l{k}" for k in range(count)]
    joints = []
    for k in range(1, count):
        kind = draw(st.sampled_from(kinds))
        axis = draw(triple.filter(any) | st.sampled_from([(1, 1, 0), (0, 0, 2), (-1, 0, 0), (0, -3, 0), (0, 0, 1)]))
        if kind == "planar" and flat_normal is not None:
            axis = flat_normal
        before = [j["name"] for j in joints if j["kind"] in ("revolute", "continuous", "prismatic")]
        mimic = None
        if before and kind in ("revolute", "prismatic") and draw(st.booleans()):
            mimic = draw(st.tuples(st.sampled_from(before), st.sampled_from([0.0, 1.0, -1.5, 2.0]), length))
        lower, upper = sorted(draw(st.tuples(length, length)))
        joints.append(
            {
                "name": f"j{k}",
                "kind": kind,
                "parent": draw(st.sampled_from(names[:k])),
                "child": names[k],
                "xyz": draw(triple),
                "rpy": draw(triple),
                "axis": axis,
                "mimic": mimic,
                "limit": (lower, upper),
            }
        )
    order = draw(st.permutations(range(len(joints))))
    return names, [joints[k] for k in order]


def urdf_of(names, joints, folder):
    """A file of a tree; every link has a box."""
    elements = [link(name, collision()) for name in names]
    for j in joints:
        more = f'<origin xyz="{numbers(j["xyz"])}" rpy="{numbers(j["rpy"])}"/><axis xyz="{numbers(j["axis"])}"/>'
        lower, upper = j["limit"]
        more += f'<limit lower="{lower}" upper="{upper}" effort="5" velocity="2"/>'
        if j["mimic"]:
            source, multiplier, offset = j["mimic"]
            more += f'<mimic joint="{source}" multiplier="{multiplier}" offset="{offset}"/>'
        elements.append(joint(j["name"], j["kind"], j["parent"], j["child"], more))
    return write(folder, *elements)


def turned(points, axis, angle):
    """Points (n, 3), turned by a quaternion: a formula that the engine does not use."""
    axis = np.array(axis, float) / np.sqrt(sum(float(x) ** 2 for x in axis))
    w, q = np.cos(angle / 2), np.sin(angle / 2) * axis
    return points + 2 * np.cross(q, np.cross(q, points) + w * points)
