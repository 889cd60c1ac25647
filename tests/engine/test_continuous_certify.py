"""Certificates: the small checker proves every verdict, and refuses what was changed."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import meshclash as mc
import numpy as np
import pytest
from meshclash.lab.proofs import check_certificate as checker
from meshclash.lab.proofs.check_certificate import check_certificate
from oracles.generators import CLASSES, make_pairs
from oracles.impact_cases import CASES, make_cases
from oracles.oracle import classify_pairs

ASK = (mc.motion.point_triangle_impacts, mc.motion.edge_edge_impacts)


def certify_four(kind, x):
    cut = 2 if kind else 1
    return mc.lab.certify(x[:cut], x[cut:4], x[4 : 4 + cut], x[4 + cut :])


@pytest.mark.parametrize("kind", (0, 1))
@pytest.mark.parametrize("name", CASES)
def test_moving_verdicts_are_proved(name, kind):
    x = make_cases(name, 25, seed=31)
    hit = ASK[kind](x[:, :4], x[:, 4:]).hit
    for row, met in zip(x, hit, strict=True):
        certificate = certify_four(kind, row)
        assert certificate["meets"] == met
        assert check_certificate(certificate) == "", certificate


@pytest.mark.parametrize("name", CLASSES)
def test_verdicts_at_rest_are_proved(name):
    a, b = make_pairs(name, 25, seed=3)
    for p, q, kind in zip(a, b, classify_pairs(a, b), strict=True):
        certificate = mc.lab.certify(p, q)
        assert certificate["meets"] == (kind != 0)
        assert check_certificate(certificate) == "", certificate


def test_pairs_of_moving_triangles_are_proved():
    rng = np.random.default_rng(8)
    verdicts = []
    for size in (3, 30):
        for _ in range(40):
            x = rng.integers(-size, size + 1, (4, 3, 3)).astype(float)
            x[2:] = x[:2] + rng.integers(-2, 3, (2, 3, 3))
            first, second = (mc.TriangleMesh(corners, [[0, 1, 2]]) for corners in x[:2])
            found = mc.motion.swept_collide(first, second, None, x[2], None, x[3])
            certificate = mc.lab.certify(*x)
            assert certificate["meets"] == bool(len(found))
            assert check_certificate(json.loads(json.dumps(certificate))) == "", certificate
            verdicts.append(tuple(certificate["proof"]))
    assert {("apart",), ("weights",), ("element", "proof")} <= set(verdicts)


def test_things_that_slide_by_at_a_small_distance_are_proved_with_few_directions():
    """They turn, so no direction that keeps still separates them for long."""
    first = np.array([[0.0, 0, 0], [8, 0, 0], [0, 8, 0]])
    first_end = np.array([[0.0, 0, 0], [8, 1, 4], [-1, 8, 4]])
    gap = np.array([0.0, 0, 2.0**-26])
    for rows in ([0, 1, 2], [0, 1]):
        certificate = mc.lab.certify(first[rows], (first + gap)[rows], first_end[rows], (first_end + gap)[rows])
        assert not certificate["meets"] and len(certificate["proof"]["apart"]) < 20
        assert check_certificate(certificate) == ""


def a_few():
    """Certificates of every form."""
    rng = np.random.default_rng(5)
    for kind in (0, 1):
        for x in make_cases("integers", 40, seed=6):
            yield certify_four(kind, x)
    for _ in range(30):
        yield mc.lab.certify(*rng.integers(-3, 4, (2, 3, 3)).astype(float))
        yield mc.lab.certify(*rng.integers(-3, 4, (4, 3, 3)).astype(float))


def test_the_opposite_verdict_is_refused():
    for certificate in a_few():
        forged = {**certificate, "meets": not certificate["meets"]}
        assert check_certificate(forged) != ""


def test_a_proof_of_one_contact_does_not_prove_another():
    """Every proof is put to every other pair of the same sizes: accepted only where the verdict is true anyway."""
    many = [c for c in a_few() if len(c["first"]) + len(c["second"]) == 4][:50]
    tried = 0
    for true in many:
        for other in many:
            forged = {**true, "meets": other["meets"], "proof": other["proof"]}
            if other["meets"] != true["meets"] and len(true["first"]) == len(other["first"]):
                tried += 1
                assert check_certificate(forged) != "", forged
    assert tried > 200


def changed(value, path, new):
    out = copy.deepcopy(value)
    inner = out
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return out


def hit_and_miss():
    moving = [certify_four(kind, x) for kind in (0, 1) for x in make_cases("random", 30, seed=6)]
    hit = next(c for c in moving if c["meets"])
    miss = next(
        c for c in moving if not c["meets"] and len(c["proof"]["apart"]) > 1 and c["proof"]["apart"][0][3][0] != [0]
    )
    return hit, miss


def test_forged_parts_are_refused():
    hit, miss = hit_and_miss()
    low, high, depth = hit["proof"]["interval"]
    assert low > 0
    meet = mc.lab.certify(np.eye(3), [[0, 0, 0], [1, 1, 1], [1, 0.2, 0]])
    assert meet["meets"]
    forged = [
        changed(hit, ["proof", "interval"], [0, low, depth]),
        changed(hit, ["proof", "interval"], [low, high, -1]),
        changed(hit, ["proof", "interval"], [low + 0.5, high, depth]),
        changed(hit, ["proof", "interval"], [0, 1, 10**9]),
        changed(hit, ["proof", "root"], [0, 0, 0, 0]),
        changed(hit, ["proof", "root"], [1, -1]),
        changed(hit, ["proof", "axis"], -1),
        changed(hit, ["proof", "axis"], 7),
        changed(hit, ["proof"], {"weights": [[1], [1, 0, 0]]}),
        changed(miss, ["proof", "apart"], miss["proof"]["apart"][1:]),
        changed(miss, ["proof", "apart"], miss["proof"]["apart"][:-1]),
        changed(
            miss, ["proof", "apart"], [*miss["proof"]["apart"][:1], *miss["proof"]["apart"][2:], [1, 1, 0, [[0]] * 3]]
        ),
        changed(miss, ["proof", "apart"], []),
        changed(miss, ["proof", "apart", 0, 3], [[0], [0], [0]]),
        changed(miss, ["proof", "apart", 0, 3], [[0.5], [0.5], [0.5]]),
        changed(miss, ["proof", "apart", 0, 3], [[-x for x in form] for form in miss["proof"]["apart"][0][3]]),
        changed(miss, ["proof", "apart", 0, 3], []),
        changed(meet, ["proof", "weights"], [[1, 1, 1], [0, 0, 0]]),
        changed(meet, ["proof", "weights"], [[2, -1, 0], [1, 0, 0]]),
        changed(meet, ["proof", "weights", 0, 0], meet["proof"]["weights"][0][0] + 1),
        {},
        {**hit, "proof": None},
        {**hit, "first_end": None},
        {**miss, "second": miss["second"][:-1]},
        {**hit, "first": [["x"]]},
    ]
    for certificate in forged:
        assert check_certificate(certificate) != "", certificate


def test_an_end_is_no_edge_of_its_own():
    """E = G would lie on GH at all times: the same point by two names."""
    x = next(x for x in make_cases("random", 30, seed=6) if not certify_four(1, x)["meets"])
    certificate = certify_four(1, x)
    for place in ([2, 2, 3], [-1, 2, 3], [3, 2, 3], [0, 0, 1], [0, 1, 2], [0, 2, 2]):
        proof = {"root": [0, 1], "interval": [0, 0, 0], "axis": -1, "place": place}
        assert check_certificate({**certificate, "meets": True, "proof": proof}) != ""


def test_the_checker_imports_nothing_of_the_engine():
    source = Path(checker.__file__).read_text(encoding="utf-8")
    imports = [line for line in source.splitlines() if line.startswith(("import", "from"))]
    assert imports == ["import json", "import sys"]


def test_the_checker_runs_alone():
    hit, miss = hit_and_miss()
    lines = "\n".join(json.dumps(c) for c in (hit, miss))

    def ask(text):
        command = [sys.executable, "-I", checker.__file__]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False)

    good = ask(lines)
    assert good.returncode == 0 and "every certificate proves" in good.stdout
    assert ask(json.dumps({**hit, "meets": False})).returncode == 1


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ((np.zeros((2, 3)), np.zeros((3, 3))), "two edges or two triangles, the same"),
        ((np.zeros((4, 3)), np.zeros((3, 3))), "two edges or two triangles, the same"),
        ((np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((1, 3)), np.zeros((3, 3))), "the same at both times"),
        ((np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3))), "of both features, or of neither"),
        ((np.zeros((2, 2)), np.zeros((2, 3))), "first must have shape"),
        ((np.full((2, 3), np.nan), np.zeros((2, 3))), "coordinates must be finite"),
        ((np.zeros(3), np.zeros((3, 3))), "first must have shape"),
        (([[1, 2], [3]], np.zeros((3, 3))), "first cannot be read as numbers"),
        ((np.ma.masked_array(np.zeros((2, 3)), [[1, 0, 0], [0, 0, 0]]), np.zeros((2, 3))), "row 0 is masked"),
        (("edge", np.zeros((2, 3))), "first"),
    ],
)
def test_bad_points_are_refused_with_words(points, message):
    with pytest.raises(mc.InvalidMesh, match=message):
        mc.lab.certify(*points)
