"""Passing NamedTuples of arrays between helpers by reference.

Numba passes a NamedTuple by value: ten arrays are about eighty values, which are reference-counted at every call and
copied in the code of every function that takes them. Passing these values was a quarter of the time to compile the
verdicts. A reference is one pointer. ``reference.field`` reads the array when it is used, and is again a reference if
the field is a NamedTuple. In uncompiled code, a reference is the tuple itself.

An array that is read through a reference is not reference-counted. Counting takes two atomic operations at every use,
which was more than half of the time of the kernels that decide contacts.
"""

import hashlib
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model

from .jit import config


class Reference(types.Type):  # type: ignore[misc]
    """Numba's type of a pointer to a NamedTuple on the stack of a kernel."""

    def __init__(self, target: Any) -> None:
        self.target = target
        # Short, since it becomes part of the mangled names of all functions that take it.
        digest = hashlib.sha256(str(target).encode()).hexdigest()[:16]
        super().__init__(name=f"Reference({target.instance_class.__name__}, {digest})")


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, reference: Reference) -> None:
        target = manager.lookup(reference.target).get_value_type()
        super().__init__(manager, reference, target.as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = Reference

    def generic_resolve(self, value: Any, attr: str) -> Any:  # type: ignore[override]
        fields = value.target.fields
        if attr not in fields:
            return None
        field = value.target[fields.index(attr)]
        return Reference(field) if isinstance(field, types.BaseNamedTuple) else field


@lower_getattr_generic(Reference)
def _read_field(context: Any, builder: Any, reference: Reference, pointer: Any, name: str) -> Any:
    index = reference.target.fields.index(name)
    place = cgutils.gep_inbounds(builder, pointer, 0, index)
    if isinstance(reference.target[index], types.BaseNamedTuple):
        return place
    value, field = builder.load(place), reference.target[index]
    if not isinstance(field, types.Array):
        return impl_ret_borrowed(context, builder, field, value)
    owner = context.data_model_manager[field].get_field_position("meminfo")
    return builder.insert_value(value, ir.Constant(value.type.elements[owner], None), owner)


def _refer(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        slot = cgutils.alloca_once(builder, arguments[0].type)
        builder.store(arguments[0], slot)
        return slot

    return (Reference(value)(value), generate) if isinstance(value, types.BaseNamedTuple) else None


def _itself(value: Any) -> Any:
    """Return a reference to a NamedTuple, for the helpers that a kernel calls.

    A reference is valid until the function that created it returns, or creates another reference at the same address.
    So helpers must not return a reference. The arrays must belong to the kernel's caller: arrays created in the kernel
    are not kept alive and must not be returned through a reference.
    """
    return value


by_reference: Any = _itself if config.DISABLE_JIT else intrinsic(_refer)
