"""Damages files of meshes and of points again and again: each is read, or refused by InvalidFile, in bounded memory.

    python tests/engine/file_mutations.py --mutations 100000                # of each format: half an hour
    python tests/engine/file_mutations.py --mutations 2000 --formats npz pcd-packed --seed 7
    python tests/engine/file_mutations.py --formats npz --first 1234 --mutations 1   # one of them again

Bits, bytes, words, lines and blocks change, sizes of all widths become extreme, files are cut off and grow; archives
are damaged inside and outside. A process of its own reads them, whose address space may grow by 1 GiB beyond
``memory=`` only. Every hundredth mesh is built whole. For systems that can fork and limit addresses (Linux). Exit
status 1 when something else is raised, memory runs out, the process ends, or a file takes a minute.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import resource
import signal
import struct
import sys
import tempfile
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "engine"), str(Path(__file__).resolve().parent)]

import cloud_files  # noqa: E402
import meshclash as mc  # noqa: E402
from mesh_files import npz, obj, ply, stl  # noqa: E402
from meshclash.massive.inputs import source_of  # noqa: E402

_BESIDE = 1 << 30
"""Bytes of addresses beyond ``memory=``."""
_MINUTE = 60
_BUILT = 100
"""One of so many meshes is built."""
_WORDS = [
    b"", b"0", b"-1", b"1_000", b"1e999", b"-1e999", b"nan", b"inf", b"1e-400", b"9" * 20, b"9" * 400, b"-" + b"9" * 30,
    b"2147483648", b"4294967296", b"999999999999999999", b"0x10", "\u0661".encode(), b"\0", b"\xff", b"1/2/3", b"'",
    b"x" * 70000, b"1 " * 40000, b"list", b"uchar", b"double", b"float", b"end_header", b"vertex", b"face", b"8",
    b"262144",
]  # fmt: skip
_PACKINGS = [0] * 10 + [8] * 10 + [12, 14]
"""Of zip archives: none, deflate, and now and then the slow bzip2 and LZMA."""
_EXTREMES = [
    0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63 - 1, 2**63, 2**64 - 1,
]  # fmt: skip
_DESCRIPTIONS = [
    "'|V1000000'", "'|S4000000000'", "'<U999999'", "'|O'", "'<c16'", "'<M8[s]'", "[('a', '<f8')]", "'<f2'", "'>f8'",
    "'<i1'", "'<f16'", "'f1'", "'<u8'", "(" * 3000, "'9f8'", "'" + "f8," * 900 + "'", "1e999", "None",
]  # fmt: skip
_SHAPES = [
    "(10, 3)", f"({10**18}, 3)", f"({10**30}, 3)", "(-1, 3)", "(3,)", "(True, 3)", "(1e999, 3)", "(2, 3, 1)", "(0, 3)",
]  # fmt: skip

Read = Callable[[Path], None]


def seeds() -> dict[str, tuple[str, list[bytes]]]:
    """Of each format the ending of its files, and whole files."""
    vertices = np.random.default_rng(1).normal(size=(12, 3)).astype(np.float32)
    triangles = np.random.default_rng(2).integers(0, 12, (20, 3))
    faces = [*triangles.tolist(), [0, 1, 2, 3, 4]]
    points = vertices.astype(np.float64)
    found = {
        "npz": (".npz", [npz(vertices, triangles), npz(points, triangles, packed=False)]),
        "obj": (".obj", [obj(vertices, faces), obj(vertices, triangles, relative=True)]),
        "stl": (".stl", [stl(vertices[triangles])]),
        "stl-text": (".stl", [stl(vertices[triangles], "ascii")]),
    }
    for name, form in (("little", "binary_little_endian"), ("big", "binary_big_endian"), ("text", "ascii")):
        found[f"ply-{name}"] = ".ply", [ply(vertices, faces, form, extra) for extra in (False, True)]
    for name, order in (("little", "<"), ("big", ">"), ("text", "")):
        found[f"cloud-ply-{name}"] = ".ply", [cloud_files.ply(points, order=order, normals=points)]
    for name, data in (("text", "ascii"), ("binary", "binary"), ("packed", "binary_compressed")):
        found[f"pcd-{name}"] = ".pcd", [cloud_files.pcd(points, data)]
    whole = (1000.0 * points).astype(np.int32)
    las = [cloud_files.las(whole, (0.001,) * 3, (0.0,) * 3, minor, kind) for minor, kind in ((2, 0), (4, 6))]
    rows = "".join(f"{x!r} {y!r} {z!r}\n" for x, y, z in points.tolist()).encode()
    found |= {
        "las": (".las", las),
        "xyz": (".xyz", [b"# points\n" + rows]),
        "pts": (".pts", [b"12\n" + rows]),
        "csv": (".csv", [b"name,x,y,z\n" + rows.replace(b" ", b",").replace(b"\n", b"\na,")[:-2].join([b"a,", b""])]),
    }
    packed = [_laz(whole, kind) for kind in (3, 6)]
    found |= {f"parts-{name}": found[name] for name in list(found) if found[name][0] in (".obj", ".stl")}
    found |= {f"parts-{name}": found[name] for name in list(found) if name.startswith("ply")}
    found |= {
        "parts-off": (".off", [_off(points, faces)]),
        "parts-glb": (".glb", _gltf(".glb")),
        "parts-gltf": (".gltf", _gltf(".gltf")),
        "parts-3mf": (".3mf", [_threemf()]),
    }
    return found | ({"laz": (".laz", [data for data in packed if data])} if all(packed) else {})


def _off(points: np.ndarray, faces: list[list[int]]) -> bytes:
    rows = [" ".join(map(repr, row)) for row in points.tolist()]
    rows += [" ".join(map(str, [len(face), *face])) for face in faces]
    return f"OFF\n{len(points)} {len(faces)} 0\n{chr(10).join(rows)}\n".encode()


def _gltf(ending: str) -> list[bytes]:
    """Documents with everything that changes geometry, drawn at random, and the data of both compressions."""
    from gltf_samples import Drawn, compressed_box, draco_box

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"whole{ending}"
        drawn = [Drawn(np.random.default_rng(seed)) for seed in range(12)]
        documents = [one.document() for one in drawn]
        documents = [made for made, one in zip(documents, drawn, strict=True) if any(len(t) for _, t in one.expected)]
        documents += [draco_box(), compressed_box(0, "TRIANGLES"), compressed_box(1, "INDICES")]
        return [document.write(path).read_bytes() for document in documents]


def _threemf() -> bytes:
    from threemf_samples import at, model, package, parts_of, tetrahedron, thing

    objects = thing(1, tetrahedron(), 'name="tip"') + thing(2, parts_of('objectid="1"', f'objectid="1" {at(10)}'))
    with tempfile.TemporaryDirectory() as folder:
        return package(Path(folder) / "a.3mf", model(objects, f'<item objectid="2" {at(5)}/>')).read_bytes()


def _laz(whole: np.ndarray, kind: int) -> bytes:
    """Compressed points; nothing where the library is missing."""
    try:
        import laspy
        import lazrs  # noqa: F401
    except ImportError:
        return b""
    record = laspy.LasData(laspy.LasHeader(point_format=kind, version="1.2" if kind < 6 else "1.4"))
    record.X, record.Y, record.Z = whole.T
    out = io.BytesIO()
    record.write(out, do_compress=True)
    return out.getvalue()


def mutated(name: str, raw: bytes, rng: random.Random) -> bytes:
    """A file with something wrong."""
    if name == "npz" and rng.random() < 0.5:
        raw = _repacked(raw, rng)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        raw = rng.choice(_WAYS)(bytearray(raw or b"\0"), rng)
    return raw


def _bits(data: bytearray, rng: random.Random) -> bytes:
    data[_place(data, rng)] ^= 1 << rng.randrange(8)
    return bytes(data)


def _some_bytes(data: bytearray, rng: random.Random) -> bytes:
    at = _place(data, rng)
    end = min(len(data), at + rng.randrange(1, 32))
    data[at:end] = rng.randbytes(end - at)
    return bytes(data)


def _size(data: bytearray, rng: random.Random) -> bytes:
    """An extreme number in place of another."""
    width = rng.choice((1, 2, 4, 8))
    number = struct.pack(rng.choice("<>") + "Q", rng.choice(_EXTREMES))
    at = _place(data, rng)
    data[at : at + width] = number[:width] if rng.random() < 0.7 else number[-width:]
    return bytes(data)


def _cut(data: bytearray, rng: random.Random) -> bytes:
    return bytes(data[: rng.randrange(len(data))])


def _grown(data: bytearray, rng: random.Random) -> bytes:
    return bytes(data) + rng.choice((rng.randbytes(rng.randrange(1, 300)), b"\n" * 1000, bytes(data), bytes(5000)))


def _moved(data: bytearray, rng: random.Random) -> bytes:
    """A block somewhere else, or twice, or nowhere."""
    at, to = _place(data, rng), rng.randrange(len(data))
    block = data[at : at + rng.randrange(1, 64)]
    if rng.random() < 0.7:
        del data[at : at + len(block)]
    data[to:to] = block * rng.randrange(3)
    return bytes(data)


def _word(data: bytearray, rng: random.Random) -> bytes:
    words = bytes(data).split(b" ")
    words[rng.randrange(len(words))] = rng.choice(_WORDS)
    return b" ".join(words)


def _line(data: bytearray, rng: random.Random) -> bytes:
    lines = bytes(data).split(b"\n")
    at = rng.randrange(min(len(lines), rng.choice((20, 10**9))))
    words = lines[at].split()
    if words and rng.random() < 0.7:
        words[rng.randrange(len(words))] = rng.choice(_WORDS)
        lines[at] = b" ".join(words)
    else:
        lines[at : at + 1] = [lines[at]] * rng.choice((0, 2, 50))
    return b"\n".join(lines)


def _place(data: bytearray, rng: random.Random) -> int:
    """Somewhere, often in the beginning or the end, where what files say of themselves stands."""
    size = len(data)
    return rng.choice((rng.randrange(size), rng.randrange(min(300, size)), size - 1 - rng.randrange(min(300, size))))


_WAYS = [_bits, _some_bytes, _size, _cut, _grown, _moved, _word, _line]


def _repacked(raw: bytes, rng: random.Random) -> bytes:
    """An archive of the same arrays with something wrong inside, packed in any way."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as given, zipfile.ZipFile(out, "w", rng.choice(_PACKINGS)) as made:
        for name in given.namelist():
            data = bytearray(given.read(name))
            if rng.random() < 0.5:
                data = bytearray(_described(data, rng))
            if rng.random() < 0.3:
                data = bytearray(rng.choice(_WAYS)(data, rng))
            made.writestr(rng.choice((name, name, name, name.replace("triangles", "faces"), "x.npy")), bytes(data))
    return out.getvalue()


def _described(data: bytearray, rng: random.Random) -> bytes:
    """An array whose header says something else: of another version, length, type or shape."""
    end = 10 + int.from_bytes(data[8:10], "little")
    kind = rng.choice([*_DESCRIPTIONS, "'<f8'", "'<i8'", "'<f4'"])
    text = f"{{'descr': {kind}, 'fortran_order': {rng.choice((True, False, 7))}, 'shape': {rng.choice(_SHAPES)}, }}\n"
    blanks = 50_000_000 if rng.random() < 0.001 else rng.choice((0, 100, 20_000))
    header = text.encode() * rng.choice((1, 1, 1, 0, 2)) + b" " * blanks
    version = rng.choice((1, 1, 2, 3, 4))
    length = rng.choice((len(header), len(header), rng.choice(_EXTREMES)))
    size = (length & 0xFFFF).to_bytes(2, "little") if version == 1 else (length & 0xFFFFFFFF).to_bytes(4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + bytes(data[end:])


def read_mesh(path: Path) -> None:
    """All pieces of a mesh, one after the other."""
    for _ in source_of(path).pieces():
        pass


def read_parts(path: Path) -> None:
    """All objects of a file; each is accounted for."""
    mc.read(path)


def build_mesh(path: Path) -> None:
    """A mesh as clusters."""
    mc.massive.ClusteredMesh.build(path, path.with_suffix(".mcl"), memory=1 << 22).close()


def points_reader(memory: int) -> Read:
    """Reads all points."""

    def read(path: Path) -> None:
        for _ in mc.clouds.read_points(path, memory=memory):
            pass

    return read


def campaign(name: str, options: argparse.Namespace) -> Counter[str]:
    """Damage files of a format in a process of its own; what came of it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())  # Rust tells of each panic
        status = 1
        try:
            _work(name, options, os.fdopen(writer, "w"))
            status = 0
        except BaseException:
            print(traceback.format_exc(), flush=True)
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as said:
        words = said.read().split()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    counts = Counter(words)
    if status:
        place = options.first + counts.total()
        print(f"{name}, mutation {place}: the process ended with {status}", flush=True)
        counts["wrong"] += 1
    return counts


def _work(name: str, options: argparse.Namespace, said: io.TextIOWrapper) -> None:
    """What the process does: writes a word for each file that was read."""
    warnings.simplefilter("ignore")
    ending, raws = seeds()[name]
    has_parts = name.startswith("parts-")
    is_mesh = not has_parts and (ending in (".npz", ".obj", ".stl") or name.startswith("ply"))
    memory = 1 << 22 if is_mesh else options.memory
    read = read_parts if has_parts else read_mesh if is_mesh else points_reader(memory)
    signal.signal(signal.SIGALRM, _too_long)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"damaged{ending}"
        for raw in raws:  # loads what is loaded late, before addresses are counted
            path.write_bytes(raw)
            read(path)
            if is_mesh:
                build_mesh(path)
        unlimited = resource.getrlimit(resource.RLIMIT_AS)
        for number in range(options.first, options.first + options.mutations):
            rng = random.Random(f"{options.seed}/{name}/{number}")
            path.write_bytes(mutated(name, rng.choice(raws), rng))
            signal.alarm(_MINUTE)
            resource.setrlimit(resource.RLIMIT_AS, (_addresses() + memory + _BESIDE, unlimited[1]))
            act = build_mesh if is_mesh and number % _BUILT == 0 else read
            said.write(_outcome(act, path, f"{name}, mutation {number}"))
            said.flush()
            resource.setrlimit(resource.RLIMIT_AS, unlimited)
        signal.alarm(0)


def _outcome(read: Read, path: Path, what: str) -> str:
    try:
        read(path)
    except mc.InvalidFile as error:
        if path.name in str(error):
            return "refused "
        print(f"{what}: an error that names no file: {error}", flush=True)
    except BaseException:  # Rust's panics are no Exceptions
        print(f"{what}:\n{traceback.format_exc()}", flush=True)
    else:
        return "read "
    return "wrong "


def _too_long(*_: object) -> None:
    raise TimeoutError(f"more than {_MINUTE} s")


def _addresses() -> int:
    """Bytes of addresses that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def main(arguments: list[str] | None = None) -> int:
    """Damage files of all formats; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    names = list(seeds())
    parser.add_argument("--mutations", type=int, default=10_000, help="of each format")
    parser.add_argument("--formats", nargs="+", choices=names, default=names)
    parser.add_argument("--memory", type=int, default=1 << 26, help="bytes for points; meshes have the least: 4 MiB")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutation")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    wrong = 0
    for name in options.formats:
        counts = campaign(name, options)
        wrong += counts["wrong"]
        print(f"{name}: {dict(counts)}", flush=True)
    print(f"{wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
