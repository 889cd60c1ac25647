"""Eight float32 numbers at once, as a type that kernels compute with, and eight truth values.

Numba has no vector type, so this file gives it two: ``Lanes`` is LLVM's ``<8 x float>``, ``Mask`` its ``<8 x i1>``, and
LLVM lowers them to what the processor has (one AVX register, two of SSE or NEON). Sums, differences, products, negation
and ``abs`` of lanes, ``&``, ``|``, ``^`` and ``~`` of masks are the ordinary operators, lane by lane and each rounded
once: nothing is fused, so every processor counts the same tests.

Arrays are read and written through pointers, made from an address (``array.ctypes.data``) in one place of a kernel: an
array is seven values in Numba's intermediate code and a reference count, a pointer is one. Whoever passes an address
keeps the array alive.

Lanes exist in compiled code only. Where Numba is told not to compile, the binary engine answers instead.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, 8)
_TRUTH = ir.VectorType(ir.IntType(1), 8)
_INDEX = ir.IntType(64)


class LanesType(types.Type):
    """Numba's type of eight float32 lanes."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


class MaskType(types.Type):
    """Numba's type of eight truth values."""

    def __init__(self) -> None:
        super().__init__(name="Mask")


LANES = LanesType()
MASK = MaskType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    """A vector register; never boxed."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    """A mask register, or a vector register of zeros and ones; never boxed."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _TRUTH)


def _type_operator(function: Any, count: int, kind: types.Type) -> None:
    """Let an operator take ``count`` values of a kind and give one of it."""

    @type_callable(function)
    def _(context: Any) -> Callable:
        if count == 1:
            return lambda a: kind if a == kind else None
        return lambda a, b: kind if a == kind and b == kind else None


for _function, _count in ((operator.add, 2), (operator.sub, 2), (operator.mul, 2), (operator.neg, 1), (abs, 1)):
    _type_operator(_function, _count, LANES)
_LOGIC: Any = ((operator.and_, 2), (operator.or_, 2), (operator.xor, 2), (operator.invert, 1))
for _function, _count in _LOGIC:
    _type_operator(_function, _count, MASK)


@lower_builtin(operator.add, LanesType, LanesType)
def _add(context, builder, signature, args):
    return builder.fadd(*args)


@lower_builtin(operator.sub, LanesType, LanesType)
def _subtract(context, builder, signature, args):
    return builder.fsub(*args)


@lower_builtin(operator.mul, LanesType, LanesType)
def _multiply(context, builder, signature, args):
    return builder.fmul(*args)


@lower_builtin(operator.neg, LanesType)
def _negate(context, builder, signature, args):
    return builder.fneg(args[0])


@lower_builtin(abs, LanesType)
def _absolute(context, builder, signature, args):
    kind = ir.FunctionType(_VECTOR, [_VECTOR])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.fabs.v8f32"), args)


@lower_builtin(operator.and_, MaskType, MaskType)
def _and(context, builder, signature, args):
    return builder.and_(*args)


@lower_builtin(operator.or_, MaskType, MaskType)
def _or(context, builder, signature, args):
    return builder.or_(*args)


@lower_builtin(operator.xor, MaskType, MaskType)
def _exclusive_or(context, builder, signature, args):
    return builder.xor(*args)


@lower_builtin(operator.invert, MaskType)
def _not(context, builder, signature, args):
    return builder.not_(args[0])


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


def _choice(comparison: str) -> Callable:
    """Lane-wise choice of the number for which the comparison with the other holds."""

    def generate(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(comparison, *args), *args)

    return generate


@intrinsic
def lower(typingctx, a, b):
    """The lower number of each lane; b where one is not a number."""
    return LANES(LANES, LANES), _choice("<")


@intrinsic
def higher(typingctx, a, b):
    """The higher number of each lane; b where one is not a number."""
    return LANES(LANES, LANES), _choice(">")


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
