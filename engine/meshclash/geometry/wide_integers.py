"""Integers of fixed width, a multiple of 64 bits, for kernels: exact if the caller proves that results fit.

A product has the combined width of both factors, so the product always fits. Sums and differences have the width of the
wider operand; the caller has to bound them. Numbers are values like float64, without memory of their own. A product is
expanded limb by limb, with as few multiplications of the processor as possible. In uncompiled code the numbers are
Python integers.
"""

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, register_model

from ..jit import config

_LIMB = 64
_WORD, _DOUBLE, _FLOAT = ir.IntType(_LIMB), ir.IntType(2 * _LIMB), ir.DoubleType()


class Wide(types.Type):  # type: ignore[misc]
    """Numba type of a signed integer with some number of bits."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"Wide({bits})")


@register_model(Wide)
class _WideModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, wide: Wide) -> None:
        super().__init__(manager, wide, ir.IntType(wide.bits))


def _limbs(builder: Any, value: Any) -> list[Any]:
    """Return the limbs of a number, lowest first."""
    bits = value.type.width
    return [
        builder.trunc(builder.lshr(value, ir.Constant(value.type, at)) if at else value, _WORD)
        for at in range(0, bits, _LIMB)
    ]


def _joined(builder: Any, limbs: list[Any]) -> Any:
    whole = ir.IntType(_LIMB * len(limbs))
    out = builder.zext(limbs[0], whole) if len(limbs) > 1 else limbs[0]
    for i, limb in enumerate(limbs[1:], 1):
        out = builder.or_(out, builder.shl(builder.zext(limb, whole), ir.Constant(whole, _LIMB * i)))
    return out


def _unsigned_product(builder: Any, a: list[Any], b: list[Any]) -> list[Any]:
    """Return the limbs of the product of two numbers >= 0, row by row."""
    out: list[Any] = [None] * len(b)
    shift = ir.Constant(_DOUBLE, _LIMB)
    for i, x in enumerate(a):
        carry = None
        for j, y in enumerate(b):
            term = builder.mul(builder.zext(x, _DOUBLE), builder.zext(y, _DOUBLE))
            for more in (out[i + j], carry):
                if more is not None:
                    term = builder.add(term, builder.zext(more, _DOUBLE))
            out[i + j] = builder.trunc(term, _WORD)
            carry = builder.trunc(builder.lshr(term, shift), _WORD)
        out.append(carry)
    return out


def _product(builder: Any, a: Any, b: Any) -> Any:
    """Return the product of two signed numbers in their combined width: the unsigned product minus the signs' terms."""
    both = ir.IntType(a.type.width + b.type.width)
    if both.width == 2 * _LIMB:
        return builder.mul(builder.sext(a, both), builder.sext(b, both))
    out = _joined(builder, _unsigned_product(builder, _limbs(builder, a), _limbs(builder, b)))
    for x, y in ((a, b), (b, a)):
        negative = builder.icmp_signed("<", x, ir.Constant(x.type, 0))
        extra = builder.shl(builder.zext(y, both), ir.Constant(both, x.type.width))
        out = builder.sub(out, builder.select(negative, extra, ir.Constant(both, 0)))
    return out


def _times(context: Any, a: Any, b: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _product(builder, *arguments)

    return Wide(a.bits + b.bits)(a, b), generate


def _sum_by(name: str, a: Any, b: Any) -> Any:
    wider = Wide(max(a.bits, b.bits))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, y = (builder.sext(z, ir.IntType(wider.bits)) for z in arguments)
        return getattr(builder, name)(x, y)

    return wider(a, b), generate


def _plus(context: Any, a: Any, b: Any) -> Any:
    return _sum_by("add", a, b)


def _minus(context: Any, a: Any, b: Any) -> Any:
    return _sum_by("sub", a, b)


def _sign(context: Any, a: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zero = ir.Constant(arguments[0].type, 0)
        more, less = (builder.zext(builder.icmp_signed(op, arguments[0], zero), _WORD) for op in "><")
        return builder.sub(more, less)

    return types.int64(a), generate


def _wide(context: Any, a: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return arguments[0]

    return Wide(_LIMB)(types.int64), generate


def _cut(context: Any, a: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.trunc(arguments[0], _DOUBLE)

    return Wide(2 * _LIMB)(a), generate


def _rounded(context: Any, a: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (value,) = arguments
        zero = ir.Constant(value.type, 0)
        negative = builder.icmp_signed("<", value, zero)
        total = ir.Constant(_FLOAT, 0.0)
        for i, limb in enumerate(_limbs(builder, builder.select(negative, builder.sub(zero, value), value))):
            part = builder.fmul(builder.uitofp(limb, _FLOAT), ir.Constant(_FLOAT, 2.0 ** (_LIMB * i)))
            total = builder.fadd(total, part)
        return builder.select(negative, builder.fneg(total), total)

    return types.float64(a), generate


def _compiled(in_python: Any, in_kernels: Any) -> Any:
    return in_python if config.DISABLE_JIT else intrinsic(in_kernels)


times: Any = _compiled(operator.mul, _times)
"""a b, in the combined width of both."""
plus: Any = _compiled(operator.add, _plus)
"""a + b, in the width of the wider operand; the result must fit."""
minus: Any = _compiled(operator.sub, _minus)
"""a - b, in the width of the wider operand; the result must fit."""
sign: Any = _compiled(lambda a: (a > 0) - (a < 0), _sign)
"""-1, 0 or 1, an int64."""
wide: Any = _compiled(int, _wide)
"""An int64 as a 64-bit number."""
cut: Any = _compiled(lambda a: a, _cut)
"""A number that fits into 128 bits, as a 128-bit number."""
rounded: Any = _compiled(float, _rounded)
"""A float64 near the number, with a relative error of at most 2**-50; from 2**1023 on the result may be infinite."""
