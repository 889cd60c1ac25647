"""Parse the JSON and load the buffers of a glTF 2.0 file (.gltf or .glb)."""

import base64
import binascii
import json
import os
import re
import stat
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from ..errors import InvalidFile
from .uris import unescaped, unescaped_bytes

KNOWN_EXTENSIONS = {
    "EXT_mesh_gpu_instancing", "KHR_draco_mesh_compression", "KHR_mesh_quantization", "KHR_node_visibility",
    "EXT_meshopt_compression", "KHR_meshopt_compression",
}  # fmt: skip
"""Supported extensions that change geometry."""
HARMLESS_EXTENSIONS = (
    "KHR_materials_*", "KHR_texture_*", "KHR_lights_*", "KHR_xmp*", "KHR_audio*", "KHR_animation_pointer",
    "KHR_interactivity", "KHR_node_hoverability", "KHR_node_selectability", "KHR_techniques_webgl", "EXT_texture_*",
    "EXT_lights_*", "EXT_mesh_features", "EXT_instance_features", "EXT_structural_metadata", "EXT_feature_metadata",
    "EXT_mesh_manifold", "MSFT_texture_*", "MSFT_packing_*", "ADOBE_materials_*", "NV_materials_*",
    "CESIUM_primitive_outline", "AGI_stk_metadata", "FB_geometry_metadata", "GRIFFEL_bim_data", "VRM", "VRMC_*",
)  # fmt: skip
"""Extensions that do not change geometry: materials, textures, lights, audio and metadata."""
_SINGULAR = {
    "accessors": "accessor", "bufferViews": "buffer view", "buffers": "buffer", "meshes": "mesh", "nodes": "node",
    "scenes": "scene", "skins": "skin",
}  # fmt: skip
_GLB, _JSON, _BINARY = 0x46546C67, 0x4E4F534A, 0x004E4942
LARGEST_NUMBER = 1e300
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class Malformed(ValueError):
    """Raised for an invalid object of a file; the text explains why."""


def entry(items: Any, index: Any, what: str) -> dict[str, Any]:
    """Return the object at an index of a list of objects; raises Malformed."""
    if type(index) is not int or not isinstance(items, list) or not 0 <= index < len(items):
        raise Malformed(f"there is no {what} {index!r:.40}")
    if not isinstance(items[index], dict):
        raise Malformed(f"{what} {index} must be an object")
    found: dict[str, Any] = items[index]
    return found


def whole(owner: dict[str, Any], key: str, default: int | None = None) -> int:
    """Return a non-negative integer of ``owner``; raises Malformed if the value is missing, negative or not an
    integer.
    """
    value = owner.get(key, default)
    if type(value) is not int or value < 0:
        raise Malformed(f"{key} is {value!r:.40}")
    return value


def objects(owner: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return a list of objects, an empty list if it is missing; raises Malformed."""
    value = owner.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Malformed(f"{key} must be a list of objects")
    return value


def names_of(owner: dict[str, Any], key: str) -> dict[str, int]:
    """Return a mapping of names to indices, such as the attributes of a primitive; raises Malformed."""
    value = owner.get(key)
    if not isinstance(value, dict) or any(type(index) is not int for index in value.values()):
        raise Malformed(f"{key} must be an object of names and indices")
    return value


def numbers(owner: dict[str, Any], key: str, count: int, default: tuple[float, ...]) -> tuple[float, ...]:
    """Return ``count`` finite numbers of an object, or the default if they are missing; raises Malformed."""
    value = owner.get(key)
    if value is None:
        return default
    if not isinstance(value, list) or len(value) != count or not all(type(item) in (int, float) for item in value):
        raise Malformed(f"the {key} must have {count} numbers")
    if not all(abs(item) <= LARGEST_NUMBER for item in value):  # also refuses NaN
        raise Malformed(f"the {key} is {value!s:.120}: numbers must be finite")
    return tuple(float(item) for item in value)


def extensions_of(owner: dict[str, Any]) -> dict[str, Any]:
    """Return the extensions of an object by name."""
    value = owner.get("extensions", {})
    return value if isinstance(value, dict) else {}


class Document:
    """A parsed glTF file; buffers are loaded on first use.

    Raises:
        InvalidFile: the file is not glTF 2.0, is truncated, or requires an unknown extension.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            data = file.read_bytes()
        except OSError as error:
            raise InvalidFile(f"{file}: cannot be read: {error.strerror or error}") from None
        is_binary = data[:4] == b"glTF" or file.suffix.lower() == ".glb"
        text, self._binary = self._chunks(data) if is_binary else (data, None)
        self.root = self._parsed(text)
        self._buffers: dict[int, memoryview] = {}
        self._check_asset()
        self._check_extensions()

    @cached_property
    def nodes(self) -> list[dict[str, Any]]:
        """All nodes; raises InvalidFile."""
        return self.table("nodes")

    def object_of(self, kind: str, index: Any) -> dict[str, Any]:
        """Return an entry of a top-level list such as "meshes"; raises Malformed."""
        return entry(self.root.get(kind), index, _SINGULAR.get(kind, kind))

    @cached_property
    def stored_bytes(self) -> int:
        """Number of bytes of all buffers; missing buffers count as empty."""
        total = 0
        for index in range(len(self.table("buffers"))):
            try:
                total += len(self.buffer(index))
            except Malformed:
                continue  # objects that need it are listed as left out
        return total

    def view(self, index: Any) -> tuple[memoryview, dict[str, Any]]:
        """Return the bytes of a buffer view, and the view.

        Raises:
            Malformed: the view does not exist, or its buffer is missing or too short.
        """
        view = self.object_of("bufferViews", index)
        return self.part(view, f"buffer view {index}"), view

    def part(self, owner: dict[str, Any], what: str) -> memoryview:
        """Return the bytes that an object refers to by buffer, byteOffset and byteLength; raises Malformed."""
        data = self.buffer(owner.get("buffer"))
        start, length = whole(owner, "byteOffset", 0), whole(owner, "byteLength")
        if start + length > len(data):
            raise Malformed(f"{what} ends at byte {start + length}, but its buffer has {len(data)} bytes")
        return data[start : start + length]

    def buffer(self, index: Any) -> memoryview:
        """Return the bytes of a buffer; raises Malformed."""
        buffer = self.object_of("buffers", index)
        if index not in self._buffers:
            length = whole(buffer, "byteLength")
            data = self._buffer_bytes(index, buffer.get("uri"))
            if len(data) < length:
                raise Malformed(f"buffer {index} has only {len(data)} of {length} bytes: the file is incomplete")
            self._buffers[index] = memoryview(data)[:length]
        return self._buffers[index]

    def _buffer_bytes(self, index: int, uri: Any) -> bytes | memoryview:
        if uri is None:
            if index != 0 or self._binary is None:
                raise Malformed(f"buffer {index} has no data")
            return self._binary
        if not isinstance(uri, str):
            raise Malformed(f"the URI of buffer {index} must be a string, not {uri!r:.40}")
        if uri[:5].lower() == "data:":
            return _data_of(uri, index)
        return self._beside(uri, index)

    def _beside(self, uri: str, index: int) -> bytes:
        """Read a file in the folder of the glTF file or below."""
        name = unescaped(uri)
        path = os.path.normpath(name.replace("\\", "/"))
        if _SCHEME.match(uri) or path.startswith(("/", "..")) or "\0" in name:
            raise Malformed(f"buffer {index} is {uri!r:.80}, but only files in the folder of the glTF file are read")
        try:
            with (self.file.parent / path).open("rb") as stream:
                if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    raise Malformed(f"buffer {index} is {uri!r:.80}, which is not a file")
                return stream.read()
        except OSError as error:
            raise Malformed(f"buffer {index} is {uri!r:.80}, which cannot be read: {error.strerror}") from None

    def _chunks(self, data: bytes) -> tuple[bytes, memoryview | None]:
        """Return the JSON of a binary file, and its first buffer."""
        header = [int.from_bytes(data[k : k + 4], "little") for k in (0, 4, 8)]
        if len(data) < 20 or header[0] != _GLB:
            raise InvalidFile(f"{self.file}: the file is not binary glTF: it does not begin with 'glTF'")
        if header[1] != 2:
            raise InvalidFile(
                f"{self.file}: the file has glTF version {header[1]}, but only 2.0 is supported; export it as glTF 2.0"
            )
        if header[2] > len(data):
            raise InvalidFile(f"{self.file}: the file has only {len(data)} of {header[2]} bytes: it is incomplete")
        chunks, place = list[tuple[int, memoryview]](), 12
        while place + 8 <= header[2]:
            length, kind = (int.from_bytes(data[k : k + 4], "little") for k in (place, place + 4))
            if place + 8 + length > header[2]:
                raise InvalidFile(f"{self.file}: a chunk has {length} bytes, more than the rest of the file")
            chunks.append((kind, memoryview(data)[place + 8 : place + 8 + length]))
            place += 8 + length
        if not chunks or chunks[0][0] != _JSON:
            raise InvalidFile(f"{self.file}: the file is not valid binary glTF: its first chunk is not JSON")
        binary = next((chunk for kind, chunk in chunks[1:2] if kind == _BINARY), None)
        return bytes(chunks[0][1]).rstrip(b"\0"), binary  # some writers pad the chunk with zeros

    def _parsed(self, text: bytes) -> dict[str, Any]:
        try:
            root = json.loads(text.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise InvalidFile(f"{self.file}: the file is not valid glTF: its JSON is damaged: {error!s:.120}") from None
        if not isinstance(root, dict):
            raise InvalidFile(f"{self.file}: the file is not valid glTF: its JSON is not an object")
        return root

    def _check_asset(self) -> None:
        asset = self.root.get("asset")
        version = asset.get("version") if isinstance(asset, dict) else None
        least = asset.get("minVersion", "2.0") if isinstance(asset, dict) else None
        if not isinstance(version, str) or version.partition(".")[0] != "2" or least not in ("2.0", "2"):
            told = version if least in ("2.0", "2", None) else least
            raise InvalidFile(
                f"{self.file}: the file has glTF version {told!r:.40}, but only 2.0 is supported; export it as glTF 2.0"
            )

    def _check_extensions(self) -> None:
        required = self.root.get("extensionsRequired", [])
        if not isinstance(required, list):
            raise InvalidFile(f"{self.file}: extensionsRequired must be a list")
        for name in required:
            if name in KNOWN_EXTENSIONS or _is_harmless(name):
                continue
            raise InvalidFile(
                f"{self.file}: the file requires the extension {name!r:.80}, which MeshClash does not "
                "support: export the file without this extension"
            )

    def table(self, key: str) -> list[dict[str, Any]]:
        """Return a top-level list such as "meshes"; raises InvalidFile."""
        try:
            return objects(self.root, key)
        except Malformed as error:
            raise InvalidFile(f"{self.file}: {error}") from None


def _is_harmless(name: Any) -> bool:
    return isinstance(name, str) and any(fnmatchcase(name, pattern) for pattern in HARMLESS_EXTENSIONS)


def _data_of(uri: str, index: int) -> bytes:
    """Return the bytes in a data URI."""
    head, comma, body = uri.partition(",")
    if not comma:
        raise Malformed(f"the data URI of buffer {index} is damaged: it has no comma")
    if not head.lower().endswith(";base64"):
        return unescaped_bytes(body)
    try:
        return base64.b64decode(unescaped_bytes(body), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Malformed(f"the data URI of buffer {index} is damaged: {error}") from None
