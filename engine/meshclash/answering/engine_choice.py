"""Choose the engine that computes a question, and run it in slices.

Only this module chooses between a device, the 8-wide engines and the binary engines.
"""

from collections.abc import Callable, Generator
from typing import NamedTuple

from ..gpu.device_engine import DeviceEngine
from ..traversal.binary_engine import BinaryEngine
from ..traversal.engine import Chunk, Engine, EngineFailed
from ..traversal.near_engine import NearBinaryEngine, NearWideEngine
from ..traversal.question import Question
from ..traversal.wide_engine import WideEngine
from ..types.slices import Slice

ENGINES = (DeviceEngine, WideEngine, BinaryEngine, NearWideEngine, NearBinaryEngine)
"""The engines in order of preference; the first engine that supports a question computes it."""


class Work(NamedTuple):
    """The work for a result; the field names are those of ``Answer``."""

    volume_tests: int
    primitive_tests: int
    exact_tests: int
    threads: int
    device: str
    note: str


def question_steps(question: Question, take: Callable[[Chunk], object]) -> Generator[float, None, tuple[Work, bool]]:
    """Run an engine in slices and pass its results to ``take``, chunk by chunk, unsorted.

    Returns:
        The work, and whether the chunks are final, without a further exact decision. The note of the work tells why
        preferred engines failed.
    """
    failures = []
    for kind in ENGINES:
        if not kind.serves(question):
            continue
        engine = kind(question)
        try:
            yield from engine_steps(engine, take)
        except EngineFailed as failure:
            failures.append(str(failure))
            continue
        return work_of(engine, "; ".join(failures)), engine.settled
    raise AssertionError(f"no engine supports {question.goal!r}")


def work_of(engine: Engine, note: str = "") -> Work:
    """Return the work of an engine so far."""
    return Work(*engine.counters, engine.threads, engine.device, note)


def engine_steps(engine: Engine, take: Callable[[Chunk], object]) -> Generator[float, None, None]:
    """Run an engine to its end in slices of a few milliseconds; yields the fraction of jobs done."""
    piece, done = Slice(), False
    while not done:
        done = engine.advance()
        for chunk in engine.chunks:
            take(chunk)
        engine.chunks.clear()
        if not done and piece.over:
            yield engine.share
            piece = Slice()
