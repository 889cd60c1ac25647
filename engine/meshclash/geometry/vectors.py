"""Numba types for several numbers in one register: LLVM's vectors, by item type and width.

Numba has no vector type. LLVM lowers its vectors to the processor's registers. The ordinary operators work lane by
lane, and each result is rounded once. No operation is fused, so the counts of tests are the same on every processor.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import lower_builtin, models, register_model, type_callable


class Vector(types.Type):
    """Numba type of several items side by side."""

    def __init__(self, name: str, item: Any, width: int) -> None:
        self.llvm = ir.VectorType(item, width)
        super().__init__(name=name)


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    """A vector register; never boxed."""

    def __init__(self, manager: Any, kind: Vector) -> None:
        super().__init__(manager, kind, kind.llvm)


def _absolute(builder: Any, a: Any) -> Any:
    name = f"llvm.fabs.v{a.type.count}f32"
    return builder.call(cgutils.get_or_insert_function(builder.module, ir.FunctionType(a.type, [a.type]), name), [a])


_OPERATORS: dict[Any, tuple[int, Callable[..., Any]]] = {
    operator.add: (2, lambda builder, a, b: builder.fadd(a, b)),
    operator.sub: (2, lambda builder, a, b: builder.fsub(a, b)),
    operator.mul: (2, lambda builder, a, b: builder.fmul(a, b)),
    operator.truediv: (2, lambda builder, a, b: builder.fdiv(a, b)),
    operator.neg: (1, lambda builder, a: builder.fneg(a)),
    abs: (1, _absolute),
    operator.and_: (2, lambda builder, a, b: builder.and_(a, b)),
    operator.or_: (2, lambda builder, a, b: builder.or_(a, b)),
    operator.xor: (2, lambda builder, a, b: builder.xor(a, b)),
    operator.invert: (1, lambda builder, a: builder.not_(a)),
}
"""Number of operands of each operator, and the function that builds its code."""

ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, abs)
LOGIC = (operator.and_, operator.or_, operator.xor, operator.invert)


def make_vector(name: str, item: Any, width: int, operators: tuple[Any, ...]) -> Vector:
    """Return a new type.

    Args:
        name: name that Numba shows.
        item: LLVM type of an item.
        width: number of items.
        operators: ARITHMETIC or LOGIC.
    """
    kind = Vector(name, item, width)
    for function in operators:
        _let_operate(function, kind)
    return kind


def _let_operate(function: Any, kind: Vector) -> None:
    count, build = _OPERATORS[function]

    @type_callable(function)
    def _type(context: Any) -> Callable[..., Any]:
        if count == 1:
            return lambda a: kind if a == kind else None
        return lambda a, b: kind if a == kind and b == kind else None

    @lower_builtin(function, *[kind] * count)
    def _lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return build(builder, *args)


def choice(comparison: str) -> Callable[..., Any]:
    """Return what an intrinsic of two vectors returns to select, lane by lane, the number that wins the comparison."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(comparison, *args), *args)

    return generate
