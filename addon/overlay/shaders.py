"""The shaders of the overlay; all shaders respect the clipping of a view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from mathutils import Matrix, Vector

PLANES = 6
EVERYWHERE = (0.0, 0.0, 0.0, 1.0)
"""A clipping plane that keeps everything."""
TYPES = "struct Clip { vec4 planes[6]; };"
CLIP = """
  for (int at = 0; at < 6; at++) {
    if (dot(clip.planes[at], vec4(place, 1.0)) < 0.0) {
      discard;
    }
  }
"""

Named = tuple[tuple[str, str], ...]


class Kind(NamedTuple):
    """The parts of a shader: types with names, and statements in GLSL.

    Attributes:
        name: name for messages.
        constants: uniform constants in addition to `to_clip`.
        inputs: inputs of each vertex in addition to `pos`.
        passed: values passed from vertices to pixels in addition to `place`, the position of a vertex; each with its
            interpolation.
        vertex: code that sets `gl_Position` and the passed values.
        pixel: code that sets `seen`, the linear colour.
    """

    name: str
    constants: Named
    inputs: Named
    passed: tuple[tuple[str, str, str], ...]
    vertex: str
    pixel: str


FACES = Kind("faces", (("VEC4", "colour"),), (), (), "gl_Position = to_clip * vec4(pos, 1.0);", "seen = colour;")
LINES = Kind(
    "lines",
    (("VEC4", "colour"), ("VEC2", "viewport"), ("FLOAT", "width")),
    (("VEC4", "other"),),  # other end; side of the line on which this corner lies: 1 or -1, at the second end 2 or -2
    (("flat", "VEC4", "light"), ("no_perspective", "FLOAT", "across")),
    """
  light = colour;
  vec4 here = to_clip * vec4(pos, 1.0), there = to_clip * vec4(other.xyz, 1.0);
  float depth_here = here.z + here.w, depth_there = there.z + there.w;
  if (depth_here < 0.0 && depth_there > 0.0) {  // an end behind the eye comes before it
    float share = depth_here / (depth_here - depth_there);
    here = mix(here, there, share);
    place = mix(pos, other.xyz, share);
  }
  else if (depth_there < 0.0 && depth_here > 0.0) {
    there = mix(there, here, depth_there / (depth_there - depth_here));
  }
  vec2 way = (there.xy / there.w - here.xy / here.w) * viewport;
  way /= max(length(way), 1e-6) * (abs(other.w) > 1.5 ? -1.0 : 1.0);  // from the first end to the second
  across = sign(other.w) * (0.5 * width + 1.0);
  gl_Position = here + vec4(2.0 * across * vec2(-way.y, way.x) / viewport * here.w, 0.0, 0.0);
""",
    "seen = vec4(light.rgb, light.a * clamp(0.5 * width + 0.5 - abs(across), 0.0, 1.0));",
)
COLOURED_LINES = LINES._replace(constants=LINES.constants[1:], inputs=(*LINES.inputs, LINES.constants[0]))


class _State:
    """The shaders compiled so far, and the clipping planes used last."""

    made: dict[Kind, Any] = {}  # noqa: RUF012 - emptied by `free`
    clip: tuple[list[float], Any] | None = None


def free() -> None:
    """Free the shaders."""
    _State.made.clear()
    _State.clip = None


def linear(colours: Any) -> np.ndarray:
    """Convert colours (..., 4) to linear light, because the viewport encodes the output of custom shaders as sRGB."""
    light = np.array(colours, np.float32)
    rgb = light[..., :3]
    light[..., :3] = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return light


def planes_of(view: Any) -> list[Vector]:
    """Return the clipping planes of a `RegionView3D`, positive on the visible side."""
    return [Vector(plane) for plane in (view.clip_planes if view.use_clip_planes else [EVERYWHERE] * PLANES)]


def shows(view: Any, point: Sequence[float]) -> bool:
    """Return whether a clipped view shows a point of the world."""
    return all(plane.dot((*point, 1.0)) >= 0.0 for plane in planes_of(view))


def batch(kind: Kind, primitive: str, points: Any, **more: Any) -> Any:
    """Return a batch of points (n, 3) for a shader, with its other inputs; None without points."""
    from gpu_extras.batch import batch_for_shader

    return batch_for_shader(_shader(kind), primitive, {"pos": points, **more}) if len(points) else None


def lines(ends: np.ndarray, colours: np.ndarray | None = None) -> Any:
    """Return a batch of lines between ends (2 n, 3), with a colour per end (2 n, 4) or one colour for all; None without
    lines.

    A line is a rectangle of two triangles.
    """
    from gpu_extras.batch import batch_for_shader

    if not len(ends):
        return None
    corners = np.reshape(ends, (-1, 2, 3))[:, [0, 0, 1, 1]].reshape(-1, 3)
    sides = np.tile(np.array((1.0, -1.0, -2.0, 2.0), np.float32), len(ends) // 2)
    others = np.column_stack((corners.reshape(-1, 4, 3)[:, ::-1].reshape(-1, 3), sides))
    content = {"pos": corners, "other": np.ascontiguousarray(others, np.float32)}
    if colours is not None:
        content["colour"] = np.repeat(linear(colours), 2, axis=0)
    first = np.arange(0, 2 * len(ends), 4, dtype=np.int32)[:, None]
    triangles = (first + np.array([0, 1, 2, 0, 2, 3], np.int32)).reshape(-1, 3)
    kind = LINES if colours is None else COLOURED_LINES
    return batch_for_shader(_shader(kind), "TRIS", content, indices=triangles)


def bind(kind: Kind, view: Any, placing: Matrix | None = None) -> Any:
    """Bind a shader to draw with the current matrices, and return it.

    Args:
        kind: the kind of shader.
        view: the `RegionView3D` that is drawn.
        placing: matrix from the drawn geometry to the world, if it is not in world coordinates.
    """
    import gpu

    shader = _shader(kind)
    shader.bind()
    shader.uniform_float("to_clip", gpu.matrix.get_projection_matrix() @ gpu.matrix.get_model_view_matrix())
    back = (placing or Matrix()).transposed()
    numbers = [number for plane in planes_of(view) for number in back @ plane]
    if _State.clip is None or _State.clip[0] != numbers:
        _State.clip = numbers, gpu.types.GPUUniformBuf(gpu.types.Buffer("FLOAT", len(numbers), numbers))
    shader.uniform_block("clip", _State.clip[1])
    return shader


def bind_lines(view: Any, width: float, coloured: bool = False, placing: Matrix | None = None) -> Any:
    """Bind the shader of lines with a width [px]; other arguments as for `bind`."""
    import gpu

    shader = bind(COLOURED_LINES if coloured else LINES, view, placing)
    shader.uniform_float("viewport", gpu.state.viewport_get()[2:])
    shader.uniform_float("width", width)
    return shader


def _shader(kind: Kind) -> Any:
    """Return the shader, compiled on first use; raises RuntimeError if the driver cannot compile it."""
    import gpu

    if kind not in _State.made:
        passed = gpu.types.GPUStageInterfaceInfo(f"meshclash_{kind.name}")
        passed.smooth("VEC3", "place")
        for how, type_name, name in kind.passed:
            getattr(passed, how)(type_name, name)
        info = gpu.types.GPUShaderCreateInfo()
        for type_name, name in (("MAT4", "to_clip"), *kind.constants):
            info.push_constant(type_name, name)
        info.typedef_source(TYPES)
        info.uniform_buf(0, "Clip", "clip")  # in addition to the constants, which are limited to 128 bytes
        for at, (type_name, name) in enumerate((("VEC3", "pos"), *kind.inputs)):
            info.vertex_in(at, type_name, name)
        info.vertex_out(passed)
        info.fragment_out(0, "VEC4", "seen")
        info.vertex_source(f"void main()\n{{\n  place = pos;\n  {kind.vertex}\n}}\n")
        info.fragment_source(f"void main()\n{{\n{CLIP}\n  {kind.pixel}\n}}\n")
        try:
            _State.made[kind] = gpu.shader.create_from_info(info)
        except Exception as error:  # Blender raises no more specific error
            raise RuntimeError(f"{kind.name} cannot be drawn: {error}") from error
    return _State.made[kind]
