"""Files of compiled kernels: one kernel each, checked by a hash before anything in it is used.

Layout: 8 bytes that name the format, the SHA-256 of all that follows (32 bytes), the length of a header (4 bytes,
little endian), the header (JSON), the machine code. The header repeats for what the code was compiled, so a file under
another file's name is not taken for it.
"""

import hashlib
import json
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from .code import KernelCode

ENDING = ".kernel"
_FORMAT = b"MCKERN1\n"
_HASH_END = len(_FORMAT) + 32
_HEADER = _HASH_END + 4

Identity = dict[str, str]
"""What a compiled kernel depends on, by name: sources, versions, argument types, processor."""


class DamagedKernel(Exception):
    """A file is not what its place and its hash say."""


def file_name(label: str, identity: Identity) -> str:
    """Name of the file of a kernel.

    Args:
        label: module and function, to be read by people.
        identity: what the kernel depends on.
    """
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
    return f"{label}-{identity['sources']}-{digest[:24]}{ENDING}"


def write_kernel(path: Path, identity: Identity, code: KernelCode) -> None:
    """Writes a file under another name and renames it, so that no reader sees a part of it; raises OSError."""
    named = code._asdict()
    machine_code = named.pop("machine_code")
    header = json.dumps({"identity": identity, "code": named}, sort_keys=True).encode()
    body = len(header).to_bytes(4, "little") + header + machine_code
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}")
    try:
        unfinished.write_bytes(_FORMAT + hashlib.sha256(body).digest() + body)
        unfinished.replace(path)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise


def read_kernel(path: Path, identity: Identity | None = None) -> tuple[Identity, KernelCode]:
    """For whom a kernel was compiled, and its data.

    Args:
        path: its file.
        identity: what the kernel must have been compiled for; None takes any.

    Raises:
        DamagedKernel: the hash is wrong, or the file holds another kernel.
        OSError: the file cannot be read.
    """
    content = path.read_bytes()
    if len(content) < _HEADER or content[: len(_FORMAT)] != _FORMAT:
        raise DamagedKernel(f"{path} is no compiled kernel of this version")
    if hashlib.sha256(memoryview(content)[_HASH_END:]).digest() != content[len(_FORMAT) : _HASH_END]:
        raise DamagedKernel(f"{path} is damaged: its hash is not that of its content")
    end = _HEADER + int.from_bytes(content[_HASH_END:_HEADER], "little")
    header: dict[str, Any] = json.loads(content[_HEADER:end])
    if identity is not None and header["identity"] != identity:
        raise DamagedKernel(f"{path} holds another kernel than its name says")
    named = header["code"]
    named["environments"] = tuple(named["environments"])
    return header["identity"], KernelCode(**named, machine_code=content[end:])
