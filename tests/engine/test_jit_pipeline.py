"""Compiled by our pipelines or by Numba's own, kernels do the same; NamedTuples by reference are those by value."""

import gc
from typing import NamedTuple

import numba
import numpy as np
import pytest
from meshclash.jit import PIPELINE_KNOWS, inner, kernel
from meshclash.reference import by_reference
from subprocesses import run_python


class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray
    flag: bool


@inner
def _dot(pair, i):
    return pair.left[i] * pair.right[i] if pair.flag else 0.0


@inner
def _sum(pair, count):
    total = 0.0
    for i in range(count):
        total += _dot(pair, i)
    return total


@kernel
def _sums(rows_a, rows_b, flags, out):
    for k in range(len(out)):
        pair = by_reference(Pair(rows_a[k], rows_b[k], flags[k]))
        other = by_reference(Pair(rows_b[k], rows_b[k], True))
        for one in (pair, other):
            out[k] += _sum(one, rows_a.shape[1])


def test_references_reach_the_values_of_each_pass_of_a_loop():
    rng = np.random.default_rng(1)
    a, b, flags = rng.normal(size=(5, 7)), rng.normal(size=(5, 7)), np.arange(5) % 2 == 0
    out = np.zeros(5)
    _sums(a, b, flags, out)
    np.testing.assert_allclose(out, (a * b).sum(axis=1) * flags + (b * b).sum(axis=1), rtol=1e-12)


def test_uncompiled_code_sees_the_tuple_itself():
    code = "import json; from meshclash.reference import by_reference as r; t = (1, 2); print(json.dumps(r(t) is t))"
    assert run_python(code, NUMBA_DISABLE_JIT="1")


@pytest.mark.needs_jit
def test_the_collector_runs_again_after_a_compilation():
    assert gc.isenabled()
    assert kernel(lambda x: x + 1)(1) == 2
    assert gc.isenabled()


@pytest.mark.needs_jit
def test_helpers_have_no_entry_from_python():
    _sums(np.ones((1, 1)), np.ones((1, 1)), np.ones(1, np.bool_), np.zeros(1))
    with pytest.raises(KeyError, match="_dot is called by kernels only"):
        _dot(Pair(np.ones(1), np.ones(1), True), 0)


ANSWER = """
import json, numba
numba.__version__ = VERSION
import numpy as np
import meshclash as mc
from meshclash import jit
corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
a, b = mc.TriangleMesh(corners, faces), mc.TriangleMesh(corners + 0.125, faces)
hits = mc.collide(a, b)
ours = "pipeline_class" in jit._HELPER
print(json.dumps([ours, str(jit.CACHE_DIRECTORY), hits.pairs.tolist(), hits.kinds.tolist()]))
"""


@pytest.mark.slow
@pytest.mark.needs_jit
def test_an_unknown_numba_compiles_by_itself_into_a_folder_of_its_own(tmp_path):
    """Only the version's name is another, so the answers must be the same to the bit."""
    ours, theirs = (
        run_python(ANSWER.replace("VERSION", repr(version)), MESHCLASH_CACHE_DIR=tmp_path)
        for version in (numba.__version__, "99.1.0")
    )
    assert ours[0] == numba.__version__.startswith(PIPELINE_KNOWS)
    assert not theirs[0]
    assert ours[1] != theirs[1]
    assert ours[2:] == theirs[2:]
