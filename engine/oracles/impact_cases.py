"""Moving points in hard positions, to judge continuous detection by: (n, 8, 3), four points at time 0, then at 1."""

from __future__ import annotations

import numpy as np


def _grid(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(-2, 3, (n, 8, 3)).astype(np.float64)


def _at_rest(rng: np.random.Generator, n: int) -> np.ndarray:
    x = _grid(rng, n)
    x[:, 4:] = x[:, :4]
    return x


def _shifted(rng: np.random.Generator, n: int) -> np.ndarray:
    x = _at_rest(rng, n)
    x[:, 4:] += rng.integers(-1, 2, (n, 1, 3))
    return x


def _in_a_plane(rng: np.random.Generator, n: int) -> np.ndarray:
    x = _grid(rng, n)
    x[:, :, 2] = x[:, :, 0] - x[:, :, 1]
    return x


def _an_ulp_off(rng: np.random.Generator, n: int) -> np.ndarray:
    x = _grid(rng, n)
    return np.where(x == 0.0, 0.0, np.nextafter(x, rng.choice([-9.0, 9.0], x.shape)))


def _nearly_at_rest(rng: np.random.Generator, n: int) -> np.ndarray:
    x = _at_rest(rng, n)
    x[:, 4:] += rng.integers(-1, 2, (n, 4, 3)) * 2.0**-40
    return x


def _double_root(rng: np.random.Generator, n: int) -> np.ndarray:
    """The first point crosses the plane z = 0 of the others, whose z is (1 - 2t)^2 times something, or nearly."""
    x = _grid(rng, n)
    x[:, 1:4, 2] = 0.0
    x[:, 5:, 2] = 0.0
    x[:, 0, 2], x[:, 4, 2] = 1.0, -1.0
    x[:, 1, 2], x[:, 5, 2] = rng.integers(-1, 2, n), rng.integers(-1, 2, n)
    return x


def _without_area(rng: np.random.Generator, n: int) -> np.ndarray:
    x = _grid(rng, n)
    x[:, 3] = 2.0 * x[:, 2] - x[:, 1]
    x[:, 7] = 2.0 * x[:, 6] - x[:, 5]
    half = n // 2
    x[:half, 2], x[:half, 6] = x[:half, 1], x[:half, 5]
    return x


def _far_off(rng: np.random.Generator, n: int) -> np.ndarray:
    return 0.1 * _grid(rng, n) + 1e6


def _needles(rng: np.random.Generator, n: int) -> np.ndarray:
    return _grid(rng, n) * np.array([1.0, 2.0**-30, 1.0]) + rng.integers(-1, 2, (n, 8, 3)) * 2.0**-52


def _touching_at_an_end(rng: np.random.Generator, n: int) -> np.ndarray:
    """At time 0 or 1 the first point is a mean of others with weights of quarters, some of them 0."""
    x = 4.0 * _grid(rng, n)
    weights = rng.multinomial(4, [1 / 3] * 3, n) / 4.0
    late = rng.integers(0, 2, n) == 1
    x[late, 4] = np.einsum("ni,nik->nk", weights[late], x[late, 5:])
    x[~late, 0] = np.einsum("ni,nik->nk", weights[~late], x[~late, 1:4])
    return x


def _grazing(rng: np.random.Generator, n: int) -> np.ndarray:
    """The first point swings towards the others' plane, reaches it about half way, and nearly no other time."""
    x = rng.uniform(-1.0, 1.0, (n, 8, 3))
    x[:, 1:4, 2] = x[:, 5:, 2] = 0.0
    slope = rng.uniform(0.5, 2.0, n)
    x[:, 0, 2], x[:, 4, 2] = slope, -slope
    x[:, 1, 2] = slope * (1.0 + rng.choice([0.0, 1e-16, -1e-16, 1e-9, -1e-9, 1e-3], n))
    x[:, 7, 2] = -slope
    return x


def _turned_plane(rng: np.random.Generator, n: int) -> np.ndarray:
    """Everything in one oblique plane at all times, but for the roundings of the coordinates."""
    plane = rng.uniform(-1.0, 1.0, (n, 2, 3))
    return np.einsum("nij,njk->nik", rng.integers(-4, 5, (n, 8, 2)).astype(np.float64), plane)


CASES = {
    "integers": _grid,
    "at rest": _at_rest,
    "shifted": _shifted,
    "in a plane": _in_a_plane,
    "an ulp off": _an_ulp_off,
    "nearly at rest": _nearly_at_rest,
    "double roots": _double_root,
    "touching at an end": _touching_at_an_end,
    "grazing": _grazing,
    "in a turned plane": _turned_plane,
    "without area": _without_area,
    "far off": _far_off,
    "needles": _needles,
    "tiny": lambda rng, n: _grid(rng, n) * 1e-130,
    "huge": lambda rng, n: _grid(rng, n) * 1e150,
    "denormal": lambda rng, n: _grid(rng, n) * 5e-324,
    "random": lambda rng, n: rng.standard_normal((n, 8, 3)),
}


def make_cases(name: str, n: int, seed: int, portion: int = 0) -> np.ndarray:
    """n cases of a class; the same ones for the same seed and portion."""
    return CASES[name](np.random.default_rng([seed, portion, *name.encode()]), n)
