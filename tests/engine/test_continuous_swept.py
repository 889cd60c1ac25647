"""Which triangles meet between two frames: against the oracle of every pair, and against ``collide``."""

from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.jit import thread_limit
from oracles.impact_oracle import first_moment
from oracles.oracle import classify_pairs
from slices import limit

STEPS = 16
"""Parts of the interval for finer stepping: a power of two, so that positions in between are exact."""


def soup(rng, vertices, triangles, size=16):
    """A mesh of random triangles over few vertices with small whole coordinates, and where its vertices go."""
    start = rng.integers(-size, size + 1, (vertices, 3)).astype(float)
    end = start + rng.integers(-size, size + 1, (vertices, 3)) * rng.integers(0, 2, (vertices, 1))
    corners = np.array([rng.choice(vertices, 3, replace=False) for _ in range(triangles)])
    return mc.TriangleMesh(start, corners), end


def as_dict(found):
    return {(int(f), *map(int, p)): t for f, p, t in zip(found.frame, found.pairs, found.time, strict=True)}


def element_moments(p, q):
    """Brackets of the first moments of all points and edges of two triangles (2, 3, 3), which hold both times."""
    for x, y in ((p, q), (q, p)):
        for c in range(3):
            yield first_moment(*np.concatenate([x[:, [c]], y], axis=1), edges=False)
    for e in range(3):
        for f in range(3):
            rows = [p[:, [e, (e + 1) % 3]], q[:, [f, (f + 1) % 3]]]
            yield first_moment(*np.concatenate(rows, axis=1), edges=True)


@pytest.mark.parametrize("seed", range(3))
def test_pairs_and_times_equal_the_oracle(seed):
    rng = np.random.default_rng([21, seed])
    (a, end_a), (b, end_b) = soup(rng, 7, 5), soup(rng, 7, 5)
    found = as_dict(mc.motion.swept_collide(a, b, None, end_a, None, end_b))
    moved = [np.stack([m.vertices[m.triangles], end[m.triangles]]) for m, end in ((a, end_a), (b, end_b))]
    for i in range(5):
        for j in range(5):
            p, q = moved[0][:, i], moved[1][:, j]
            if classify_pairs(p[:1], q[:1])[0]:
                truth = (Fraction(0), Fraction(0))
            else:
                truth = min(filter(None, element_moments(p, q)), default=None)
            assert ((0, i, j) in found) == (truth is not None), (i, j)
            if truth:
                t = Fraction(float(found[0, i, j]))
                assert t <= truth[1] and truth[0] - t <= Fraction(1, 1 << 40)


def test_one_object_against_itself_finds_what_its_elements_do():
    rng = np.random.default_rng(5)
    mesh, end = soup(rng, 9, 7)
    found = as_dict(mc.motion.swept_self_collide(mesh, None, end))
    at_start = {tuple(pair) for pair in mc.self_collide(mesh).pairs.tolist()}
    t = mesh.triangles
    for i in range(7):
        for j in range(i + 1, 7):
            moments = []
            for x, y in ((i, j), (j, i)):
                for v in t[x]:
                    if v not in t[y]:
                        rows = [v, *t[y]]
                        moments.append(first_moment(mesh.vertices[rows], end[rows], edges=False))
            for e in range(3):
                for f in range(3):
                    rows = [t[i, e], t[i, (e + 1) % 3], t[j, f], t[j, (f + 1) % 3]]
                    if len(set(rows)) == 4:
                        moments.append(first_moment(mesh.vertices[rows], end[rows], edges=True))
            met = any(moments) or (i, j) in at_start
            assert ((0, i, j) in found) == met, (i, j)


seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_what_collide_finds_at_a_moment_is_found_and_not_late(seed):
    rng = np.random.default_rng(seed)
    (a, end_a), (b, end_b) = soup(rng, 12, 10), soup(rng, 12, 10)
    found = as_dict(mc.motion.swept_collide(a, b, None, end_a, None, end_b))
    met = {}
    for k in range(STEPS + 1):
        s, t = (STEPS - k) / STEPS, k / STEPS
        now_a, now_b = (m.with_vertices(s * m.vertices + t * end) for m, end in ((a, end_a), (b, end_b)))
        for pair in mc.collide(now_a, now_b).pairs.tolist():
            met.setdefault((0, *pair), t)
    assert met.keys() <= found.keys()
    assert all(found[key] <= t for key, t in met.items())
    at_start = {key for key, t in met.items() if t == 0.0}
    assert at_start == {key for key, t in found.items() if t == 0.0}


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_a_motion_of_nothing_gives_collide(seed):
    rng = np.random.default_rng(seed)
    (a, _), (b, _) = soup(rng, 12, 12, 4), soup(rng, 12, 12, 4)
    found = mc.motion.swept_collide(a, b)
    assert np.array_equal(found.pairs, mc.collide(a, b).pairs)
    assert not found.time.any()


@settings(max_examples=15, deadline=None)
@given(seeds, st.integers(1, STEPS - 1), st.booleans())
def test_reversed_time_and_a_split_interval_give_the_same_pairs(seed, step, with_itself):
    rng = np.random.default_rng(seed)
    (a, end_a), (b, end_b) = soup(rng, 12, 10), soup(rng, 12, 10)
    part = step / STEPS
    middle_a, middle_b = ((1 - part) * m.vertices + part * end for m, end in ((a, end_a), (b, end_b)))

    def ask(s_a, e_a, s_b, e_b):
        return (
            mc.motion.swept_self_collide(a, s_a, e_a)
            if with_itself
            else mc.motion.swept_collide(a, b, s_a, e_a, s_b, e_b)
        )

    whole = as_dict(ask(None, end_a, None, end_b))
    assert as_dict(ask(end_a, a.vertices, end_b, b.vertices)).keys() == whole.keys()
    first, second = as_dict(ask(None, middle_a, None, middle_b)), as_dict(ask(middle_a, end_a, middle_b, end_b))
    assert first.keys() | second.keys() == whole.keys()
    for key, time in whole.items():
        expected = part * first[key] if key in first else part + (1 - part) * second[key]
        assert abs(expected - time) <= 2.0**-39


@settings(max_examples=25, deadline=None)
@given(seeds, st.booleans(), st.sampled_from((1, 40, 2000)))
def test_the_first_pair_is_the_earliest_of_all(seed, with_itself, apart):
    """Also when nothing meets, and when it happens early: far objects that come near fast."""
    rng = np.random.default_rng(seed)
    (a, end_a), (b, end_b) = soup(rng, 12, 10), soup(rng, 12, 10)
    away = np.array([apart, 0.0, 0.0])
    start_b, end_b = b.vertices + away, end_b - away
    if with_itself:
        every, first = (mc.motion.swept_self_collide(a, None, end_a, first_only=f) for f in (False, True))
    else:
        every, first = (mc.motion.swept_collide(a, b, None, end_a, start_b, end_b, first_only=f) for f in (False, True))
    assert len(first) == min(len(every), 1)
    if len(first):
        assert first.time[0] == every.time.min()
        assert as_dict(every)[0, *map(int, first.pairs[0])] == first.time[0]


@pytest.mark.slow
def test_much_is_found_in_many_slices_and_can_be_given_up():
    rng = np.random.default_rng(2)
    start = rng.random((3000, 3))
    mesh = mc.TriangleMesh(start, np.arange(3000).reshape(-1, 3))
    end = start + 0.1 * rng.standard_normal(start.shape)
    steps = mc.steps(mc.motion.swept_self_collide, mesh, None, end)
    seen = [next(steps), next(steps)]
    assert all(0.0 <= p.fraction <= 1.0 and p.text for p in seen)
    steps.close()
    found = mc.motion.swept_self_collide(mesh, None, end)
    assert len(found) > 30_000  # more than the output holds at once
    assert np.array_equal(found.pairs, np.unique(found.pairs, axis=0)) and (found.pairs[:, 0] < found.pairs[:, 1]).all()
    assert {tuple(p) for p in mc.self_collide(mesh).pairs.tolist()} == {
        tuple(p) for p in found.pairs[found.time == 0.0].tolist()
    }


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.parametrize("first_only", (False, True))
@pytest.mark.parametrize("with_itself", (False, True))
def test_any_number_of_threads_gives_the_same_bytes(monkeypatch, with_itself, first_only):
    limit(monkeypatch, steps=50, chunk=40, shared=True)
    rng = np.random.default_rng(9)
    places = 10.0 * np.stack(np.meshgrid(*[np.arange(7)] * 3), axis=-1).reshape(-1, 1, 3)
    corners = np.arange(3 * len(places)).reshape(-1, 3)
    a, b = (
        mc.TriangleMesh((places + shift + rng.uniform(-2.4, 2.4, (len(places), 3, 3))).reshape(-1, 3), corners)
        for shift in (0.0, 5.0)
    )
    end_a, end_b = (m.vertices + np.repeat(rng.uniform(-60.0, 60.0, places.shape), 3, axis=0)[:, 0] for m in (a, b))

    def ask(threads):
        if with_itself:
            return mc.motion.swept_self_collide(a, None, end_a, first_only=first_only, threads=threads)
        return mc.motion.swept_collide(a, b, None, end_a, None, end_b, first_only=first_only, threads=threads)

    one = ask(1)
    assert one.stats.threads == 1 and len(one) > (0 if first_only else 60)
    for threads in (2, 3, None):
        several = ask(threads)
        assert several.stats.threads == min(threads or 99, thread_limit(None))
        for name in ("pairs", "time", "frame"):
            assert getattr(several, name).tobytes() == getattr(one, name).tobytes()
        if not first_only:
            assert several.counters == one.counters
            assert several.stats.primitive_tests == one.stats.primitive_tests
            assert several.stats.volume_tests == one.stats.volume_tests


def test_threads_are_a_number():
    mesh = mc.TriangleMesh(np.eye(3), [[0, 1, 2]])
    for bad in (0, "two", True):
        with pytest.raises(mc.UnsupportedOption, match="threads"):
            mc.motion.swept_self_collide(mesh, threads=bad)


def test_stacks_are_asked_interval_by_interval():
    rng = np.random.default_rng(8)
    (a, _), (b, _) = soup(rng, 9, 6), soup(rng, 9, 6)
    frames = a.vertices + rng.integers(-8, 9, (4, 9, 3))
    found = mc.motion.swept_collide(a, b, frames[:-1], frames[1:])
    assert found.frame.max() > 0
    for k in range(3):
        alone = mc.motion.swept_collide(mc.build(a), b, frames[k], frames[k + 1])
        mine = found.frame == k
        assert np.array_equal(found.pairs[mine], alone.pairs) and np.array_equal(found.time[mine], alone.time)
    assert set(mc.motion.swept_collide(a, b, frames[:-1], frames[1:], first_only=True).frame) == set(found.frame)


@pytest.mark.parametrize("scale", (2.0**-1060, 2.0**-400, 2.0**90))
def test_tiny_and_huge_objects_meet_as_others(scale):
    rng = np.random.default_rng(4)
    (a, end_a), (b, end_b) = soup(rng, 9, 8), soup(rng, 9, 8)
    found = as_dict(mc.motion.swept_collide(a, b, None, end_a, None, end_b))
    scaled = mc.motion.swept_collide(a, b, scale * a.vertices, scale * end_a, scale * b.vertices, scale * end_b)
    assert as_dict(scaled).keys() == found.keys()


def test_far_from_the_origin_nothing_is_lost():
    rng = np.random.default_rng(6)
    (a, end_a), (b, end_b) = soup(rng, 9, 8), soup(rng, 9, 8)
    found = mc.motion.swept_collide(a, b, None, end_a, None, end_b)
    far = 2.0**45
    for first_only in (False, True):
        expected = mc.motion.swept_collide(a, b, None, end_a, None, end_b, first_only=first_only)
        moved = mc.motion.swept_collide(
            a, b, a.vertices + far, end_a + far, b.vertices + far, end_b + far, first_only=first_only
        )
        assert np.array_equal(moved.pairs, expected.pairs) and np.allclose(moved.time, expected.time, atol=2.0**-39)
    assert len(found) > 3


BAD = (
    ((np.zeros((3, 3)),), "start of a: the mesh has 4 vertices, but 3 were given"),
    ((np.zeros((4, 2)),), r"start of a: vertices must have shape \(n, 3\)"),
    ((np.full((4, 3), np.nan),), "start of a: vertex 0 is .* must be finite"),
    ((None, np.full((4, 3), np.inf)), "end of a: vertex 0"),
    ((None, np.full((4, 3), 1e31)), "end of a: vertex 0 .* at most 1e"),
    ((np.zeros((2, 4, 3)), np.zeros((3, 4, 3))), "stacks of 2 and 3 frames have different lengths"),
    ((np.zeros((0, 4, 3)),), "start of a: the stack of poses or frames is empty"),
    ((None, "later"), "end of a"),
    ((None, [[0, 0], [0]]), "end of a"),
    ((np.stack([np.zeros((4, 3)), np.full((4, 3), np.inf)]),), "start of a: vertex 0"),
    ((np.ma.masked_array(np.zeros((4, 3)), True),), "start of a"),
    ((np.zeros((1, 1, 4, 3)),), "start of a: .* shape"),
    ((np.full((4, 3), 1j),), "start of a: .* complex"),
    ((None, None, np.zeros((5, 3))), "start of b: the mesh has 4 vertices, but 5 were given"),
)


@pytest.mark.parametrize(("frames", "message"), BAD)
def test_bad_frames_are_refused_with_words(frames, message):
    mesh = mc.TriangleMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2], [1, 2, 3]])
    with pytest.raises(mc.InvalidMesh, match=message):
        mc.motion.swept_collide(mesh, mesh, *frames)


def test_what_is_no_mesh_is_refused():
    mesh = mc.TriangleMesh(np.eye(3), [[0, 1, 2]])
    with pytest.raises(mc.InvalidMesh, match="b: expected a TriangleMesh or a Hierarchy, not a list"):
        mc.motion.swept_collide(mesh, [])
    with pytest.raises(mc.InvalidMesh, match=r"b: .* use swept_self_collide for one object"):
        mc.motion.swept_collide(mesh, None)
    for other in (mesh, mc.build(mesh)):  # another mesh as a frame, of the same topology or not
        with pytest.raises(mc.InvalidMesh, match=r"end of a: .* cannot be read as numbers"):
            mc.motion.swept_collide(mesh, mesh, None, other)


def test_frames_of_any_finite_size_are_answered():
    """As far as 1e30, and as small as 2**-1074, also in one motion: as many pairs as with ordinary numbers."""
    start = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    mesh = mc.TriangleMesh(start, [[0, 1, 2], [0, 2, 3]])
    far = start + np.array([0.25, 0.25, 4.0])
    small, large = 5e-324, 1e30
    expected = mc.motion.swept_collide(mesh, mesh, None, None, far, far - [0, 0, 8.0]).pairs
    assert len(expected)
    for scale in (small, large / 32):
        a, first, last = scale * start, scale * 4 * far, scale * 4 * (far - [0, 0, 8.0])
        assert np.array_equal(mc.motion.swept_collide(mesh, mesh, 4 * a, 4 * a, first, last).pairs, expected)
    assert len(mc.motion.swept_collide(mesh, mesh, small * start, large * start, large * start, small * start)) == 4
    assert (
        len(mc.motion.swept_collide(mesh, mesh, start, -start, large * (start + 1) / 4, large * (start + 2) / 4)) == 0
    )
