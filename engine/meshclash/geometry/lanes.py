"""Eight float32 numbers at once, as a type that kernels compute with.

Numba has no vector type, so this file gives it one: a value ``Lanes`` is LLVM's ``<8 x float>``, and LLVM lowers it to
what the processor has (one AVX register, two of SSE or NEON). Sums, differences, products, negation and ``abs`` are the
ordinary operators, lane by lane and each rounded once: nothing is fused, so every processor counts the same tests.

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
_INDEX = ir.IntType(64)


class LanesType(types.Type):
    """Numba's type of eight float32 lanes."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    """A vector register; never boxed."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _type_operator(function: Any, count: int) -> None:
    """Let an operator take ``count`` Lanes and give Lanes."""

    @type_callable(function)
    def _(context: Any) -> Callable:
        if count == 1:
            return lambda a: LANES if a == LANES else None
        return lambda a, b: LANES if a == LANES and b == LANES else None


for _function, _count in ((operator.add, 2), (operator.sub, 2), (operator.mul, 2), (operator.neg, 1), (abs, 1)):
    _type_operator(_function, _count)


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


def _address(context, builder, array_type, array, index):
    """Where eight numbers from ``index`` on lie, in a C-contiguous float32 array of any shape, seen as flat."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), ir.PointerType(_VECTOR))


@intrinsic
def load(typingctx, array, index):
    """Eight numbers of a C-contiguous float32 array, from the flat index (int64) on; nothing is checked."""

    def generate(context, builder, signature, args):
        return builder.load(_address(context, builder, signature.args[0], *args), align=4)

    return LANES(array, types.int64), generate


@intrinsic
def store(typingctx, array, index, lanes):
    """Write eight numbers to a C-contiguous float32 array, from the flat index on; nothing is checked."""

    def generate(context, builder, signature, args):
        builder.store(args[2], _address(context, builder, signature.args[0], *args[:2]), align=4)
        return context.get_dummy_value()

    return types.void(array, types.int64, LANES), generate


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
def lowest_bit(typingctx, mask):
    """Index of the lowest set bit of an int64 that is not zero."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate
