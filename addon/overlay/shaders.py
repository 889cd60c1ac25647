"""The shaders of the overlay: none of them draws more than a clipped view shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from mathutils import Matrix, Vector

PLANES = 6
EVERYWHERE = (0.0, 0.0, 0.0, 1.0)
"""A plane that sees all as positive."""
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
    """What a shader is made of: types with names, and statements in GLSL.

    Attributes:
        name: in messages.
        constants: what `bind` is given beside `to_clip`.
        inputs: of each vertex beside `pos`.
        passed: from vertices to pixels beside `place`, which is where a vertex is; each with how it is interpolated.
        vertex: sets `gl_Position` and what is passed.
        pixel: sets `seen`, light.
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
    (
        ("VEC4", "other"),
    ),  # the other end, and on which side of the line this corner lies: 1 or -1, of the second end 2 or -2
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
    """The shaders, each once it was needed, and what was clipped by last."""

    made: dict[Kind, Any] = {}  # noqa: RUF012 - emptied by `free`
    clip: tuple[list[float], Any] | None = None


def free() -> None:
    """Frees the shaders."""
    _State.made.clear()
    _State.clip = None


def linear(colours: Any) -> np.ndarray:
    """Colours (..., 4) as light: what a shader of one's own gives to the viewport is encoded as sRGB afterwards."""
    light = np.array(colours, np.float32)
    rgb = light[..., :3]
    light[..., :3] = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return light


def planes_of(view: Any) -> list[Vector]:
    """The planes of a `RegionView3D` that see what it shows as positive."""
    return [Vector(plane) for plane in (view.clip_planes if view.use_clip_planes else [EVERYWHERE] * PLANES)]


def shows(view: Any, point: Sequence[float]) -> bool:
    """Whether a view that clips shows a point of the world."""
    return all(plane.dot((*point, 1.0)) >= 0.0 for plane in planes_of(view))


def batch(kind: Kind, primitive: str, points: Any, **more: Any) -> Any:
    """A batch of points (n, 3) for a shader, with its other inputs; None for no points."""
    from gpu_extras.batch import batch_for_shader

    return batch_for_shader(_shader(kind), primitive, {"pos": points, **more}) if len(points) else None


def lines(ends: np.ndarray, colours: np.ndarray | None = None) -> Any:
    """A batch of lines between ends (2 n, 3), each with a colour (2 n, 4) or all with one; None for none.

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
    """A shader, ready to draw with the matrices that are set.

    Args:
        kind: what it draws.
        view: the `RegionView3D` that is drawn.
        placing: from what is drawn to the world, where it is not in it.
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
    """The shader of lines so wide [px]; the rest as `bind`."""
    import gpu

    shader = bind(COLOURED_LINES if coloured else LINES, view, placing)
    shader.uniform_float("viewport", gpu.state.viewport_get()[2:])
    shader.uniform_float("width", width)
    return shader


def _shader(kind: Kind) -> Any:
    """The shader; raises RuntimeError where the driver cannot make it."""
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
        info.uniform_buf(0, "Clip", "clip")  # beside the constants, which have 128 bytes
        for at, (type_name, name) in enumerate((("VEC3", "pos"), *kind.inputs)):
            info.vertex_in(at, type_name, name)
        info.vertex_out(passed)
        info.fragment_out(0, "VEC4", "seen")
        info.vertex_source(f"void main()\n{{\n  place = pos;\n  {kind.vertex}\n}}\n")
        info.fragment_source(f"void main()\n{{\n{CLIP}\n  {kind.pixel}\n}}\n")
        try:
            _State.made[kind] = gpu.shader.create_from_info(info)
        except Exception as error:  # Blender raises nothing more special
            raise RuntimeError(f"{kind.name} cannot be drawn: {error}") from error
    return _State.made[kind]
