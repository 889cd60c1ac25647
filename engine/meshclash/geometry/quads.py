"""Four float32 numbers at once: a point and an unused number, in a register that every processor has.

A value ``Quad`` is LLVM's ``<4 x float>`` (``vectors.py``), with sums, differences and products. If Numba's compilation
is disabled, a Quad is a NumPy array of four, so that kernels with quads also run in Python.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ..jit import config
from .vectors import ARITHMETIC, choice, make_vector

QUAD = make_vector("Quad", ir.FloatType(), 4, ARITHMETIC)

_VECTOR = QUAD.llvm
_WORD = ir.IntType(32)
_INDEX = ir.IntType(64)
_BYTES = ir.PointerType(ir.IntType(8))


def _address(context, builder, array_type, array, index):
    """Return the address of the number at a flat index of a C-contiguous array."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


@intrinsic
def _load(typingctx, array, index):
    def generate(context, builder, signature, args):
        address = builder.bitcast(_address(context, builder, signature.args[0], *args), ir.PointerType(_VECTOR))
        return builder.load(address, align=4)

    return QUAD(array, types.int64), generate


@intrinsic
def _store(typingctx, array, index, quad):
    def generate(context, builder, signature, args):
        address = _address(context, builder, signature.args[0], *args[:2])
        builder.store(args[2], builder.bitcast(address, ir.PointerType(_VECTOR)), align=4)
        return context.get_dummy_value()

    return types.void(array, types.int64, QUAD), generate


@intrinsic
def _scatter(typingctx, array, index, step, quad):
    def generate(context, builder, signature, args):
        index = args[1]
        for k in range(3):
            address = _address(context, builder, signature.args[0], args[0], index)
            builder.store(builder.extract_element(args[3], ir.Constant(_WORD, k)), address)
            index = builder.add(index, args[2])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, QUAD), generate


PLACE = make_vector("Place", ir.DoubleType(), 4, (operator.sub,))
_PAIR = ir.VectorType(ir.DoubleType(), 2)


@intrinsic
def _place(typingctx, array, index):
    def generate(context, builder, signature, args):
        address = _address(context, builder, signature.args[0], *args)
        pair = builder.load(builder.bitcast(address, ir.PointerType(_PAIR)), align=8)
        places = ir.Constant(ir.VectorType(_WORD, 4), [0, 1, 0, 1])
        point = builder.shuffle_vector(pair, ir.Constant(_PAIR, ir.Undefined), places)
        third = builder.load(builder.gep(address, [ir.Constant(_INDEX, 2)]))
        return builder.insert_element(point, third, ir.Constant(_WORD, 2))

    return PLACE(array, types.int64), generate


@intrinsic
def _triple(typingctx, x, y, z):
    def generate(context, builder, signature, args):
        vector = ir.Constant(PLACE.llvm, [0.0] * 4)
        for k in range(3):
            vector = builder.insert_element(vector, args[k], ir.Constant(_WORD, k))
        return vector

    return PLACE(types.float64, types.float64, types.float64), generate


@intrinsic
def _narrowed(typingctx, place):
    def generate(context, builder, signature, args):
        return builder.fptrunc(args[0], _VECTOR)

    return QUAD(PLACE), generate


@intrinsic
def _keep(typingctx, array, index, place):
    def generate(context, builder, signature, args):
        address = _address(context, builder, signature.args[0], *args[:2])
        builder.store(args[2], builder.bitcast(address, ir.PointerType(PLACE.llvm)), align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, PLACE), generate


@intrinsic
def _kept(typingctx, array, index):
    def generate(context, builder, signature, args):
        address = _address(context, builder, signature.args[0], *args)
        return builder.load(builder.bitcast(address, ir.PointerType(PLACE.llvm)), align=8)

    return PLACE(array, types.int64), generate


@intrinsic
def _quad(typingctx, x, y, z):
    def generate(context, builder, signature, args):
        vector = ir.Constant(_VECTOR, [0.0] * 4)
        for k in range(3):
            vector = builder.insert_element(vector, args[k], ir.Constant(_WORD, k))
        return vector

    return QUAD(types.float32, types.float32, types.float32), generate


@intrinsic
def _component(typingctx, quad, k):
    def generate(context, builder, signature, args):
        return builder.extract_element(*args)

    return types.float32(QUAD, types.int64), generate


_SPREADING = ((16, 0x030000FF), (8, 0x0300F00F), (4, 0x030C30C3), (2, 0x09249249))
"""Shifts and masks that put two zero bits between the ten bits of a number."""


@intrinsic
def _interleave(typingctx, quad):
    def generate(context, builder, signature, args):
        kind = ir.VectorType(_WORD, 4)
        bits = builder.fptosi(args[0], kind)
        for shift, mask in _SPREADING:
            moved = builder.shl(bits, ir.Constant(kind, [shift] * 4))
            bits = builder.and_(builder.or_(bits, moved), ir.Constant(kind, [mask] * 4))
        bits = builder.shl(bits, ir.Constant(kind, [0, 1, 2, 0]))
        x, y, z = (builder.extract_element(bits, ir.Constant(_WORD, k)) for k in range(3))
        return builder.zext(builder.or_(builder.or_(x, y), z), _INDEX)

    return types.uint64(QUAD), generate


@intrinsic
def _lower(typingctx, a, b):
    return QUAD(QUAD, QUAD), choice("<")


@intrinsic
def _higher(typingctx, a, b):
    return QUAD(QUAD, QUAD), choice(">")


@intrinsic
def _fetch(typingctx, array, index):
    def generate(context, builder, signature, args):
        address = builder.bitcast(_address(context, builder, signature.args[0], *args), _BYTES)
        kind = ir.FunctionType(ir.VoidType(), [_BYTES, _WORD, _WORD, _WORD])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(fetch, [address, ir.Constant(_WORD, 0), ir.Constant(_WORD, 3), ir.Constant(_WORD, 1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


def _load_slowly(array, index):
    """load(array, index): load four numbers of a C-contiguous float32 array from the flat index (int64), unchecked."""
    return array.reshape(-1)[index : index + 4].copy()


def _store_slowly(array, index, quad):
    """store(array, index, quad): store four numbers; like ``load``."""
    array.reshape(-1)[index : index + 4] = quad


def _scatter_slowly(array, index, step, quad):
    """scatter(array, index, step, quad): store the first three numbers at a distance of ``step`` elements."""
    array[index : index + 3 * step : step] = quad[:3]


def _place_slowly(array, index):
    """place(array, index): load three numbers of a C-contiguous array as a Place, four float64; the last is unused."""
    return np.append(array.reshape(-1)[index : index + 3], 0.0)


def _triple_slowly(x, y, z):
    """triple(x, y, z): make a Place of three float64 numbers."""
    return np.array([x, y, z, 0.0])


def _narrowed_slowly(place):
    """narrowed(place): round a Place to float32, a Quad."""
    return place.astype(np.float32)


def _keep_slowly(array, index, place):
    """keep(array, index, place): store a Place as four numbers of a float64 array."""
    array[index : index + 4] = place


def _kept_slowly(array, index):
    """kept(array, index): load what ``keep`` stored."""
    return array[index : index + 4].copy()


def _quad_slowly(x, y, z):
    """quad(x, y, z): make a Quad of three float32 numbers, and zero."""
    return np.array([x, y, z, 0], np.float32)


def _component_slowly(quad, k):
    """component(quad, k): return one of the numbers."""
    return quad[k]


def _fetch_slowly(array, index):
    """fetch(array, index): prefetch a flat index of an array into the cache; changes no values."""


def _interleave_slowly(quad):
    """interleave(quad): Morton code (30 bits, uint64) of the integer parts of the first three numbers, 0 to 1023."""
    code = 0
    for k in range(3):
        bits = int(quad[k])
        for shift, mask in _SPREADING:
            bits = (bits | (bits << shift)) & mask
        code |= bits << k
    return np.uint64(code)


_compiled = not config.DISABLE_JIT

load: Any = _load if _compiled else _load_slowly
store: Any = _store if _compiled else _store_slowly
scatter: Any = _scatter if _compiled else _scatter_slowly
place: Any = _place if _compiled else _place_slowly
triple: Any = _triple if _compiled else _triple_slowly
narrowed: Any = _narrowed if _compiled else _narrowed_slowly
keep: Any = _keep if _compiled else _keep_slowly
kept: Any = _kept if _compiled else _kept_slowly
quad: Any = _quad if _compiled else _quad_slowly
component: Any = _component if _compiled else _component_slowly
fetch: Any = _fetch if _compiled else _fetch_slowly
interleave: Any = _interleave if _compiled else _interleave_slowly

lower: Any = _lower if _compiled else np.minimum
"""lower(a, b): the lower number of each component; b if they are equal."""

higher: Any = _higher if _compiled else np.maximum
"""higher(a, b): the higher number of each component; b if they are equal."""
