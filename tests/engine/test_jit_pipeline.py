"""Compiled by our pipelines or by Numba's own, kernels do the same; NamedTuples by reference are those by value."""

import shutil
from typing import NamedTuple

import numba
import numpy as np
import pytest
from meshclash import jit_pipeline
from meshclash.jit import (
    CACHE_DIRECTORY,
    FOLDER_NAME,
    PIPELINE_KNOWS,
    inlined,
    inner,
    kernel,
    parallel_kernel,
    parallel_region,
    portable,
)
from meshclash.reference import by_reference
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
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
def test_helpers_have_no_entry_from_python():
    _sums(np.ones((1, 1)), np.ones((1, 1)), np.ones(1, np.bool_), np.zeros(1))
    with pytest.raises(KeyError, match="_dot is called by kernels only"):
        _dot(Pair(np.ones(1), np.ones(1), True), 0)


@inner
def _long(x, turns):
    """Longer than what callers take in, and with a helper of its own that is, too."""
    for _ in range(turns):
        for k in range(3):
            x = np.sin(x) * np.cos(x + k) + np.exp(-x * x) / (1.0 + abs(x)) if x > 0.25 * k else _longer(x, k)
    return x


@inner
def _longer(x, k):
    total = 0.0
    for a, b, c in ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0), (1.5, 2.5, 3.5)):
        total += np.sin(a * x) + np.cos(b * x) * np.exp(-c * x * x) + np.sqrt(abs(x + a)) * np.arctan(b * x + c * k)
        total -= np.log(1.0 + abs(a * x)) / (1.0 + abs(np.sin(b * x))) + np.tan(0.1 * c) * np.cosh(0.01 * x)
    return 0.001 * total


@kernel
def _once(x):
    return _long(x, 1)


@kernel
def _twice(x):
    return _long(_long(x, 1), 1)


@parallel_kernel
def _each(xs, out):
    for i in numba.prange(len(xs)):
        out[i] = _long(xs[i], 1)


@pytest.mark.needs_jit
def test_long_helpers_serve_several_kernels_and_those_of_several_cores():
    xs = np.linspace(-2.0, 2.0, 9)
    expected = np.array([_plainly_long(x) for x in xs])
    assert np.array([_once(x) for x in xs]) == pytest.approx(expected, rel=1e-12)
    assert np.array([_twice(x) for x in xs]) == pytest.approx([_plainly_long(x) for x in expected], rel=1e-12)
    out = np.zeros(9)
    with parallel_region(2) as threads:
        (_each if threads > 1 else _each.py_func)(xs, out)
    assert out == pytest.approx(expected, rel=1e-12)


@pytest.mark.needs_jit
@pytest.mark.parametrize("long", [10, 10_000])
def test_only_long_helpers_are_left_out_of_their_callers(long, monkeypatch):
    monkeypatch.setattr(jit_pipeline, "LONG", long)
    callee, caller = inner(_longer.py_func), inner(lambda x: callee(x, 1))
    for helper, types_ in ((callee, (numba.float64, numba.int64)), (caller, (numba.float64,))):
        helper.compile(types_)
        with global_compiler_lock:
            helper.overloads[types_].library._ensure_finalized()
    library, callee_library = (d.overloads[d.signatures[0]].library for d in (caller, callee))
    assert callee_library.is_long == (long == 10)
    assert list(library.left_out) == [callee_library] * (long == 10)
    name = callee.overloads[callee.signatures[0]].fndesc.mangled_name
    assert library.own_module().get_function(name).is_declaration == (long == 10)


def _plainly_long(x):
    for k in range(3):
        x = np.sin(x) * np.cos(x + k) + np.exp(-x * x) / (1 + abs(x)) if x > 0.25 * k else _longer.py_func(x, k)
    return x


@inner
def _plus(x, k):
    return x + k


@kernel
def _constants(x):
    return _plus(x, 0) + _plus(x, 1) + _plus(x, 2)


@pytest.mark.needs_jit
def test_constants_do_not_make_helpers_of_their_own():
    assert _constants(10) == 33
    helper = inner(_plus.py_func)
    for k in range(3):
        helper.get_call_template([numba.int64, numba.types.literal(k)], {})
    assert helper.signatures == [(numba.int64, numba.int64)]


@portable
def _scaled(x, k):
    return max(x * k, 0.5, -x)


@inner
def _by_helper(x):
    return _scaled(x, 2.0)


@inlined
def _by_inlined(x):
    return _scaled(x, 3.0)


@kernel
def _mixed(n):
    values = np.zeros(n)
    for i in range(n):
        values[i] = _scaled(float(i), 1.0) + _by_helper(float(i)) + _by_inlined(float(i))
    return np.full(2, values.sum())


class _Compiled(event.Listener):
    """Names of the functions that are compiled, with whether they get machine code."""

    def __init__(self):
        self.names = []

    def on_start(self, event):
        pass

    def on_end(self, event):
        dispatcher = event.data["dispatcher"]
        for result in dispatcher.overloads.values():
            self.names.append((dispatcher.py_func.__name__, isinstance(result.library, jit_pipeline._HelperLibrary)))


@pytest.mark.needs_jit
def test_plain_functions_are_helpers_compiled_once():
    function = kernel(_mixed.py_func)
    found = _Compiled()
    with event.install_listener("numba:compile", found):
        result = function(4)
    expected = sum(max(i * k, 0.5) for i in range(4) for k in (1.0, 2.0, 3.0))
    assert result.tolist() == [expected, expected]
    ours = ("_mixed", "_scaled", "_by_helper", "_by_inlined")
    assert [name for name, helper in found.names if not helper and name in ours] == ["_mixed"]
    assert [name for name, _ in found.names].count("_scaled") == 1


@pytest.mark.needs_jit
def test_what_others_compile_with_numba_is_left_alone():
    expected = kernel(_mixed.py_func)(3).tolist()
    assert "resolve_function_type" not in vars(cpu_target.typing_context)
    theirs = numba.njit(_mixed.py_func)
    found = _Compiled()
    with event.install_listener("numba:compile", found):
        assert theirs(3).tolist() == expected
    numbas_own = {name for name, helper in found.names if not helper}
    assert len(numbas_own) > 1 and "_mixed" in numbas_own


@pytest.mark.needs_jit
def test_a_kernel_that_cannot_be_compiled_leaves_nothing_behind():
    with pytest.raises(numba.TypingError):
        kernel(lambda x: np.zeros(x) + "text")(3)
    assert "resolve_function_type" not in vars(cpu_target.typing_context)


LACKING = """
import json
from numba.core.codegen import CPUCodeLibrary
finalize = CPUCodeLibrary._finalize_final_module
del CPUCodeLibrary._finalize_final_module
from meshclash import jit
CPUCodeLibrary._finalize_final_module = finalize
print(json.dumps(["pipeline_class" in jit._HELPER, jit.kernel_notes(), int(jit.kernel(lambda x: x + 1)(1))]))
"""


@pytest.mark.slow
@pytest.mark.needs_jit
def test_a_numba_that_lacks_a_name_compiles_by_itself(tmp_path):
    assert numba.__version__.startswith(PIPELINE_KNOWS), "jit_pipeline.py was not written for this Numba"
    jit_pipeline._require_names()
    ours, notes, answer = run_python(LACKING, MESHCLASH_CACHE_DIR=tmp_path)
    assert (ours, answer) == (False, 2)
    assert any("_finalize_final_module" in note and "compiles slowly" in note for note in notes), notes


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
print(json.dumps([ours, jit.kernel_counts(), hits.pairs.tolist(), hits.kinds.tolist()]))
"""


@pytest.mark.slow
@pytest.mark.needs_jit
def test_an_unknown_numba_compiles_by_itself_and_takes_no_kernel_of_another(tmp_path):
    """Only the version's name is another, so the answers must be the same to the bit."""
    ours = run_python(ANSWER.replace("VERSION", repr(numba.__version__)))
    shutil.copytree(CACHE_DIRECTORY, tmp_path / FOLDER_NAME)
    theirs = run_python(ANSWER.replace("VERSION", "'99.1.0'"), MESHCLASH_CACHE_DIR=tmp_path)
    assert ours[0] == numba.__version__.startswith(PIPELINE_KNOWS)
    assert not theirs[0]
    assert theirs[1]["cached"] == 0 and theirs[1]["compiled"] == sum(ours[1].values()) > 0
    assert ours[2:] == theirs[2:]
