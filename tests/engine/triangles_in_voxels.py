"""What hypothesis draws from: triangles of every kind near a region of five voxels."""

import numpy as np
from hypothesis import strategies as st
from strategies import GRID, nudged_points, points

NUMBERS = st.floats(-1.0, 6.0)


@st.composite
def needles(draw):
    """Triangles next to a segment: as high as rounding, or somewhat more."""
    ends = draw(points(NUMBERS, 2))
    t, away = draw(st.floats(0.0, 1.0)), draw(points(st.floats(-1.0, 1.0), 1))[0]
    height = draw(st.sampled_from((0.0, 1e-16, 1e-12, 1e-8, 1e-4)))
    return np.vstack([ends, ends[0] + t * (ends[1] - ends[0]) + height * away])


@st.composite
def triangles_near_a_region(draw):
    """(triangle, low, high): the region is five voxels wide, a triangle of any kind near it."""
    triangle = draw(
        st.one_of(
            points(NUMBERS, 3), points(st.floats(2.0, 3.0), 3), needles(), points(GRID, 3), nudged_points(3),
            points(st.floats(-1e6, 1e6), 3), points(st.sampled_from((-1e3, 0.0, 5.0, 2.5, 1e9)), 3),
        )
    )  # fmt: skip
    scale = draw(st.sampled_from((1.0, 1.0, 0.1, 1e-3, 1e20, 1e-200, 5e-324 * 2**60)))
    shift = draw(st.sampled_from((0.0, 0.0, 1e6, -3e9))) if scale == 1.0 else 0.0
    return triangle * scale + shift, np.full(3, shift), np.full(3, 5.0 * scale + shift)
