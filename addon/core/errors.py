"""Errors whose message is ready for the user."""


class DetectError(Exception):
    """Base of the errors that a detection raises on purpose."""


class InputError(DetectError):
    """The scene, a set or an option is wrong; the message says what to change (exit code 2)."""
