"""Arrays of a device that are used again."""

import numpy as np
from meshclash.gpu.capacities import Spare


def test_an_array_is_taken_once_and_only_by_its_kind():
    spare = Spare(100)
    kept = np.zeros(4)
    spare.put("four", kept)
    assert spare.size == 32
    assert spare.take("five") is None
    assert spare.take("four") is kept
    assert spare.take("four") is None
    assert spare.size == 0


def test_no_more_is_kept_than_may_be():
    spare = Spare(100)
    for _ in range(5):
        spare.put("four", np.zeros(4))
    assert spare.size == 96
    spare.put("none", np.zeros(0))
    assert spare.take("none") is not None
    spare.clear()
    assert (spare.size, spare.take("four")) == (0, None)
    spare.put("all", np.zeros(100, np.uint8))
    assert spare.size == 100
