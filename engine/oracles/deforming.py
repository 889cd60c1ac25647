"""Checks of continuous detection: deforming scenes against finer stepping, and certificates that are forged."""

from __future__ import annotations

import copy
import time
from typing import Any

import numpy as np
from meshclash.continuous.impacts import edge_edge_impacts, point_triangle_impacts
from meshclash.geometry.triangle_pair import classify_triangle_pairs
from meshclash.lab.proofs.certify import certify
from meshclash.lab.proofs.check_certificate import check_certificate
from meshclash.query.collide import collide
from meshclash.query.swept_collide import swept_collide
from meshclash.types.mesh import TriangleMesh

from . import Row
from .generators import CLASSES, make_pairs
from .impact_cases import CASES, make_cases

STEPS = 64
"""Parts of an interval: a power of two, so that positions are exact."""


def _deforming(rng: np.random.Generator) -> tuple[TriangleMesh, np.ndarray]:
    """A strip of triangles with whole coordinates that moves, turns over or crumples."""
    size = int(rng.integers(3, 9))
    grid = np.stack(np.meshgrid(np.arange(size), np.arange(3), indexing="ij"), axis=-1).reshape(-1, 2)
    start = np.rint(64 * np.column_stack([grid, rng.uniform(-1, 1, len(grid))]) + rng.integers(-128, 129, 3))
    corners = [(3 * i + j, 3 * i + j + 3, 3 * i + j + 1) for i in range(size - 1) for j in range(2)]
    corners += [(3 * i + j + 1, 3 * i + j + 3, 3 * i + j + 4) for i in range(size - 1) for j in range(2)]
    end = start + rng.integers(-256, 257, 3) + rng.integers(-64, 65, start.shape)
    return TriangleMesh(start, corners), end


def check_scenes(count: int, seed: int) -> list[Row]:
    """Random scenes of two objects: what ``collide`` finds at any of 64 steps must be found, and not late."""
    rng = np.random.default_rng(seed)
    row: Row = {"scenes": "deforming", "asked": count, "pairs": 0, "found by steps": 0, "missed": 0, "late": 0}
    row["refused"] = row["wrong"] = 0
    for _ in range(count):
        (a, end_a), (b, end_b) = _deforming(rng), _deforming(rng)
        found = swept_collide(a, b, None, end_a, None, end_b)
        times = {tuple(pair): t for pair, t in zip(found.pairs.tolist(), found.time.tolist(), strict=True)}
        met: dict[tuple[int, ...], float] = {}
        for k in range(STEPS + 1):
            now = [
                m.with_vertices(m.vertices + (end - m.vertices) * (k / STEPS)) for m, end in ((a, end_a), (b, end_b))
            ]
            for pair in collide(*now).pairs.tolist():
                met.setdefault(tuple(pair), k / STEPS)
        row["pairs"] += len(times)
        row["found by steps"] += len(met)
        row["missed"] += len(met.keys() - times.keys())
        row["late"] += sum(times[pair] > t for pair, t in met.items() if pair in times)
        row["wrong"] = row["late"]
        for i, j in times:
            p, q = a.triangles[i], b.triangles[j]
            proof = certify(a.vertices[p], b.vertices[q], end_a[p], end_b[q])
            row["refused"] += not proof["meets"] or check_certificate(proof) != ""
    return [row]


def check_proofs(count: int, seed: int) -> list[Row]:
    """Certificates of verdicts at rest and moving: each is proved, and refused with its verdict turned round."""
    rows = []
    each = -(-count // (2 * (len(CLASSES) + 2 * len(CASES)))) * 2
    for name in CLASSES:
        a, b = make_pairs(name, each, seed)
        rows.append(_proof_row(name, "at rest", list(zip(a, b, strict=True)), classify_triangle_pairs(a, b)[0] != 0))
    for name in CASES:
        for cut, kind, ask in ((1, "vf", point_triangle_impacts), (2, "ee", edge_edge_impacts)):
            x = make_cases(name, each, seed + cut)
            parts = [(p[:cut], p[cut:4], p[4 : 4 + cut], p[4 + cut :]) for p in x]
            rows.append(_proof_row(name, kind, parts, ask(x[:, :4], x[:, 4:]).hit))
    return rows


def _proof_row(name: str, kind: str, parts: list[tuple[Any, ...]], verdicts: np.ndarray) -> Row:
    begin = time.process_time()
    made = [certify(*part) for part in parts]
    middle = time.process_time()
    refused = sum(check_certificate(c) != "" for c in made)
    end = time.process_time()
    accepted = sum(check_certificate(_turned_round(c)) == "" for c in made)
    wrong = sum(c["meets"] != v for c, v in zip(made, verdicts.tolist(), strict=True)) + accepted
    row: Row = {"certificates": name, "kind": kind, "made": len(made), "meet": int(verdicts.sum())}
    times = {
        "ms to make": f"{1e3 * (middle - begin) / len(made):.2f}",
        "to check": f"{1e3 * (end - middle) / len(made):.2f}",
    }
    return {**row, **times, "refused": refused, "forged and accepted": accepted, "wrong": wrong}


def _turned_round(certificate: dict[str, Any]) -> dict[str, Any]:
    return {**copy.copy(certificate), "meets": not certificate["meets"]}
