"""What a mesh means is kept while it only deforms, and is decided anew where it becomes something else."""

import numpy as np
import pytest
from meshclash import TriangleMesh
from meshclash.solid import repair, solidity
from meshclash.solid.solidity import intended_solid


def ball(rows: int, columns: int, radius: float, is_open: bool) -> tuple[np.ndarray, np.ndarray]:
    u, v = np.meshgrid(
        np.linspace(0, np.pi, rows + 1), np.linspace(0, 2 * np.pi, columns, endpoint=False), indexing="ij"
    )
    points = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1).reshape(-1, 3)
    points = radius * np.round(points, 9)  # one place for each pole
    i, j = (x.ravel() for x in np.meshgrid(np.arange(rows - is_open), np.arange(columns), indexing="ij"))
    k = (j + 1) % columns
    a, b, c, d = i * columns + j, i * columns + k, (i + 1) * columns + k, (i + 1) * columns + j
    return points, np.concatenate([np.stack([a, d, c], axis=1), np.stack([a, c, b], axis=1)])


def character(seed: int, parts: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Loose parts, some of them open, some inside out."""
    rng = np.random.default_rng(seed)
    vertices, triangles, count = [], [], 0
    for k in range(parts):
        points, own = ball(6, 10, rng.uniform(0.1, 0.2), k % 2 == 0)
        vertices.append(points + rng.uniform(-0.8, 0.8, 3))
        triangles.append((own[:, ::-1] if rng.random() < 0.3 else own) + count)
        count += len(points)
    return np.concatenate(vertices), np.concatenate(triangles)


def walking(vertices: np.ndarray, time: float) -> np.ndarray:
    return vertices + 0.04 * np.sin(3.0 * vertices[:, [2, 0, 1]] + time) + [0.1 * time, 0.0, 0.0]


def told(mesh: TriangleMesh) -> tuple:
    found = intended_solid(mesh)
    return found.solidity.solid, found.solidity.closed, found.solidity.certainty, found.repair.mesh.triangles.tolist()


@pytest.fixture
def asked(monkeypatch):
    """What is decided by rays and probes."""
    calls = []
    for module, name in ((repair, "component_turns"), (solidity, "_probed_steps")):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, real=real, name=name: (calls.append(name), real(*given))[1])
    return calls


@pytest.mark.parametrize("seed", range(8))
def test_a_mesh_that_deforms_means_what_it_means_anew(seed, asked):
    vertices, triangles = character(seed)
    mesh = TriangleMesh(vertices, triangles)
    told(mesh)
    rng = np.random.default_rng(seed)
    before = len(asked)
    for time in rng.uniform(-50.0, 50.0, 6):
        moved = walking(vertices, time)
        mesh = mesh.with_vertices(moved)
        kept = told(mesh)
        assert "component_turns" not in asked[before:]
        assert kept == told(TriangleMesh(moved, triangles))
        before = len(asked)


@pytest.mark.parametrize("seed", range(4))
def test_what_becomes_something_else_is_decided_anew(seed):
    vertices, triangles = character(seed)
    mesh = TriangleMesh(vertices, triangles)
    told(mesh)
    for matrix in (np.diag([-1.0, 1.0, 1.0]), np.diag([1.0, 1.0, 1e-9]), np.diag([1.0, 1.0, 0.05])):
        other = vertices @ matrix
        assert told(mesh.with_vertices(other)) == told(TriangleMesh(other, triangles))


def test_what_is_kept_is_not_copied():
    import copy

    vertices, triangles = character(1)
    mesh = TriangleMesh(vertices, triangles)
    told(mesh)
    assert mesh.decided and not copy.deepcopy(mesh).decided
