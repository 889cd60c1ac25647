"""Moving points in hard positions, for tests of continuous detection: (n, 8, 3), four points at time 0, then at 1."""

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


CASES = {
    "integers": _grid,
    "at rest": _at_rest,
    "shifted": _shifted,
    "in a plane": _in_a_plane,
    "an ulp off": _an_ulp_off,
    "nearly at rest": _nearly_at_rest,
    "double roots": _double_root,
    "without area": _without_area,
    "far off": _far_off,
    "needles": _needles,
    "tiny": lambda rng, n: _grid(rng, n) * 1e-130,
    "huge": lambda rng, n: _grid(rng, n) * 1e150,
    "denormal": lambda rng, n: _grid(rng, n) * 5e-324,
    "random": lambda rng, n: rng.standard_normal((n, 8, 3)),
}


def make_cases(name: str, n: int, seed: int) -> np.ndarray:
    """n cases of a class; the same ones for the same seed."""
    return CASES[name](np.random.default_rng([seed, *name.encode()]), n)
