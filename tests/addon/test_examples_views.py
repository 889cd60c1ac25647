"""Examples open with everything in view: nothing behind the eye, outside the picture or beyond the clip distances."""

import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HALF_WIDTH, HALF_HEIGHT = 36.0, 18.0  # of the picture [mm], at the lens's distance: a wide window


@pytest.fixture(scope="module", params=["mechanical_assembly", "pipe_rack", "plant_room", "changing_cloth"])
def example(request, tmp_path_factory):
    file = tmp_path_factory.mktemp("examples") / "example.blend"
    subprocess.run([sys.executable, EXAMPLES / f"{request.param}.py", file], check=True, capture_output=True)
    return request.param, str(file)


def seen(space):
    """The corners of all objects as the eye of a 3D view has them: right, up, depth."""
    view = space.region_3d
    turn = np.array(view.view_rotation.to_matrix())
    eye = np.array(view.view_location) + turn[:, 2] * view.view_distance
    items = [item for item in bpy.context.scene.objects if item.type in ("MESH", "POINTCLOUD")]
    corners = [np.array(item.bound_box) @ np.array(item.matrix_world)[:3, :3].T + item.matrix_world.translation
               for item in items]  # fmt: skip
    return (np.concatenate(corners) - eye) @ turn * (1.0, 1.0, -1.0)


def test_everything_is_in_view_when_the_file_is_opened(example):
    name, file = example
    bpy.ops.wm.open_mainfile(filepath=file, load_ui=True)
    bpy.context.view_layer.update()
    areas = [area for screen in bpy.data.screens for area in screen.areas if area.type == "VIEW_3D"]
    assert areas
    for area in areas:
        space = area.spaces.active
        right, up, depth = seen(space).T
        assert depth.max() < space.clip_end and space.clip_start < 0.01 * depth.max()
        if name == "plant_room":  # seen from inside
            assert (np.abs(right) < depth).mean() > 0.3
            continue
        assert depth.min() > space.clip_start
        assert (np.abs(right) / depth).max() < HALF_WIDTH / space.lens
        assert (np.abs(up) / depth).max() < HALF_HEIGHT / space.lens
