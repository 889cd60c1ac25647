"""Read and write files of compiled kernels: one kernel each, checked by a hash before its content is used.

Layout: 8 bytes that name the format, the SHA-256 of everything that follows (32 bytes), the length of the header (4
bytes, little endian), the header (JSON), the machine code. The header repeats the conditions for which the code was
compiled, so a renamed file is not mistaken for another kernel.
"""

import hashlib
import json
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from .folders import trusted_bytes

ENDING = ".kernel"
_FORMAT = b"MCKERN1\n"
_HASH_END = len(_FORMAT) + 32
_HEADER = _HASH_END + 4
_OLD = 30 * 24 * 3600.0
"""Seconds after which a kernel of other sources is removed when a new kernel is stored."""

Identity = dict[str, str]
"""Everything that a compiled kernel depends on, by name: sources, versions, argument types, processor."""
Fields = dict[str, Any]
"""Data of a compiled kernel, by name: ``machine_code`` (bytes), and values that JSON can represent."""


class DamagedKernel(Exception):
    """The content of a file does not match its name or its hash."""


def file_name(label: str, identity: Identity) -> str:
    """Return the file name of a kernel.

    Args:
        label: module and function, readable for people.
        identity: what the kernel depends on.
    """
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
    return f"{label}-{identity['sources']}-{digest[:24]}{ENDING}"


def write_kernel(path: Path, identity: Identity, fields: Fields) -> None:
    """Write a kernel under a temporary name and rename it, so that no reader sees an incomplete file; raises
    OSError.
    """
    named = dict(fields)
    machine_code = named.pop("machine_code")
    header = json.dumps({"identity": identity, "code": named}, sort_keys=True).encode()
    body = len(header).to_bytes(4, "little") + header + machine_code
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}")
    try:
        unfinished.touch(0o644, exist_ok=False)  # even if the user's umask makes new files writable for the group
        unfinished.write_bytes(_FORMAT + hashlib.sha256(body).digest() + body)
        unfinished.replace(path)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise


def read_kernel(path: Path, identity: Identity | None = None) -> tuple[Identity, Fields]:
    """Return the conditions for which a kernel was compiled, and its data.

    Args:
        path: file of the kernel.
        identity: the required conditions of the kernel; None accepts any kernel.

    Raises:
        DamagedKernel: the hash is wrong, or the file contains another kernel.
        OSError: the file cannot be read, or another user could have written it.
    """
    return parsed(trusted_bytes(path), path, identity)


def parsed(content: bytes, path: Path, identity: Identity | None = None) -> tuple[Identity, Fields]:
    """Like ``read_kernel``, for the content of a file; ``path`` is only used in messages."""
    if len(content) < _HEADER or content[: len(_FORMAT)] != _FORMAT:
        raise DamagedKernel(f"{path} is not a compiled kernel of this version")
    if hashlib.sha256(memoryview(content)[_HASH_END:]).digest() != content[len(_FORMAT) : _HASH_END]:
        raise DamagedKernel(f"{path} is damaged: its content does not match its hash")
    end = _HEADER + int.from_bytes(content[_HASH_END:_HEADER], "little")
    header = json.loads(content[_HEADER:end])
    if identity is not None and header["identity"] != identity:
        raise DamagedKernel(f"{path} contains a different kernel than its file name says")
    return header["identity"], {**header["code"], "machine_code": content[end:]}


def forget_old(new: Path, label: str, sources: str) -> None:
    """Remove compiled forms of a kernel that are more than 30 days old and were compiled from other sources.

    Args:
        new: file that was just written.
        label: label of the kernel, as passed to ``file_name``.
        sources: hash of the current sources.
    """
    for path in new.parent.glob(f"{label}-*{ENDING}"):
        same_sources = path.name.startswith(f"{label}-{sources}-")
        if not same_sources and path.stat().st_mtime < new.stat().st_mtime - _OLD:
            path.unlink(missing_ok=True)
