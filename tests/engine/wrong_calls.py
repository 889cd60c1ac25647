"""Calls public callables of MeshClash with wrong arguments, drawn from a seed, and tells which end in raw errors.

A wrong call starts from a valid one (``public_calls.py``); one argument of it, or two, are replaced by something else:
a value of a wrong kind, or the valid value damaged a little. It may be answered, or refused by an error of MeshClash,
by an ImportError of a library that is not installed, or by Python's TypeError where arguments do not fit the signature.
Anything else is a fault: a raw error, an error of ``LONGEST`` characters or more, a call that takes seconds, memory
beyond a limit, the end of the process.

Run by ``test_wrong_arguments.py`` in a process of its own, and by hand::

    python tests/engine/wrong_calls.py --calls 20000 --seed 1
"""

import argparse
import collections
import datetime
import decimal
import faulthandler
import fractions
import inspect
import io
import json
import pathlib
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from enum import EnumType
from functools import partial
from typing import Any, NamedTuple

import meshclash as mc
import numpy as np
from public_calls import CUBE, FACES, HALF, Call, Things, examples

LONGEST = 600
"""Characters of a message that a person can read."""
SLOWEST = 20.0
"""Seconds of a call; no valid one takes a tenth of it."""
MEMORY = 6 << 30
"""Bytes of address space that calls may take on top of what the process has."""
SKIPPED = {"warm_up": "compiles for minutes", "configure_device": "changes later calls"}
"""Callables that are called with texts and numbers only by tests of their own."""


CALLBACKS = (
    "told = keep(pairs)", "told = answers(question)", "tell(told)", "if callback(rows.firsts[k], rows.seconds[j], data):",
    "done, least = callback(rows.firsts[k], rows.seconds[start + j], data)",
)  # fmt: skip
"""Lines of MeshClash that call what a caller gave: its errors are the caller's."""


class Foreign:
    """A mesh of another library."""

    vertices, faces = CUBE, FACES


class Hostile:
    """An object whose own methods fail."""

    def __repr__(self) -> str:
        raise RuntimeError("repr fails")

    __str__ = __repr__


def _exhausted() -> Any:
    """Steps that were run to their end."""
    steps = mc.steps(mc.collide, mc.shapes.box(1.0), mc.shapes.box(1.0))
    mc.run(steps)
    return steps


def _closed() -> Any:
    """Steps that were closed."""
    steps = mc.steps(mc.collide, mc.shapes.box(1.0), mc.shapes.box(1.0))
    steps.close()
    return steps


def wrong_values(of: Things) -> dict[str, Callable[[], Any]]:
    """Makers of values that few arguments take, by their descriptions."""
    found: dict[str, Callable[[], Any]] = {}
    for value in (*_plain(), *_arrays()):
        found[f"{len(found)}: {described(value)}"] = partial(_same, value)
    for make in _made(of):
        found[f"{len(found)}: {described(make())}"] = make
    return found


def _same(value: Any) -> Any:
    return value


def _plain() -> list[Any]:
    """Numbers, texts, containers, classes and objects of the standard library and of MeshClash."""
    nan, inf = float("nan"), float("inf")
    return [
        None, True, False, 0, 1, 5, -1, 2**31, 2**63, 2**64, 10**12, 10**400, 10**5000, -(10**400), 0.0, -0.0, 1.5, nan,
        inf, -inf, 1e308, -1e308, 5e-324, 1e-300, 1e30, 1e31, 1j, "", "x", "\0", "\ud800", "aabb", "x.stl", "x" * 9999,
        b"", b"x", (), [], {}, [None], [None, None], ["a"], ["a", "b"], [1, 2], [0, 0], [-1], [10**30], [1.5], [nan],
        [[]], [[1, 2], [3]], (1, 2), ("a", "b"), (None, None), [[1j, 0, 0]], [True], [b"x"], [object], {"a": 1}, {1},
        range(3), range(10**12), slice(None), slice("a"), Ellipsis, NotImplemented, object, int, Exception,
        ValueError("x"), np, print, len, np.float64, np.float64("nan"), np.int8(-1), np.uint64(2**64 - 1), np.str_("x"),
        np.bool_(True), np.datetime64("2026-01-01"), np.timedelta64(1), np.complex128(1j),
        datetime.datetime(2026, 1, 1),
        datetime.timedelta(1), decimal.Decimal("NaN"), decimal.Decimal("sNaN"), decimal.Decimal("1e999"),
        decimal.Decimal(1), fractions.Fraction(1, 3), pathlib.Path("no such file"), pathlib.Path("/"), b"no\xff",
        mc.Verdict.CLASH, mc.ContactKind(1), mc.Progress(0.5, ""), mc.QueryStats(), mc.TriangleMesh,
    ]  # fmt: skip


def _arrays() -> list[np.ndarray]:
    """Arrays of many shapes and kinds."""
    nan, inf = float("nan"), float("inf")
    return [
        np.array(1), np.array(nan), np.zeros(0), np.zeros(3), np.zeros(4), np.zeros((0, 3)), np.zeros((0, 2), int),
        np.zeros((0, 3, 3)), np.zeros((2, 2)), np.zeros((3, 3)), np.zeros((3, 4)), np.zeros((4, 4)), np.eye(3),
        np.eye(4), 2 * np.eye(4), -np.eye(4), np.full((4, 4), nan), np.full((4, 3), nan), np.full((4, 3), inf),
        np.full((4, 4), 1j), np.full((3, 4, 4), nan), np.zeros((2, 4, 4)), np.zeros((1, 1, 1, 1)), np.ones((5, 2), int),
        np.full((5, 2), -1), np.full((5, 2), 2**62), np.full(3, 10**18), np.array(["a"]), np.array([b"a"]),
        np.array([None]), np.array([{}, []], object), np.array([10**400], object), np.array([[1, "a", None]], object),
        np.array(["2026-01-01"], "datetime64[D]"), np.zeros(3, "timedelta64[s]"), np.zeros(2, [("x", float)]),
        np.ma.masked_array(CUBE, CUBE > 0), np.ones(3, bool), np.zeros((2, 3), bool), np.zeros((3, 3), np.float16),
        np.full((1000, 3), nan), np.asfortranarray(np.random.default_rng(1).normal(size=(9, 3)))[::2],
        np.zeros((4, 3), ">f8"), np.matrix(np.eye(4)), np.full((2, 3), 1e308), np.zeros((8, 3)),
        np.broadcast_to(np.float64(1.0), (10**5, 3)), np.array("x" * 5000), np.zeros(3, np.longdouble),
    ]  # fmt: skip


def _made(of: Things) -> list[Callable[[], Any]]:
    """What makes functions, iterators, steps, and objects of MeshClash that are of another kind than is asked for."""
    far, flat = mc.TriangleMesh(CUBE * 1e30, FACES), mc.TriangleMesh(CUBE[:3], [[0, 1, 2]])
    plain = [
        of.mesh, of.tree, of.cloud, of.hull, of.clustered, of.contacts, of.event, [of.event], of.history, of.identity,
        [of.identity], of.parts, of.clashes, of.overlaps, of.mesh_file, str(of.folder), (CUBE, FACES), (CUBE, FACES, 1),
        (CUBE, "x"), ("x", FACES), (None, FACES), [CUBE, FACES], {"vertices": CUBE, "faces": FACES}, [of.mesh, of.mesh],
        [of.mesh, None], far, flat, mc.TriangleMesh(CUBE * 5e-324, FACES), mc.Pose(HALF), [mc.Pose(HALF), HALF],
        [[HALF]],
        [HALF] * 3, (np.eye(3), np.zeros(3)), [(np.eye(3), np.zeros(3))] * 2, 5 * [[[1, 2], [3]]], mc.collide,
        mc.CollisionMatrix(), mc.motion.ScrewMotion(None, HALF), memoryview(b"abc"), bytearray(b"abc"),
        collections.OrderedDict(a=1), np.random.default_rng(1),
    ]  # fmt: skip
    return [
        object, Foreign, Hostile, of.scene, _exhausted, _closed, lambda: mc.steps(mc.self_collide, of.mesh),
        lambda: lambda *_: np.ones(1, np.bool_), lambda: lambda pairs: pairs[:, 0] >= 0, lambda: lambda _: None,
        lambda: lambda _: "x", lambda: lambda _: [[1, 2], [3]], lambda: lambda _: 1 / 0, lambda: lambda: None,
        lambda: iter(()), lambda: iter((1, 2)), lambda: iter([None]), lambda: io.StringIO("x"),
        lambda: io.BytesIO(b"x"),
        *(partial(_same, value) for value in plain),
    ]  # fmt: skip


def damaged(value: Any, rng: random.Random) -> Any:
    """The valid value of an argument, damaged a little."""
    if isinstance(value, np.ndarray | list | tuple) and len(value) and rng.random() < 0.9:
        return _damaged_array(value, rng)
    if isinstance(value, bool):
        return rng.choice([int(value), str(value), np.bool_(value), float(value), [value], None, 2])
    if isinstance(value, int | float):
        return rng.choice(
            [-value, value * 1e300, value * 1e9, value + 1j, str(value), [value], np.array(value), np.array([value]),
             float("nan"), 10**18]
        )  # fmt: skip
    if isinstance(value, str):
        return rng.choice(
            [value + "x", value[:-1], value.upper(), value.encode(), [value], value * 1000, np.str_(value),
             value + "\0", "", None]
        )  # fmt: skip
    return rng.choice([[value], (value,), (value, value), {0: value}, type(value), repr(value)[:50], iter([value])])


def _damaged_array(value: Any, rng: random.Random) -> Any:
    way = rng.randrange(20)
    if way < 6:
        items = list(value)
        place = rng.randrange(len(items))
        items[place] = rng.choice(
            [None, "x", float("nan"), 10**30, -1, items, [], object(), 1j, 2**40, 1e308, Hostile()]
        )
        return type(value)(items) if type(value) in (list, tuple) else items
    if way < 8:
        return type(value)(value[:-1]) if type(value) in (list, tuple) else value[:-1]
    if way < 9:
        return list(value) * 2
    if way < 10:
        return iter(value)
    array = np.array(value, dtype=object) if not isinstance(value, np.ndarray) else value
    ways: list[Callable[[np.ndarray], Any]] = [
        lambda x: x[None], lambda x: x[0], lambda x: x[..., :-1], lambda x: x.astype(str), lambda x: x.astype(object),
        lambda x: x[:0], lambda x: x * float("nan"), lambda x: x.astype(complex), lambda x: np.ma.masked_all(x.shape),
        lambda x: -x - 1, np.transpose, np.ravel, lambda x: x * 1e300, lambda x: x.astype(bool), np.ndarray.tolist,
        lambda x: np.repeat(x, 2, axis=-1),
    ]  # fmt: skip
    try:
        return rng.choice(ways)(array)
    except (TypeError, ValueError, IndexError):  # such an array cannot be damaged in this way
        return array[:0]


def described(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, Hostile):
        return "Hostile"
    if isinstance(value, np.ndarray):
        return f"array {value.shape} {value.dtype} {value.ravel()[:2]!r:.40}"
    if isinstance(value, int) and abs(value) > 10**30:
        return "a huge int"
    try:
        return f"{value!r:.60}"
    except Exception as error:
        return f"a {type(value).__name__} without repr: {error!s:.30}"


class WrongCall(NamedTuple):
    """One call, and what was replaced in it."""

    name: str
    made: Call
    text: str


def wrong_calls(of: Things, count: int, seed: int, only: str = "") -> Iterator[WrongCall]:
    """As many calls as are wanted, each callable about as often as it has arguments."""
    rng, values, known = random.Random(seed), wrong_values(of), examples(of)
    names = [name for name in sorted(known) if only in name and name not in SKIPPED]
    signatures = {name: _places(known[name]()) for name in names}
    weights = [len(signatures[name]) for name in names]
    for _ in range(count):
        name = rng.choices(names, weights)[0]
        made = known[name]()
        text = []
        for place in rng.sample(signatures[name], min(len(signatures[name]), 1 + (rng.random() < 0.15))):
            made, said = _replaced(made, place, values, rng)
            text.append(said)
        yield WrongCall(name, made, ", ".join(text))


def _places(made: Call) -> list[int | str]:
    """The arguments of a call: those given by position, and all others by name, with one name that is none."""
    places: list[int | str] = list(range(len(made.args)))
    if isinstance(made.function, EnumType):  # its other arguments are Python's, and make a new one
        return places
    for k, (name, parameter) in enumerate(inspect.signature(made.function).parameters.items()):
        if k >= len(made.args) and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            places.append(name)
    return [*places, "unknown_option"] if places else ["unknown_option"]


def _replaced(
    made: Call, place: int | str, values: dict[str, Callable[[], Any]], rng: random.Random
) -> tuple[Call, str]:
    given = made.args[place] if isinstance(place, int) else made.options.get(place)
    is_near = given is not None and rng.random() < 0.3
    value = damaged(given, rng) if is_near else values[rng.choice(list(values))]()
    if isinstance(place, int):
        args = (*made.args[:place], value, *made.args[place + 1 :])
        return made._replace(args=args), f"{place}={described(value)}"
    return made._replace(options={**made.options, place: value}), f"{place}={described(value)}"


class TooSlow(BaseException):
    """A call took longer than ``SLOWEST``."""


def _stop(*_: object) -> None:
    raise TooSlow


def answered(made: Call) -> None:
    """Make a call, to the end where it works in slices."""
    answer = made.function(*made.args, **made.options)
    if inspect.isgenerator(answer) and made.function is not mc.steps:
        for _ in answer:
            pass


def check_valid(made: Call) -> None:
    """Make a call that must be answered, unless a library is not installed."""
    try:
        answered(made)
    except (mc.MeshClashError, ImportError) as error:
        if "pip install" not in str(error):
            raise


def fault_of(made: Call) -> tuple[str, str]:
    """What is wrong with how a call ended, and where; ("", "") where nothing is."""
    signal.setitimer(signal.ITIMER_REAL, SLOWEST)
    try:
        answered(made)
    except mc.MeshClashError as error:
        if len(str(error)) > LONGEST:
            return f"a message of {len(str(error))} characters", _where(error)
        if str(pickle.loads(pickle.dumps(error))) != str(error):
            return "an error that pickle changes", _where(error)
    except ImportError:
        pass
    except TypeError as error:
        if _fits(made) and not _is_of_python(made, error):
            return f"TypeError: {error!s:.150}", _where(error)
    except TooSlow as error:
        return f"more than {SLOWEST:g} s", _where(error)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        if _is_of_python(made, error):
            return "", ""
        return f"{type(error).__name__}: {_text(error):.150}", _where(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    return "", ""


def _is_of_python(made: Call, error: BaseException) -> bool:
    """Whether an error is that of a function that the caller gave, or how Python's lists and enumerations fail."""
    if isinstance(made.function, EnumType) or getattr(made.function, "__name__", "") == "__getitem__":
        return isinstance(error, TypeError | ValueError | LookupError | RuntimeError | ArithmeticError)
    return any(frame.line in CALLBACKS for frame in traceback.extract_tb(error.__traceback__))


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "without a text"


def _fits(made: Call) -> bool:
    """Whether arguments fit the signature; those of ``steps`` also that of the question."""
    if made.function is mc.steps and callable(made.args[0]) and hasattr(made.args[0], "slices"):
        return _fits(Call(made.args[0], made.args[1:], made.options))
    try:
        inspect.signature(made.function).bind(*made.args, **made.options)
    except TypeError:
        return False
    return True


def _where(error: BaseException) -> str:
    """The innermost line of MeshClash."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/meshclash/" in frame.filename]
    return f"{frames[-1].filename.rpartition('/meshclash/')[2]}:{frames[-1].lineno}" if frames else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--list", action="store_true", help="print each kind of fault, for people")
    chosen = parser.parse_args()
    faulthandler.enable()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _stop)
    found: dict[tuple[str, str], list[str]] = {}
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        of = Things(pathlib.Path(folder))
        for make in examples(of).values():  # compile first, which may take longer than a call
            check_valid(make())
        resource.setrlimit(resource.RLIMIT_AS, (_address_space() + MEMORY, resource.RLIM_INFINITY))
        for k, (name, made, text) in enumerate(wrong_calls(of, chosen.calls, chosen.seed, chosen.only)):
            print(f"{k} {name}({text})".encode("utf-8", "backslashreplace").decode()[:200], file=sys.stderr, flush=True)
            faulthandler.dump_traceback_later(4 * SLOWEST, exit=True)
            fault, where = fault_of(made)
            faulthandler.cancel_dump_traceback_later()
            if fault:
                found.setdefault((where, fault.partition(":")[0]), []).append(f"{name}({text}): {fault}")
    if chosen.list:
        for (where, kind), lines in sorted(found.items(), key=lambda item: -len(item[1])):
            print(f"{len(lines):4} {kind} at {where}\n       {lines[0]:.300}")
            if len(lines) > 1:
                print(f"       {lines[-1]:.300}")
    answer = {"calls": chosen.calls, "faults": sum(map(len, found.values())), "kinds": len(found)}
    told = sorted(lines[0] for lines in found.values())
    print(json.dumps({**answer, "found": told, "seconds": round(time.monotonic() - start, 1)}))


def _address_space() -> int:
    """Bytes of the process now."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    main()
