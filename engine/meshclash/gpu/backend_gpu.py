"""A CUDA device as a backend: its memory, and the launches of its kernels.

``HostBackend`` of the oracles (``device_model/backend.py``) has the same methods.

Everything runs on one stream, in order; only downloads wait. Data that is written repeatedly, such as the vertices of
deforming meshes, goes through page-locked memory, and is copied while the host continues.
"""

import importlib
import math
import weakref
from typing import Any

import numpy as np

from ..messages import Sentence
from ..traversal.question import Question
from . import boxes_gpu, build_gpu, near_gpu, traverse_gpu
from .breadth_first import Hits, Workspace, traverse
from .capacities import Spare
from .cuda_gpu import (
    KERNELS,
    SIMULATED,
    THREADS,
    Kernel,
    abandon,
    all_kernels,
    copy_rows,
    cuda,
    faults,
    fetch,
    send,
)
from .karras import CODE_BITS
from .queue_gpu import Queue, find_by_queue
from .state import DeviceFault, OutOfDeviceMemory
from .trees import Trees

_WITH_KERNELS = (boxes_gpu, build_gpu, near_gpu, traverse_gpu)
"""Modules that fill ``KERNELS``."""
_MOST_BLOCKS = 3 if SIMULATED else 1 << 16
_PART = 2 * THREADS
"""Number of entries of a pyramid that one block sums up."""
_BLOCKS_PER_PROCESSOR = 4
_SMALL = 1 << 20
"""Size [bytes] below which an array is allocated without querying the free memory first; the driver reports failure."""
_MOST_SPARE = 1 << 26
"""Maximum number of bytes of unused arrays that are kept for reuse, because freeing memory makes the device wait."""


class CudaBackend:
    """A CUDA device with its arrays and kernels.

    Args:
        limit: maximum memory of arrays in bytes; None for all free memory.

    Attributes:
        used: bytes of all current arrays.
        most_used: largest value of ``used`` so far.
        resident: number of blocks that run at the same time.
        queue: the persistent state of the device's queue.
    """

    name = "cuda"
    threads = 1

    def __init__(self, limit: int | None = None) -> None:
        context = self.attach()
        with faults():
            self._stream = cuda.stream()
            processors = 1 if SIMULATED else context.device.MULTIPROCESSOR_COUNT
        self._context, self._limit = context, limit
        self.resident = _BLOCKS_PER_PROCESSOR * processors
        self._staged: dict[int, Any] = {}
        self._spare = Spare(_MOST_SPARE)
        self._sent: list[np.ndarray] = []
        self.queue = Queue()
        self.used: int = 0
        self.most_used: int = 0

    def attach(self) -> Any:
        """Make the device's context current in this thread, because the thread may have changed since the last call;
        return the context.
        """
        try:
            with faults():
                return cuda.current_context()
        except RuntimeError as error:  # another library made its own context current in this thread
            raise DeviceFault(Sentence("the device cannot be used from this thread: {why}", why=error)) from error

    def abandon(self) -> None:
        """Abandon a failed device: its memory is not freed before the process ends."""
        abandon(self._context)

    def empty(self, shape: Any, dtype: Any) -> Any:
        """Allocate a device array without initialising it; raise OutOfDeviceMemory if the array does not fit."""
        shape, dtype = shape if isinstance(shape, tuple) else (shape,), np.dtype(dtype)
        size = math.prod(shape) * dtype.itemsize
        memory = self._spare.take((shape, dtype))
        if memory is None:
            memory = self._new(shape, dtype, size)
        array = memory if SIMULATED else memory.bind(self._stream)  # a second Python object for the same memory
        self.used += size
        self.most_used = max(self.most_used, self.used)
        weakref.finalize(array, self._release, size, None if SIMULATED else memory)
        return array

    def _new(self, shape: tuple[int, ...], dtype: Any, size: int) -> Any:
        """Allocate an array in new memory."""
        if self.used + self._spare.size + size > self._most(size):
            self._spare.clear()
        limit = self._most(size)
        if self.used + size > limit:
            raise OutOfDeviceMemory(
                Sentence(
                    "the GPU needs {needed} MB, but only {limit} MB may be used",
                    needed=f"{(self.used + size) / 1000000.0:.0f}",
                    limit=f"{limit / 1000000.0:.0f}",
                )
            )
        with faults():
            return cuda.device_array(shape, dtype, stream=self._stream)

    def _most(self, size: int) -> float:
        """Return the maximum total size of arrays in bytes, before an array of a given size is allocated."""
        if self._limit is not None:
            return self._limit
        if size < _SMALL:
            return math.inf
        with faults():
            free = self._context.get_memory_info()[0]
            if size > free and not SIMULATED:
                self._context.memory_manager.deallocations.clear()  # numba-cuda postpones freeing memory
                free = self._context.get_memory_info()[0]
        return self.used + self._spare.size + float(free)

    def _release(self, size: int, memory: Any) -> None:
        self.used -= size
        if memory is not None:
            self._spare.put((memory.shape, memory.dtype), memory)

    def _wait(self) -> None:
        """Wait until the device has finished its work, then release the buffers that were sent to the device."""
        self._stream.synchronize()
        self._sent.clear()

    def upload(self, array: np.ndarray) -> Any:
        """Copy an array to the device."""
        target = self.empty(array.shape, array.dtype)
        if array.size:
            # The copy may still run when the call returns, so the source array is kept.
            self._sent.append(np.require(array, requirements=["C", "W"]))
            with faults():
                send(target, self._sent[-1], self._stream)
        return target

    def write(self, target: Any, array: np.ndarray) -> None:
        """Copy an array over a device array of the same shape, without waiting for the copy."""
        with faults():
            kept = self._staged.get(id(target))
            if kept is None:
                kept = self._staged[id(target)] = cuda.pinned_array(array.shape, array.dtype)
                weakref.finalize(target, self._staged.pop, id(target), None)
            self._wait()  # an earlier copy from this buffer may still run
            kept[...] = array
            send(target, kept, self._stream)

    def copy(self, target: Any, source: Any, count: int) -> None:
        """Copy the first ``count`` entries from one device array to another."""
        with faults():
            copy_rows(target, source, count, self._stream)

    def finish(self) -> None:
        """Wait until the device has finished its work."""
        with faults():
            self._wait()

    def download(self, array: Any, count: int | None = None) -> np.ndarray:
        """Copy the first ``count`` entries, or all, to the host; wait for the device."""
        rows = array.shape[0] if count is None else count
        return self._fetched(array, 0, rows)

    def read(self, array: Any, index: int) -> int:
        """Read one number of a device array."""
        return int(self._fetched(array, index, 1)[0])

    def _fetched(self, array: Any, first: int, count: int) -> np.ndarray:
        """Copy ``count`` rows of a device array, from row ``first`` on, to the host."""
        result = np.empty((count, *array.shape[1:]), array.dtype)
        with faults():
            fetch(result, array, first, self._stream)
            self._wait()
        return result

    def missing_kernels(self) -> dict[str, Kernel]:
        """Return the kernels that have not been compiled yet, by name."""
        return {name: kernel for name, kernel in all_kernels().items() if not kernel.ready}

    def run(self, module: str, kernel: str, entries: int, *arguments: Any) -> None:
        """Launch the kernel of the module ``{module}_gpu`` over ``entries`` entries."""
        importlib.import_module(f"{module}_gpu")
        self.step(kernel, entries, *arguments)

    def step(self, name: str, entries: int, *arguments: Any) -> None:
        """Launch a kernel by name over ``entries`` entries."""
        self.start(name, max(1, min((entries + THREADS - 1) // THREADS, _MOST_BLOCKS)), *arguments)

    def start(self, name: str, blocks: int, *arguments: Any) -> None:
        """Launch a kernel by name with ``blocks`` blocks."""
        KERNELS[name].launch(blocks, self._stream, *arguments)

    def sum_up(self, sums: Any, width: int) -> None:
        """Compute the levels of a pyramid above its lowest one."""
        while width > 1:
            part = min(width, _PART)
            self.step("sum_levels", width // part * THREADS, sums, width, part)
            width //= part

    def make_keys(self, trees: Trees) -> Any:
        """Return the Morton key of every triangle."""
        total = trees.triangles.shape[0]
        keys = self.empty(total, np.int64)
        self.step(
            "make_keys", total,
            trees.triangles, trees.vertices, trees.tree_of, trees.origins, trees.grids, keys,
        )  # fmt: skip
        return keys

    def sort_keys(self, trees: Trees, keys: Any) -> Any:
        """Return the keys sorted by tree and code: a stable radix sort, from the lowest digit on."""
        total = keys.shape[0]
        moved = self.empty(total, np.int64)
        tiles = (total + build_gpu.TILE - 1) // build_gpu.TILE
        counts = self.empty(tiles * build_gpu.BINS, np.int64)
        totals = self.empty(build_gpu.BINS, np.int64)
        tree_bits = (len(trees.meshes) - 1).bit_length()
        digits = [(False, shift) for shift in range(0, CODE_BITS, build_gpu.DIGIT_BITS)]
        digits += [(True, shift) for shift in range(0, tree_bits, build_gpu.DIGIT_BITS)]
        for by_tree, shift in digits:
            given = (trees.tree_of, by_tree, shift, counts, tiles)
            self.step("count_digits", tiles * THREADS, keys, *given)
            self.step("sum_before", build_gpu.BINS * THREADS, counts, tiles, totals)
            self.step("move_keys", tiles * THREADS, keys, moved, *given, totals)
            keys, moved = moved, keys
        return keys

    def link(self, trees: Trees, keys: Any) -> None:
        """Compute links, parents and order of the trees."""
        self.step(
            "link", keys.shape[0],
            keys, trees.tree_of, trees.begins, trees.roots, trees.links, trees.parents, trees.order,
        )  # fmt: skip

    def fit(self, trees: Trees) -> None:
        """Compute the boxes of the trees."""
        self.step("clear", trees.arrived.shape[0], trees.arrived)
        self.step(
            "fit", trees.order.shape[0],
            trees.triangles, trees.vertices, trees.tree_of, trees.origins, trees.begins, trees.roots, trees.order,
            trees.links, trees.parents, trees.arrived, trees.boxes,
        )  # fmt: skip

    def traverse_fast(self, space: Workspace, a: Trees, b: Trees, question: Question) -> Hits:
        """Traverse by a queue, or level by level if the queue would be too long.

        The rows are the same as those of ``breadth_first.traverse``, in any order.
        """
        hits = find_by_queue(self, space, a, b, question)
        return traverse(space, a, b, question) if hits is None else hits
