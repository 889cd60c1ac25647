"""Errors with messages that can be shown to the user directly."""

from ..messages import Sentence


class DetectError(Exception):
    """Base of the errors that a detection raises on purpose."""


class InputError(DetectError):
    """The scene, a set or an option is wrong; the message says what to change (exit code 2)."""


class UnusableObject(InputError):
    """Raised if the mesh, points or matrix of one object cannot be used; the detection leaves this object out.

    Args:
        name: name of the object.
        reason: the problem and its solution.
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(Sentence("object '{name}' cannot be used: {why}", name=name, why=reason))
        self.name, self.reason = name, reason
