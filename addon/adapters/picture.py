"""Render a picture of the faces in contact from a temporary scene; the user's data are neither used nor changed.

Cycles on the CPU needs neither a window nor a graphics driver, so pictures can be rendered on any computer.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from meshclash.clash.colours import COLOUR_A, COLOUR_B, linear
from meshclash.clash.errors import DetectError
from meshclash.clash.frame_scene import SceneSource
from meshclash.clash.report import DetectReport
from meshclash.clash.terminal import say
from meshclash.types.steps import run_to_end

from ..core.picture_layout import LABEL_HEIGHT, SIGN, Label, PictureLayout, Surface, View, lay_out

SIZE = (1280, 800)
SAMPLES = 12
TRANSPARENT_LAYERS = 64
STANDARD_OUTPUT = 1  # its file descriptor
PAINT_A, PAINT_B, COLOUR_CURVE = linear(COLOUR_A), linear(COLOUR_B), (0.45, 0.0, 0.40)
INK, EDGE, GLASS = (0.03, 0.03, 0.04), (0.20, 0.22, 0.25), (0.25, 0.28, 0.33)
PAPER = (0.93, 0.94, 0.95)


def render_picture(report: DetectReport, source: SceneSource, path: Path) -> None:
    """Render the frame of the worst row to a PNG file.

    Args:
        report: made with highlights.
        source: the source that the report was made from.
        path: a path that ends in .png.

    Raises:
        DetectError: Cycles is missing, or nothing could be rendered.
    """
    frame = report.rows[0].frame if report.rows and report.options.frames is not None else None
    try:
        scene = run_to_end(source.read_steps(report.options.set_a, report.options.set_b, frame))
    finally:
        source.restore()
    rows = [row for row in report.rows if row.frame == scene.frame]
    layout = lay_out(rows, scene, SIZE[0] / SIZE[1], report.scale_length)
    with _Studio() as studio:
        studio.furnish(layout)
        studio.render(path)
    if not path.stat().st_size:
        raise DetectError(f"Cycles did not write the picture '{path}'")


class _Studio:
    """A temporary scene, whose data is removed at the end."""

    def __init__(self) -> None:
        self._data: list[Any] = []
        self._scene = bpy.data.scenes.new("MeshClash picture")

    def __enter__(self) -> _Studio:
        return self

    def __exit__(self, *_error: object) -> None:
        bpy.data.scenes.remove(self._scene)
        bpy.data.batch_remove(self._data)

    def furnish(self, layout: PictureLayout) -> None:
        """Add the content of the picture to the scene."""
        self._add_surface("Others", layout.others, self._ghost(0.02, 0.20))
        self._add_surface("Involved", layout.involved, self._ghost(0.08, 0.40))
        self._add_surface("Scans", layout.scans, self._ink(EDGE))
        self._add_surface("Edges", layout.edges, self._ink(EDGE, opacity=0.45))
        self._add_surface("A", layout.highlight_a, self._paint(PAINT_A))
        self._add_surface("B", layout.highlight_b, self._paint(PAINT_B))
        self._add_surface("Curves", layout.curves, self._ink(COLOUR_CURVE))
        self._add_labels(layout)
        self._add_camera(layout.view)
        self._add_world()

    def render(self, path: Path) -> None:
        """Render and write the picture."""
        scene = self._scene
        try:
            scene.render.engine = "CYCLES"
        except TypeError as error:
            raise DetectError("the picture needs Cycles, which is disabled in this Blender") from error
        scene.cycles.device = "CPU"
        scene.cycles.samples = SAMPLES
        scene.cycles.use_denoising = False  # no noise: everything emits or is transparent
        scene.cycles.max_bounces = 2
        scene.cycles.transparent_max_bounces = TRANSPARENT_LAYERS
        render = scene.render
        render.resolution_x, render.resolution_y, render.resolution_percentage = *SIZE, 100
        render.image_settings.file_format = "PNG"
        render.use_file_extension = False
        render.filepath = str(path.resolve())
        scene.view_settings.view_transform = "Standard"
        with _silent():
            bpy.ops.render.render(write_still=True, scene=scene.name)

    def _add(self, name: str, data: Any) -> Any:
        item = bpy.data.objects.new(name, data)
        self._data += [item, data]
        self._scene.collection.objects.link(item)
        return item

    def _add_surface(self, name: str, surface: Surface, material: bpy.types.Material) -> None:
        mesh = bpy.data.meshes.new(name)
        count = len(surface.triangles)
        mesh.vertices.add(len(surface.vertices))
        mesh.vertices.foreach_set("co", surface.vertices.ravel())
        mesh.loops.add(3 * count)
        mesh.loops.foreach_set("vertex_index", surface.triangles.ravel())
        mesh.polygons.add(count)
        mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * count, 3, dtype=np.int32))
        mesh.update(calc_edges=True)
        mesh.materials.append(material)
        self._add(name, mesh)

    def _add_labels(self, layout: PictureLayout) -> None:
        """Add texts on a plane in front of everything, and lines that begin where the texts end."""
        view = layout.view
        inks = [self._ink(INK), self._ink(PAINT_A), self._ink(PAINT_B)]
        texts = [self._add_text(label, view, inks) for label in layout.labels]
        self._scene.view_layers[0].update()
        for label, text in zip(layout.labels, texts, strict=True):
            self._add_line(label, text.dimensions.x, view, inks[0])

    def _add_text(self, label: Label, view: View, inks: list[bpy.types.Material]) -> bpy.types.Object:
        """Add the two names in the colours of their faces."""
        text = bpy.data.curves.new("Label", "FONT")
        text.body, text.size = f"{label.a}{SIGN}{label.b}{label.note}", LABEL_HEIGHT * view.height
        text.align_x, text.align_y = ("LEFT" if label.at_left else "RIGHT"), "CENTER"
        for ink in inks:
            text.materials.append(ink)
        colours = [1] * len(label.a) + [0] * len(SIGN) + [2] * len(label.b) + [0] * len(label.note)
        for character, colour in zip(text.body_format, colours, strict=False):
            character.material_index = colour
        item = self._add("Label", text)
        item.matrix_world = _camera_matrix(view, (*label.anchor, view.reach * 1.1))
        return item

    def _add_line(self, label: Label, width: float, view: View, ink: bpy.types.Material) -> None:
        height = LABEL_HEIGHT * view.height
        line = bpy.data.curves.new("Line", "CURVE")
        line.dimensions, line.bevel_depth = "3D", height * 0.04
        line.materials.append(ink)
        spline = line.splines.new("POLY")
        spline.points.add(2)
        inward = 1 if label.at_left else -1
        x, y = label.anchor
        places = ((x + inward * (width + 0.4 * height), y), (x + inward * (width + 1.2 * height), y), label.target)
        for point, place in zip(spline.points, places, strict=True):
            point.co = (*place, 0.0, 1.0)
        self._add("Line", line).matrix_world = _camera_matrix(view, (0.0, 0.0, view.reach * 1.1))

    def _add_camera(self, view: View) -> None:
        camera = bpy.data.cameras.new("Camera")
        camera.type, camera.ortho_scale = "ORTHO", view.width
        camera.clip_start, camera.clip_end = view.reach * 0.01, view.reach * 20
        item = self._add("Camera", camera)
        item.matrix_world = _camera_matrix(view, (0.0, 0.0, view.reach * 4))
        self._scene.camera = item

    def _add_world(self) -> None:
        world = bpy.data.worlds.new("Paper")
        self._data.append(world)
        if world.node_tree is None:  # exists from Blender 5.0 on
            world.use_nodes = True
        background = world.node_tree.nodes["Background"]
        background.inputs["Color"].default_value = (*PAPER, 1.0)
        self._scene.world = world

    def _material(self, name: str) -> tuple[bpy.types.Material, Any, Any, Any]:
        material = bpy.data.materials.new(name)
        self._data.append(material)
        if material.node_tree is None:
            material.use_nodes = True
        tree = material.node_tree
        tree.nodes.clear()
        return material, tree, tree.nodes, tree.nodes.new("ShaderNodeOutputMaterial")

    def _ink(self, colour: tuple[float, float, float], opacity: float = 1.0) -> bpy.types.Material:
        """Return a material with the same colour from all sides."""
        material, tree, nodes, output = self._material("Ink")
        self._layered(tree, nodes, output, colour).default_value = opacity
        return material

    def _paint(self, colour: tuple[float, float, float]) -> bpy.types.Material:
        """Return a material that is darker where the surface faces away from the camera."""
        material, tree, nodes, output = self._material("Paint")
        emission, facing, shade = (nodes.new(f"ShaderNode{kind}") for kind in ("Emission", "LayerWeight", "MapRange"))
        emission.inputs["Color"].default_value = (*colour, 1.0)
        shade.inputs["To Min"].default_value, shade.inputs["To Max"].default_value = 1.0, 0.45
        tree.links.new(facing.outputs["Facing"], shade.inputs["Value"])
        tree.links.new(shade.outputs["Result"], emission.inputs["Strength"])
        tree.links.new(emission.outputs[0], output.inputs["Surface"])
        return material

    def _ghost(self, face_on: float, edge_on: float) -> bpy.types.Material:
        """Return a grey glass material; its opacity grows from `face_on` to `edge_on` where the surface faces away."""
        material, tree, nodes, output = self._material("Ghost")
        facing, opacity = nodes.new("ShaderNodeLayerWeight"), nodes.new("ShaderNodeMapRange")
        facing.inputs["Blend"].default_value = 0.3
        opacity.inputs["To Min"].default_value, opacity.inputs["To Max"].default_value = face_on, edge_on
        tree.links.new(facing.outputs["Facing"], opacity.inputs["Value"])
        tree.links.new(opacity.outputs["Result"], self._layered(tree, nodes, output, GLASS))
        return material

    def _layered(self, tree: Any, nodes: Any, output: Any, colour: tuple[float, float, float]) -> Any:
        """Add a layer of paint over the material below; return the socket of its opacity.

        The layer adds light to a darkened transparency. If the two shaders were mixed, the renderer would choose one of
        them at random.
        """
        opacity, rest = nodes.new("ShaderNodeMath"), nodes.new("ShaderNodeMath")
        paint, glass, both = (nodes.new(f"ShaderNode{kind}") for kind in ("Emission", "BsdfTransparent", "AddShader"))
        opacity.operation, opacity.inputs[1].default_value = "MULTIPLY", 1.0
        rest.operation, rest.inputs[0].default_value = "SUBTRACT", 1.0
        paint.inputs["Color"].default_value = (*colour, 1.0)
        tree.links.new(opacity.outputs[0], paint.inputs["Strength"])
        tree.links.new(opacity.outputs[0], rest.inputs[1])
        tree.links.new(rest.outputs[0], glass.inputs["Color"])
        tree.links.new(paint.outputs[0], both.inputs[0])
        tree.links.new(glass.outputs[0], both.inputs[1])
        tree.links.new(both.outputs[0], output.inputs["Surface"])
        return opacity.inputs[0]


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Suppress Cycles' progress messages, which bypass Python's `sys.stdout`."""
    say(sys.stdout)
    kept = os.dup(STANDARD_OUTPUT)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, STANDARD_OUTPUT)
    try:
        yield
    finally:
        os.dup2(kept, STANDARD_OUTPUT)
        os.close(kept)
        os.close(nothing)


def _camera_matrix(view: View, place: tuple[float, float, float]) -> Matrix:
    """Return the world matrix of an object that faces the camera, at `place` in camera coordinates."""
    matrix = np.eye(4)
    matrix[:3, :3] = view.axes.T
    matrix[:3, 3] = view.centre + np.array(place) @ view.axes
    return Matrix(matrix.tolist())
