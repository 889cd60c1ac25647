"""``convex_parts``: parts are convex, cover the solid but for a little, and are the same for the same seed."""

import sys

import meshclash as mc
import numpy as np
import pytest
from meshclash.convex.convexity import is_convex
from solids import box, open_box, torus

RING = mc.TriangleMesh(*torus(2, 0.5))


@pytest.mark.slow
def test_a_ring_is_cut_into_convex_parts():
    pytest.importorskip("coacd")
    parts = mc.shapes.convex_parts(RING, 0.1)
    assert len(parts) > 3 and all(part.is_closed and is_convex(part) for part in parts)
    rng = np.random.default_rng(0)
    points = rng.uniform(*RING.bounds, (2000, 3))
    inside = np.any([mc.contains(part, points) for part in parts], axis=0)
    deep = mc.signed_distance(RING, points).distance
    assert inside[deep < -0.2].all() and not inside[deep > 0.5].any()
    again = mc.shapes.convex_parts(RING, 0.1)
    assert all(np.array_equal(p.vertices, q.vertices) for p, q in zip(parts, again, strict=True))
    assert len(mc.shapes.convex_parts(RING, 0.1, most=4)) <= 4


def test_what_cannot_be_cut_is_refused(monkeypatch):
    with pytest.raises(mc.InvalidMesh, match="closed mesh"):
        mc.shapes.convex_parts(mc.TriangleMesh(*open_box((0, 0, 0), (1, 1, 1))))
    with pytest.raises(mc.InvalidMesh, match="closed TriangleMesh"):
        mc.shapes.convex_parts(np.zeros((3, 3)))
    cube = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    for options, name in (
        ({"concavity": 0.0}, "concavity"),
        ({"concavity": "fine"}, "concavity"),
        ({"most": 0}, "most"),
    ):
        with pytest.raises(mc.UnsupportedOption, match=name):
            mc.shapes.convex_parts(cube, **options)
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(mc.UnsupportedOption, match="pip install"):
        mc.shapes.convex_parts(cube)
