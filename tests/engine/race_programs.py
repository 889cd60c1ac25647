"""A kernel's own source as programs of single steps, one for each thread, for ``race_explorer.py``.

Nothing is modelled by hand: the source file is parsed, and every access to memory that threads share becomes a
``yield`` of what is to be done, whose value is what memory holds then. What only reads arrays that nobody writes stays
as it is, calls of portable functions too: programs run the real text with the real helpers, and need no CUDA target.

A step is a tuple whose first entry says what it is:
("load", array, index), ("store", array, index, value);
("add" | "exch" | "min", array, index, value), atomic;
("peek", array, index), ("put", array, index, value), relaxed;
("fence",), ("barrier",); ("note", function, arguments), told to the explorer.
"""

import ast
import dis
import functools
import importlib
import itertools
from numbers import Number
from pathlib import Path
from types import SimpleNamespace

import meshclash
import numpy as np

GPU = Path(meshclash.__file__).parent / "gpu"
STEP = "_step"
"""Beginning of variables for values of steps; the number of their line follows."""


class Array:
    """An array that threads share: its values lie in the explorer's memory.

    Args:
        name: for messages.
        shape: as of NumPy's.
        block: whose it is; None for all.
        peeked: whether relaxed loads may give what it held before, too.
        read: False for what is only written: values are not kept, so that states do not differ by them.
    """

    def __init__(self, name, shape, block=None, peeked=False, read=True):
        self.name, self.shape = name, shape if isinstance(shape, tuple) else (shape,)
        self.block, self.peeked, self.read = block, peeked, read

    def __repr__(self):
        return self.name if self.block is None else f"{self.name} of block {self.block}"

    def at(self, index):
        """The index as a tuple, which lies in the array."""
        index = index if isinstance(index, tuple) else (index,)
        if not all(0 <= i < n for i, n in zip(index, self.shape, strict=True)):
            raise IndexError(f"{self} has no entry {index}")
        return index


class Table:
    """Numbers that nobody writes, by index or by pairs of indices: as an array gives them, but of Python's own type."""

    def __init__(self, rows):
        self._rows = rows
        self.shape = (len(rows),)

    def __getitem__(self, index):
        return self._rows[index[0]][index[1]] if isinstance(index, tuple) else self._rows[index]


class _Steps(ast.NodeTransformer):
    """Makes steps of accesses to some names."""

    def __init__(self, written, noted, called):
        self._written, self._noted, self._called = set(written), noted, called
        self._count = itertools.count()

    def _step(self, *parts):
        """A step whose value is kept in a local variable, where the explorer sees it."""
        asked = ast.Yield(ast.Tuple(list(parts), ast.Load()))
        return ast.NamedExpr(ast.Name(f"{STEP}{self._line}_{next(self._count)}", ast.Store()), asked)

    def visit(self, node):
        """As ever; expressions know the line of their statement."""
        if isinstance(node, ast.stmt):
            self._line = node.lineno
        return super().visit(node)

    def visit_FunctionDef(self, node):
        node.decorator_list = []
        node = self.generic_visit(node)
        node.body.insert(0, ast.parse("if False: yield").body[0])
        return node

    def visit_Assign(self, node):
        target = node.targets[0]
        if len(node.targets) > 1:
            return self.generic_visit(node)
        if ast.unparse(node.value).startswith("cuda.shared.array("):
            self._written.add(target.id)
            node.value.args = [ast.Constant(target.id), *node.value.args]
            return node
        if self._is_cell(target):
            value = self.visit(node.value)
            return ast.Expr(ast.Yield(self._cell("store", target, value)))
        if isinstance(target, ast.Tuple) and any(map(self._is_cell, target.elts)):
            names = [f"_part{next(self._count)}" for _ in target.elts]
            first = ast.Assign([ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())], node.value)
            rest = [ast.Assign([t], ast.Name(n, ast.Load())) for t, n in zip(target.elts, names, strict=True)]
            return [self.visit(first), *map(self.visit, rest)]
        return self.generic_visit(node)

    def visit_For(self, node):
        """A loop whose place lies in variables: that of an iterator would be seen by nobody."""
        number, target = next(self._count), ast.unparse(node.target)
        bounds = [ast.unparse(bound) for bound in node.iter.args]
        begin, end, by = {1: ["0", *bounds, "1"], 2: [*bounds, "1"], 3: bounds}[len(bounds)]
        lines = ast.parse(
            f"_at{number}, _end{number}, _by{number} = {begin}, {end}, {by}\n"
            f"while _at{number} < _end{number}:\n    {target} = _at{number}\n    _at{number} += _by{number}"
        ).body
        for line in lines:
            ast.increment_lineno(line, node.lineno - line.lineno)
        lines[1].body += node.body
        return [self.visit(line) for line in lines]

    def visit_AugAssign(self, node):
        if not self._is_cell(node.target):
            return self.generic_visit(node)
        before = ast.Subscript(node.target.value, node.target.slice, ast.Load())
        return self.visit(ast.Assign([node.target], ast.BinOp(before, node.op, node.value)))

    def visit_Subscript(self, node):
        if self._is_cell(node) and isinstance(node.ctx, ast.Load):
            cell = self._cell("load", node)
            return self._step(*cell.elts)
        return self.generic_visit(node)

    def visit_Call(self, node):
        node = self.generic_visit_call(node)
        name = ast.unparse(node.func)
        if name == "cuda.syncthreads":
            return ast.Yield(ast.Tuple([ast.Constant("barrier")], ast.Load()))
        if name == "cuda.threadfence":
            return ast.Yield(ast.Tuple([ast.Constant("fence")], ast.Load()))
        if name == "cuda.nanosleep":
            return ast.Constant(None)
        if name.startswith("cuda.atomic."):
            return self._step(ast.Constant(name.rpartition(".")[2]), *node.args)
        if name in ("peek", "put"):
            return self._step(ast.Constant(name), *node.args)
        if name in self._noted:
            return self._step(ast.Constant("note"), node.func, ast.Tuple(node.args, ast.Load()))
        return ast.YieldFrom(node) if name in self._called else node

    def generic_visit_call(self, node):
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def _is_cell(self, node):
        return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in self._written

    def _cell(self, what, node, *more):
        return ast.Tuple([ast.Constant(what), node.value, self.visit(node.slice), *more], ast.Load())


def definitions(module):
    """Parsed source of a module of ``gpu/``."""
    return ast.parse((GPU / f"{module}.py").read_text("utf-8")).body


def constants_of(module, threads):
    """What a kernel finds in its module: constants, and names of other modules that need no CUDA target."""
    names = {"THREADS": threads, "SIMULATED": True}
    for node in definitions(module):
        if isinstance(node, ast.ImportFrom) and node.level and node.module != "cuda_gpu":
            package = "meshclash" + (".gpu" if node.level == 1 else "")
            source = importlib.import_module(f"{package}.{node.module}")
            names.update({alias.name: getattr(source, alias.name) for alias in node.names})
        elif isinstance(node, ast.Assign):
            made = ast.Module([node], [])
            try:
                exec(compile(made, module, "exec"), names)
            except NameError:
                continue  # made of the CUDA target: no constant
    return names


def source_of(module, kernel):
    """The text of a kernel."""
    return ast.unparse(next(n for n in definitions(module) if getattr(n, "name", "") == kernel))


def program(text, names, written, noted=(), called=None):
    """A function that gives the steps of one thread: of (``cuda`` of the thread, arguments of the kernel).

    Args:
        text: source of the kernel, perhaps with a mistake put in.
        names: see ``constants_of``.
        written: parameters of the kernel that threads write.
        noted: functions whose calls are told.
        called: names of functions that write such parameters, too -> their source and the parameters.
    """
    called = called or {}
    names = {**names, "np": SimpleNamespace(int64=int, int32="int32", int16="int16")}
    for name, (source, own) in called.items():
        exec(_compiled(source, _Steps(own, noted, called), name), names)
    tree = _Steps(written, noted, called)
    kernel = ast.parse(text).body[0].name
    code = _compiled(text, tree, kernel)

    def steps(cuda, *arguments):
        own = {**names, "cuda": cuda}
        exec(code, own)
        return own[kernel](*arguments)

    return steps


def _compiled(text, transformer, name):
    tree = ast.fix_missing_locations(transformer.visit(ast.parse(text)))
    return compile(tree, name, "exec")


def live_variables(running):
    """Where a program stands, and what its variables hold that it may still read, also those of what it calls."""
    found = []
    while running is not None:
        frame = running.gi_frame
        own, line = frame.f_locals, f"{STEP}{frame.f_lineno}_"
        names = _live(frame.f_code)[frame.f_lasti]
        held = [(n, own[n]) for n in own if n in names or n.startswith(line)]
        found.append((frame.f_lasti, tuple((n, v) for n, v in held if isinstance(v, (Number, np.generic)))))
        running = running.gi_yieldfrom
    return tuple(found)


@functools.cache
def _live(code):
    """By the place of each instruction the variables that are read after it, before they are written."""
    steps = list(dis.get_instructions(code))
    number = {step.offset: n for n, step in enumerate(steps)}
    live = [frozenset()] * (len(steps) + 1)  # before each instruction
    after = [frozenset()] * len(steps)
    changed = True
    while changed:
        changed = False
        for n in reversed(range(len(steps))):
            step = steps[n]
            follows = frozenset() if step.opname in _LEAVING else live[n + 1]
            if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
                follows |= live[number[step.argval]]
            after[n], now = follows, _before(step, follows)
            changed |= now != live[n]
            live[n] = now
    return {step.offset: after[n] for n, step in enumerate(steps)}


_LEAVING = ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD",
            "JUMP_BACKWARD_NO_INTERRUPT")  # fmt: skip


def _before(step, live):
    """Live variables before an instruction, from those behind it; some instructions of Python 3.13 are two."""
    if "_FAST" not in step.opname:
        return live
    names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
    verbs = [verb for verb in step.opname.replace("_AND_CLEAR", "").split("_") if verb in ("LOAD", "STORE", "DELETE")]
    for verb, name in reversed(list(zip(verbs, names, strict=True))):
        live = live | {name} if verb == "LOAD" else live - {name}
    return live


def threads_of(made, blocks, threads):
    """Programs of all threads of a launch, and their blocks; ``made`` takes a thread's ``cuda``."""
    shared, programs = {}, []
    for block in range(blocks):
        own = {
            "blockIdx": SimpleNamespace(x=block), "gridDim": SimpleNamespace(x=blocks),
            "gridsize": lambda _: blocks * threads,
            "shared": SimpleNamespace(
                array=lambda name, shape, _, block=block: shared.setdefault((name, block), Array(name, shape, block))
            ),
        }  # fmt: skip
        for thread in range(threads):
            number = block * threads + thread
            place = {"threadIdx": SimpleNamespace(x=thread), "grid": lambda _, number=number: number}
            programs.append(functools.partial(made, SimpleNamespace(**own, **place)))
    return programs, [number // threads for number in range(blocks * threads)]
