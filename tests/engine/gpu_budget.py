"""What a kernel takes of a device: registers, shared and local memory, read from its machine code.

``python gpu_budget.py`` compiles all kernels and writes what they take to ``gpu_budget.json``, which
``test_gpu_ptx.py`` compares with: do so when a kernel has changed, and look at what the change has cost.

Machine code is an ELF file with a section of attributes, ``.nv.info``: format and number of the attribute, bytes that
follow, and here the index of the kernel's symbol and a value, all little-endian. NVIDIA documents neither; the numbers
are those that ``cuobjdump --dump-resource-usage`` reads.
"""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

GOLDEN = Path(__file__).with_suffix(".json")
REGISTERS, SHARED, LOCAL = "registers", "shared", "local"
_ATTRIBUTES = {0x2F: REGISTERS, 0x11: LOCAL}
"""EIATTR_REGCOUNT, EIATTR_FRAME_SIZE [bytes of a thread]."""
_HAS_SIZE = 4
"""Format of attributes whose bytes follow."""
TOLERANCE = 0.25
FEWEST = 16
"""Of registers: another version of NVIDIA's or of Python's compiler may use so much more, and so many at least. Memory
has none: what begins to spill, or takes more of a block's memory, has been changed."""


def sections(code):
    """(name, bytes in the file, size) of the sections of an ELF file."""
    [start] = struct.unpack_from("<Q", code, 0x28)
    size, count, names_at = struct.unpack_from("<HHH", code, 0x3A)
    found = [struct.unpack_from("<IIQQQQ", code, start + k * size) for k in range(count)]
    names = found[names_at][4]
    for name, kind, _, _, offset, length in found:
        text = code[names + name : code.index(0, names + name)].decode()
        yield text, b"" if kind == 8 else code[offset : offset + length], length  # 8: memory without contents


def budget(code):
    """Registers and bytes of local memory of a thread, bytes of shared memory of a block, of one kernel."""
    found = {REGISTERS: 0, SHARED: 0, LOCAL: 0}
    for name, content, size in sections(code):
        if name.startswith(".nv.shared."):
            found[SHARED] += size
        if name == ".nv.info":
            for attribute, value in _attributes(content):
                if attribute in _ATTRIBUTES:
                    kind = _ATTRIBUTES[attribute]
                    found[kind] = max(found[kind], value)
    return found


def _attributes(content):
    place = 0
    while place < len(content):
        form, attribute, size = struct.unpack_from("<BBH", content, place)
        place += 4
        if form == _HAS_SIZE:
            if size == 8:
                yield attribute, struct.unpack_from("<II", content, place)[1]
            place += size


def excess(found, golden):
    """What a kernel takes more than it should, in words; "" for nothing."""
    registers = golden[REGISTERS]
    most = {**golden, REGISTERS: registers + max(int(registers * TOLERANCE), FEWEST)}
    return ", ".join(f"{found[k]} of {k}, at most {most[k]}" for k in found if found[k] > most[k])


if __name__ == "__main__":
    engine = Path(__file__).parents[2] / "engine"
    command = [sys.executable, Path(__file__).with_name("gpu_ptx.py"), "budget"]
    environment = {**os.environ, "PYTHONPATH": str(engine)}
    printed = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    table = json.loads(printed.splitlines()[-1])
    GOLDEN.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n")
