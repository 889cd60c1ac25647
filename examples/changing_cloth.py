"""Two cloths and a body whose faces are others in every frame; which of them meet, and when, is known by construction.

    python examples/changing_cloth.py cloth.blend                 # builds the scene (bpy wheel)
    blender --background --python examples/changing_cloth.py -- cloth.blend
    python blender_scripts/detect.py cloth.blend --test deforming --frames 1-24 --report report.json
    python examples/changing_cloth.py --check report.json

Geometry nodes make everything anew in each frame, with more vertices than before. One cloth falls on the body and
through it, the other, a curtain, comes from the side. Both have waves that are lower than what they are away from the
body, or in it, in the frames before and after they meet.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import bpy  # must be the first import of Blender's modules

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Blender does not do this for a script that it runs
import example_command

FRAMES = range(1, 25)
FALLING, CURTAIN, BODY = "Falling cloth", "Curtain", "Body"
WAVES = 1.0 / 64.0  # m; half of the least distance in a frame before two of them meet
FIRST_MEETING = {
    frozenset((BODY, FALLING)): 9,  # at a height of 15/16; the body is a ball of radius 1 around the origin
    frozenset((CURTAIN, FALLING)): 13,  # at a height of 7/16; the curtain ends at 1/2
    frozenset((BODY, CURTAIN)): 17,  # at a distance of 31/32 from the axis
}
"""The first frame in which two of them meet; then they do to the end."""


def check(report: dict[str, Any]) -> list[str]:
    """Compares a report of all frames with what was built.

    Returns:
        One line per difference; empty when the report is right.
    """
    found = {(frozenset((pair["a"], pair["b"])), pair["frame"]): pair["verdict"] for pair in report["pairs"]}
    lines = []
    for pair, first in FIRST_MEETING.items():
        name = " and ".join(sorted(pair))
        for frame in FRAMES:
            verdict = found.pop((pair, frame), "apart")
            if (verdict != "apart") != (frame >= first):
                wanted = "meeting" if frame >= first else "apart"
                lines.append(f"{name}, frame {frame}: expected {wanted}, reported {verdict}")
    return lines + [f"{' and '.join(sorted(pair))}, frame {frame}: nobody built this" for pair, frame in found]


def build() -> None:
    """Replaces the open file by the cloths and the body."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    add(BODY, body())
    falling = add(FALLING, cloth(4.0, 20.0))
    drive(falling, 2, "2.0625 - frame / 8")
    curtain = add(CURTAIN, cloth(2.5, 25.0))
    curtain.rotation_euler.y = 1.5707963267948966
    curtain.location.z = -0.75
    drive(curtain, 0, "2.03125 - frame / 16")
    scene.frame_set(FRAMES[-1])


def add(name: str, group: bpy.types.NodeTree) -> bpy.types.Object:
    """An object that its nodes make."""
    item = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    item.modifiers.new("Shape", "NODES").node_group = group
    bpy.context.scene.collection.objects.link(item)
    return item


def drive(item: bpy.types.Object, axis: int, expression: str) -> None:
    """Moves an object along an axis by an expression of the frame."""
    item.driver_add("location", axis).driver.expression = expression


class _Nodes:
    """Geometry nodes that are made and linked in one go."""

    def __init__(self, name: str) -> None:
        self.group = bpy.data.node_groups.new(name, "GeometryNodeTree")
        self.group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")

    def add(self, kind: str, **inputs: Any) -> Any:
        """A node; inputs are values, or outputs of other nodes."""
        node = self.group.nodes.new(kind)
        for name, given in inputs.items():
            self.give(node.inputs[name.replace("_", " ")], given)
        return node

    def math(self, operation: str, *given: Any) -> Any:
        """The result of a sum or product of two numbers, or of a function of one."""
        node = self.group.nodes.new("ShaderNodeMath")
        node.operation = operation
        for socket, value in zip(node.inputs, given, strict=False):
            self.give(socket, value)
        return node.outputs[0]

    def give(self, socket: Any, given: Any) -> None:
        """A value, or a link."""
        if isinstance(given, bpy.types.NodeSocket):
            self.group.links.new(given, socket)
        else:
            socket.default_value = given

    def counted(self, first: float, step: float = 1.0) -> Any:
        """A number that grows from frame to frame."""
        frame = self.add("GeometryNodeInputSceneTime").outputs["Frame"]
        return self.math("ADD", self.math("MULTIPLY", frame, step), first)

    def end(self, geometry: Any) -> bpy.types.NodeTree:
        """The nodes, which give that geometry."""
        self.add("NodeGroupOutput", Geometry=geometry)
        return self.group


def body() -> bpy.types.NodeTree:
    """A ball with more segments and rings in every frame; the rings are even, so that a vertex is at every end."""
    nodes = _Nodes(BODY)
    ball = nodes.add(
        "GeometryNodeMeshUVSphere", Segments=nodes.counted(16.0, 4.0), Rings=nodes.counted(12.0, 2.0), Radius=1.0
    )
    return nodes.end(ball.outputs["Mesh"])


def cloth(length: float, vertices: float) -> bpy.types.NodeTree:
    """A sheet with waves, 4 m wide."""
    nodes = _Nodes("Cloth")
    sheet = nodes.add(
        "GeometryNodeMeshGrid", Size_X=length, Size_Y=4.0, Vertices_X=nodes.counted(vertices),
        Vertices_Y=nodes.counted(vertices, 2.0),
    )  # fmt: skip
    place = nodes.add("ShaderNodeSeparateXYZ", Vector=nodes.add("GeometryNodeInputPosition").outputs[0])
    slope = nodes.math(
        "ADD", nodes.math("MULTIPLY", place.outputs[0], 5.0), nodes.math("MULTIPLY", place.outputs[1], 3.0)
    )
    height = nodes.math("MULTIPLY", nodes.math("SINE", slope), WAVES)
    offset = nodes.add("ShaderNodeCombineXYZ", Z=height)
    moved = nodes.add("GeometryNodeSetPosition", Geometry=sheet.outputs["Mesh"], Offset=offset.outputs[0])
    return nodes.end(moved.outputs[0])


def main(arguments: list[str]) -> int:
    """Builds the file, or checks a report; returns the exit code."""
    right = f"All three pairs meet when they should, in all {len(FRAMES)} frames."
    return example_command.run(arguments, __doc__, build, check, right)


if __name__ == "__main__":
    sys.exit(main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]))
