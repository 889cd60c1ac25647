"""A device that is not there: the engine is told of one, and is given what a test makes in its place."""

from contextlib import contextmanager

import meshclash as mc
from meshclash.gpu import device
from meshclash.gpu.state import DeviceState


@contextmanager
def pretended(monkeypatch, first, crossover):
    """A device that can be used: lists what was made of it, and says what is made ``next``, at first ``first``."""
    made, plan = [], {"next": first}

    def make(limit):
        made.append(plan["next"]())
        return made[-1]

    monkeypatch.setattr(device, "make_backend", make)
    monkeypatch.setattr(device, "_look", lambda: DeviceState(True, name="a host backend"))
    monkeypatch.delenv(device.variable_of(crossover), raising=False)
    mc.configure_device()
    mc.device_state(refresh=True)
    yield made, plan
    mc.configure_device()
    monkeypatch.undo()
    device._session.clear()
    device._state.clear()
