"""Eight float32 numbers at once, and eight truth values, as types for kernels.

``Lanes`` is LLVM's ``<8 x float>``, ``Mask`` its ``<8 x i1>`` (``vectors.py``): one AVX register, two of SSE or NEON.
The ordinary operators are sums, differences, products, quotients, negation and ``abs`` of lanes, and ``&``, ``|``,
``^`` and ``~`` of masks.

Arrays are read and written through pointers, which are made from an address (``array.ctypes.data``) in one place of a
kernel: in Numba's intermediate code, an array is seven values and a reference count, a pointer is one value. A caller
that passes an address must keep the array alive.

Lanes exist only in compiled code. If Numba's compilation is disabled, the binary engine computes the result instead.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .vectors import ARITHMETIC, LOGIC, choice, make_vector

LANES = make_vector("Lanes", ir.FloatType(), 8, ARITHMETIC)
MASK = make_vector("Mask", ir.IntType(1), 8, LOGIC)

_VECTOR = LANES.llvm
_INDEX = ir.IntType(64)


def _pointer_to(item: types.Type) -> tuple[Any, Callable]:
    """Return what an intrinsic of one address returns to make it a pointer to items of a kind."""
    pointer = types.CPointer(item)

    def generate(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(pointer))

    return pointer(types.int64), generate


@intrinsic
def floats(typingctx, address):
    """Return a pointer to the float32 numbers at an address (int64)."""
    return _pointer_to(types.float32)


@intrinsic
def doubles(typingctx, address):
    """Return a pointer to the float64 numbers at an address."""
    return _pointer_to(types.float64)


@intrinsic
def integers(typingctx, address):
    """Return a pointer to the int32 numbers at an address."""
    return _pointer_to(types.int32)


@intrinsic
def longs(typingctx, address):
    """Return a pointer to the int64 numbers at an address."""
    return _pointer_to(types.int64)


@intrinsic
def octets(typingctx, address):
    """Return a pointer to the uint8 numbers at an address."""
    return _pointer_to(types.uint8)


@intrinsic
def shifted(typingctx, pointer, count):
    """Return the pointer advanced by ``count`` (int64) items."""

    def generate(context, builder, signature, args):
        return builder.gep(*args[:1], [args[1]])

    return pointer(pointer, types.int64), generate


def _place(builder, pointer, index):
    """Return the address of eight numbers from ``index`` on."""
    return builder.bitcast(builder.gep(pointer, [index]), ir.PointerType(_VECTOR))


@intrinsic
def load(typingctx, pointer, index):
    """Load eight numbers from a pointer to float32, from the index (int64) on; unchecked."""

    def generate(context, builder, signature, args):
        return builder.load(_place(builder, *args), align=4)

    return LANES(pointer, types.int64), generate


@intrinsic
def store(typingctx, pointer, index, lanes):
    """Store eight numbers at a pointer to float32, from the index on; unchecked."""

    def generate(context, builder, signature, args):
        builder.store(args[2], _place(builder, *args[:2]), align=4)
        return context.get_dummy_value()

    return types.void(pointer, types.int64, LANES), generate


@intrinsic
def splat(typingctx, number):
    """Return a float32 number in all lanes."""

    def generate(context, builder, signature, args):
        vector = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), args[0], ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), 8), [0] * 8)
        return builder.shuffle_vector(vector, ir.Constant(_VECTOR, ir.Undefined), zeros)

    return LANES(types.float32), generate


@intrinsic
def lower(typingctx, a, b):
    """Return the lower number of each lane; b if one is NaN."""
    return LANES(LANES, LANES), choice("<")


@intrinsic
def higher(typingctx, a, b):
    """Return the higher number of each lane; b if one is NaN."""
    return LANES(LANES, LANES), choice(">")


@intrinsic
def not_above(typingctx, a, b):
    """Return a bit mask (int64) of the lanes where a > b does not hold; a lane with NaN from an overflow is kept."""

    def generate(context, builder, signature, args):
        mask = builder.fcmp_unordered("<=", *args)
        return builder.zext(builder.bitcast(mask, ir.IntType(8)), _INDEX)

    return types.int64(LANES, LANES), generate


@intrinsic
def above(typingctx, a, b):
    """Return the mask of the lanes where a > b certainly holds: False for NaN."""

    def generate(context, builder, signature, args):
        return builder.fcmp_ordered(">", *args)

    return MASK(LANES, LANES), generate


@intrinsic
def choose(typingctx, mask, a, b):
    """Return, lane by lane, a if the mask is set, otherwise b."""

    def generate(context, builder, signature, args):
        return builder.select(*args)

    return LANES(MASK, LANES, LANES), generate


@intrinsic
def bits_of(typingctx, mask):
    """Return a mask as eight bits of an int64."""

    def generate(context, builder, signature, args):
        return builder.zext(builder.bitcast(args[0], ir.IntType(8)), _INDEX)

    return types.int64(MASK), generate


@intrinsic
def bit_count(typingctx, mask):
    """Return the number of set bits of an int64."""

    def generate(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic
def lowest_bit(typingctx, mask):
    """Return the index of the lowest set bit of a nonzero int64."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate
