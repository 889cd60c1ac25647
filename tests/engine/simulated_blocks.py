"""Blocks of Numba's simulator that wait instead of polling: the same threads and barriers, in a third of the time.

The simulator's own main thread looks at every thread of a block again and again, and holds the interpreter meanwhile.
"""

import importlib
import threading

import numpy as np

simulator = importlib.import_module("numba.cuda.simulator.kernel")


class Block(simulator.BlockManager):
    """In the place of the simulator's own."""

    def run(self, grid_point, *arguments):
        self._change, self._passed, self._waiting = threading.Condition(), 0, 0
        points = list(np.ndindex(*self._block_dim))
        self._live = len(points)

        def thread():
            try:
                self._f(*arguments)
            finally:
                self._leave()

        threads = [simulator.BlockThread(thread, self, grid_point, point, self._debug) for point in points]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        for each in threads:
            if each.exception:
                raise each.exception[0].with_traceback(each.exception[1])

    def arrive(self):
        """A thread waits until all others of the block that still run wait, too."""
        with self._change:
            self._waiting += 1
            passed = self._passed
            self._open_if_all_wait()
            self._change.wait_for(lambda: self._passed != passed)

    def _leave(self):
        with self._change:
            self._live -= 1
            self._open_if_all_wait()

    def _open_if_all_wait(self):
        if self._waiting == self._live:
            self._waiting = 0
            self._passed += 1
            self._change.notify_all()


def use():
    """Has the simulator run blocks in this way."""
    assert hasattr(simulator.BlockThread, "syncthreads") and hasattr(simulator, "BlockManager")
    simulator.BlockManager = Block
    simulator.BlockThread.syncthreads = lambda thread: thread._manager.arrive()
