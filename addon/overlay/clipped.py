"""The shader that draws no more than a clipped view shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from mathutils import Matrix

SHADER = "UNIFORM_COLOR"  # of Blender's own the one that clips in all its versions
PLANES = 6


@contextmanager
def bound(view: Any, placing: Matrix | None = None) -> Iterator[Any]:
    """The shader of one colour, ready to draw; where the 3D view clips, it does as well.

    Args:
        view: the `RegionView3D` that is drawn.
        placing: from what is drawn to the world, where it is not in it.
    """
    import gpu

    shader = gpu.shader.from_builtin(SHADER, config="CLIPPED" if view.use_clip_planes else "DEFAULT")
    shader.bind()
    if not view.use_clip_planes:
        yield shader
        return
    block = _block(view.clip_planes, placing or Matrix())  # lives as long as it is drawn with
    shader.uniform_block("clipPlanes", block)
    gpu.state.clip_distances_set(PLANES)
    try:
        yield shader
    finally:
        gpu.state.clip_distances_set(0)


def _block(planes: Any, placing: Matrix) -> Any:
    """What Blender's shader reads of clipping: a matrix by columns, and planes that see what is shown as positive."""
    import gpu

    numbers = [*np.array(placing.transposed()).ravel().tolist(), *np.array(planes).ravel().tolist()]
    return gpu.types.GPUUniformBuf(gpu.types.Buffer("FLOAT", len(numbers), numbers))
