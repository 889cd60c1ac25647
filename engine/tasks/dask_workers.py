"""Workers on Dask: processes of this machine, or those of a scheduler that runs somewhere.

Dask runs whatever a client sends. The processes of this machine listen on 127.0.0.1 only, and take only who has the
certificate that is made for them and kept in memory. Nothing else in the package imports Dask.
"""

import logging
import math
import signal
import time
import uuid
from collections.abc import Generator, Sequence
from contextlib import ExitStack, suppress
from typing import Any

from meshclash.errors import MeshClashError, UnsupportedOption, WorkersUnavailable
from meshclash.types.results import Progress

from .task import VERSION, Take, Task, work_off

try:
    import dask.system
    import dask.utils
    import distributed
    import distributed.security
except ImportError as missing:
    raise WorkersUnavailable(
        f"workers need Dask, which cannot be imported here ({missing}): pip install 'meshclash[dask]'"
    ) from None

_PAUSE = 0.02
"""Seconds between two looks at the tasks."""
_CONNECTIONS = 4
"""To the scheduler, how many may break while a task is waited for."""
_CONNECT = 20.0
"""Seconds in which a scheduler must answer at first."""
_AGAIN = 300.0
"""Seconds in which one must answer that runs here or has answered before: its machine may be busy."""
_COUNTING = 1.0
"""Seconds between two questions how many workers there are."""
_PATIENT = {
    "distributed.comm.timeouts.tcp": "1h",
    "distributed.comm.timeouts.connect": f"{_AGAIN:.0f}s",
    "distributed.scheduler.worker-ttl": None,
    "distributed.deploy.lost-worker-timeout": "1h",
}
"""With processes of this machine: a silent one is busy, and one in the place of a lost one may be slow to start.

When one ends the system closes its connections, so that is seen at once."""


class DaskWorkers:
    """Works off tasks on Dask; a worker that is lost costs time only: its tasks are begun again by another.

    To be used in a ``with`` statement, which ends processes that it started.

    Args:
        scheduler: address as "tcp://host:8786"; None starts worker processes on this machine. The scheduler and its
            workers need the same version of meshclash, and certificates where Dask's configuration asks for them.
        count: processes to start; None: one for each core that this process may use.

    Raises:
        WorkersUnavailable: no scheduler answers there.
    """

    def __init__(self, scheduler: str | None = None, count: int | None = None) -> None:
        if scheduler is not None and count is not None:
            raise UnsupportedOption("a scheduler has workers of its own: give either its address or a number of them")
        if count is not None and count < 1:
            raise UnsupportedOption(f"there must be 1 worker at least, not {count}")
        self._scheduler, self.cluster = scheduler, None
        self._count, self._counted = 0, -math.inf
        with ExitStack() as opened:
            if scheduler is None:
                opened.enter_context(dask.config.set(_PATIENT))  # until it is closed: connections may be made again
                self.cluster = opened.enter_context(_on_this_machine(count or dask.system.CPU_COUNT))
            self.client = self._connected(_CONNECT if scheduler is not None else _AGAIN)
            self._opened = opened.pop_all()

    def _connected(self, seconds: float) -> Any:
        try:
            return distributed.Client(self.cluster or self._scheduler, timeout=seconds)
        except (OSError, TypeError, ValueError) as error:  # TypeError: certificates are missing
            raise WorkersUnavailable(f"no Dask scheduler answers at {self._scheduler}: {error}") from None

    def run_steps(self, tasks: Sequence[Task], take: Take) -> Generator[Progress, None, None]:
        """As ``Workers``."""
        if self.client.status == "closed":  # the connection broke since the last tasks
            self._connect_again()
        futures = [self._submit(task, k) for k, task in enumerate(tasks)]
        try:
            for k in range(len(tasks)):
                take((yield from self._answer_steps(futures, tasks, k)))
                futures[k].release()
                yield self._progress(futures, k + 1)
        finally:
            if self.client.status == "running":  # no other client has a scheduler to tell
                self.client.cancel([future for future in futures if not future.done()], force=True)

    def _answer_steps(
        self, futures: list[Any], tasks: Sequence[Task], k: int
    ) -> Generator[Progress, None, dict[str, Any]]:
        """The answer of a task; it and all after it are submitted again where a connection was broken."""
        for attempt in range(_CONNECTIONS):
            while not futures[k].done():
                yield self._progress(futures, k)
                time.sleep(_PAUSE)
            try:
                return _answer_of(futures[k], tasks[k])
            except distributed.CancelledError as error:
                if attempt + 1 == _CONNECTIONS:
                    raise WorkersUnavailable(f"{tasks[k].name}: the scheduler was lost: {error}") from None
            self._connect_again()
            futures[k:] = [self._submit(task, k + j) for j, task in enumerate(tasks[k:])]
        raise AssertionError("the last attempt returns or raises")

    def _connect_again(self) -> None:
        """Have another client: the scheduler may yet drop what the one before submits."""
        _leave(self.client)
        self.client = self._connected(_AGAIN)

    def _submit(self, task: Task, place: int) -> Any:
        key = f"meshclash-{uuid.uuid4().hex}"
        return self.client.submit(_work_off_alone, VERSION, task.work, task.given, key=key, pure=False, priority=-place)

    def _progress(self, futures: list[Any], taken: int) -> Progress:
        done = taken + sum(future.done() for future in futures[taken:])
        if time.monotonic() > self._counted + _COUNTING:
            self._count = len(self.client.scheduler_info(n_workers=-1).get("workers", ()))
            self._counted = time.monotonic()
        text = f"{self._count} workers, {done} of {len(futures)} tasks" if self._count else "waiting for a worker"
        return Progress(done / len(futures), text)

    def close(self) -> None:
        """Leave the scheduler, and end the processes that were started."""
        with self._opened:
            _leave(self.client)

    def __enter__(self) -> "DaskWorkers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _leave(client: Any) -> None:
    """Close a client, also one whose connection is broken: such a one cannot say goodbye.

    Dask asserts that the first message of a connection comes alone. If it did not, closing raises that AssertionError.
    """
    with suppress(OSError, AssertionError):
        client.close()


def _on_this_machine(count: int) -> Any:
    """Some worker processes with a scheduler in this one, which nobody else can reach."""
    try:
        security = distributed.security.Security.temporary()
    except ImportError as missing:
        raise WorkersUnavailable(
            f"workers need certificates, which cannot be made here ({missing}): pip install 'meshclash[dask]'"
        ) from None
    return distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0",
        security=security, memory_limit=0, silence_logs=logging.ERROR, preload=[__name__],
    )  # fmt: skip


def dask_setup(_worker: Any) -> None:
    """What Dask calls in each process that was started: Ctrl+C reaches them too, but the client ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work_off_alone(version: str, work: str, given: dict[str, Any]) -> dict[str, Any]:
    """The answer of a task; one at a time in a process, since a mesh is asked by one thread at a time."""
    with dask.utils.SerializableLock("meshclash"):
        return work_off(version, work, given)


def _answer_of(future: Any, task: Task) -> dict[str, Any]:
    """The answer of a task that has ended."""
    try:
        answer: dict[str, Any] = future.result()
    except WorkersUnavailable as error:
        raise WorkersUnavailable(f"{task.name}: {error}") from None
    except distributed.KilledWorker as error:
        last = f"the last one was {error.last_worker.address}"
        raise WorkersUnavailable(f"{task.name}: each worker that began it was lost, {last}") from None
    except (MeshClashError, distributed.CancelledError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and future.status != "error":  # not the task's: the connection broke
            raise distributed.CancelledError(str(error)) from error
        raise WorkersUnavailable(f"{task.name}: {type(error).__name__}: {error}") from error
    return answer
