"""Eight float32 numbers at once, as a type that kernels compute with, and eight truth values.

``Lanes`` is LLVM's ``<8 x float>``, ``Mask`` its ``<8 x i1>`` (``vectors.py``): one AVX register, two of SSE or NEON.
Sums, differences, products, quotients, negation and ``abs`` of lanes, ``&``, ``|``, ``^`` and ``~`` of masks are the
ordinary operators.

Arrays are read and written through pointers, made from an address (``array.ctypes.data``) in one place of a kernel: an
array is seven values in Numba's intermediate code and a reference count, a pointer is one. A caller that passes an
address keeps the array alive.

Lanes exist in compiled code only. Where Numba is told not to compile, the binary engine answers instead.
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
    """What an intrinsic of one address returns to make it a pointer to items of a kind."""
    pointer = types.CPointer(item)

    def generate(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(pointer))

    return pointer(types.int64), generate


@intrinsic
def floats(typingctx, address):
    """Pointer to the float32 numbers at an address (int64)."""
    return _pointer_to(types.float32)


@intrinsic
def doubles(typingctx, address):
    """Pointer to the float64 numbers at an address."""
    return _pointer_to(types.float64)


@intrinsic
def integers(typingctx, address):
    """Pointer to the int32 numbers at an address."""
    return _pointer_to(types.int32)


@intrinsic
def longs(typingctx, address):
    """Pointer to the int64 numbers at an address."""
    return _pointer_to(types.int64)


@intrinsic
def octets(typingctx, address):
    """Pointer to the uint8 numbers at an address."""
    return _pointer_to(types.uint8)


@intrinsic
def shifted(typingctx, pointer, count):
    """The pointer to what lies ``count`` (int64) items on."""

    def generate(context, builder, signature, args):
        return builder.gep(*args[:1], [args[1]])

    return pointer(pointer, types.int64), generate


def _place(builder, pointer, index):
    """Where eight numbers from ``index`` on lie."""
    return builder.bitcast(builder.gep(pointer, [index]), ir.PointerType(_VECTOR))


@intrinsic
def load(typingctx, pointer, index):
    """Eight numbers behind a pointer to float32, from the index (int64) on; nothing is checked."""

    def generate(context, builder, signature, args):
        return builder.load(_place(builder, *args), align=4)

    return LANES(pointer, types.int64), generate


@intrinsic
def store(typingctx, pointer, index, lanes):
    """Write eight numbers behind a pointer to float32, from the index on; nothing is checked."""

    def generate(context, builder, signature, args):
        builder.store(args[2], _place(builder, *args[:2]), align=4)
        return context.get_dummy_value()

    return types.void(pointer, types.int64, LANES), generate


@intrinsic
def splat(typingctx, number):
    """A float32 number in all lanes."""

    def generate(context, builder, signature, args):
        vector = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), args[0], ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), 8), [0] * 8)
        return builder.shuffle_vector(vector, ir.Constant(_VECTOR, ir.Undefined), zeros)

    return LANES(types.float32), generate


@intrinsic
def lower(typingctx, a, b):
    """The lower number of each lane; b where one is not a number."""
    return LANES(LANES, LANES), choice("<")


@intrinsic
def higher(typingctx, a, b):
    """The higher number of each lane; b where one is not a number."""
    return LANES(LANES, LANES), choice(">")


@intrinsic
def not_above(typingctx, a, b):
    """Bits (int64) of the lanes where a > b does not hold: what overflowed to no number is kept."""

    def generate(context, builder, signature, args):
        mask = builder.fcmp_unordered("<=", *args)
        return builder.zext(builder.bitcast(mask, ir.IntType(8)), _INDEX)

    return types.int64(LANES, LANES), generate


@intrinsic
def above(typingctx, a, b):
    """Mask of the lanes where a > b certainly holds: false for what is not a number."""

    def generate(context, builder, signature, args):
        return builder.fcmp_ordered(">", *args)

    return MASK(LANES, LANES), generate


@intrinsic
def choose(typingctx, mask, a, b):
    """Lane by lane a where the mask is set, otherwise b."""

    def generate(context, builder, signature, args):
        return builder.select(*args)

    return LANES(MASK, LANES, LANES), generate


@intrinsic
def bits_of(typingctx, mask):
    """A mask as eight bits of an int64."""

    def generate(context, builder, signature, args):
        return builder.zext(builder.bitcast(args[0], ir.IntType(8)), _INDEX)

    return types.int64(MASK), generate


@intrinsic
def bit_count(typingctx, mask):
    """How many bits of an int64 are set."""

    def generate(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic
def lowest_bit(typingctx, mask):
    """Index of the lowest set bit of an int64 that is not zero."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate
