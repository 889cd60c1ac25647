"""Read and write BCF 2.1 and 3.0 files without loss: topics with comments, viewpoints and pictures.

A BCF file is kept unchanged: the XML of topics and viewpoints as trees, all other content as bytes. Our classes are
views of this content, so that data of other programs is never lost. Source: buildingSMART, "BIM Collaboration Format".
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from ...messages import Sentence
from ..errors import InputError

Element = ElementTree.Element
for _prefix in ("xsi", "xsd"):
    ElementTree.register_namespace(
        _prefix, f"http://www.w3.org/2001/XMLSchema{'-instance' if _prefix == 'xsi' else ''}"
    )

VERSIONS = ("2.1", "3.0")
MARKUP, VERSION = "markup.bcf", "bcf.version"
FREE_BYTES, MOST_PACKED = 1 << 24, 100
"""Limits of the decompressed size of a file: a number of bytes, and a multiple of the file size. Models, pictures and
XML pack less."""
FREE_NODES, NODES_A_BYTE = 100_000, 2
"""Limits of the number of XML elements and attributes of a file: a constant, and a number for each byte of the file."""
LONGEST_NAME = 1000  # of a file in it
MOST_LEVELS = 100
"""Maximum nesting depth of XML elements."""
FIRST_DAY = (1980, 1, 1, 0, 0, 0)


class BcfComment(NamedTuple):
    """A comment on a topic."""

    guid: str
    date: str
    author: str
    text: str


@dataclass(eq=False)
class BcfTopic:
    """A topic of a BCF file: its markup, and the files in its folder by name."""

    markup: Element
    files: dict[str, bytes] = field(default_factory=dict)
    own_folder: str = ""
    """The folder of the topic, if it differs from the Guid."""

    @property
    def folder(self) -> str:
        """The topic's folder in the BCF file."""
        return self.own_folder or self.guid

    @property
    def element(self) -> Element:
        """The Topic element of the markup."""
        found = self.markup.find("Topic")
        assert found is not None  # checked when it is read
        return found

    @property
    def guid(self) -> str:
        """GUID of the topic, which is also the name of its folder."""
        return self.element.get("Guid", "")

    @property
    def title(self) -> str:
        """Title of the topic."""
        return self.element.findtext("Title") or ""

    @property
    def status(self) -> str:
        """Status as the author wrote it, for example "Open" or "Closed"."""
        return self.element.get("TopicStatus", "")

    @property
    def comments(self) -> list[BcfComment]:
        """Comments in the order of the file; BCF 3.0 stores comments inside the topic, BCF 2.1 next to it."""
        found = [*self.markup.findall("Comment"), *self.element.findall("Comments/Comment")]
        return [
            BcfComment(
                item.get("Guid", ""),
                item.findtext("Date") or "",
                item.findtext("Author") or "",
                item.findtext("Comment") or "",
            )
            for item in found
        ]

    @property
    def viewpoints(self) -> Iterator[Element]:
        """XML trees of the topic's viewpoints."""
        for name, content in self.files.items():
            if name.lower().endswith(".bcfv"):
                yield parse_xml(content, name)


@dataclass(eq=False)
class BcfFile:
    """A complete BCF file.

    Attributes:
        version: "2.1" or "3.0".
        topics: topics in the order of the file.
        others: the other files of the archive, by path: projects, extensions, documents.
    """

    version: str
    topics: list[BcfTopic] = field(default_factory=list)
    others: dict[str, bytes] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Return the zip file as bytes; the same contents give the same bytes."""
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            put(archive, VERSION, self.others.get(VERSION) or version_xml(self.version))
            for topic in self.topics:
                put(archive, f"{topic.folder}/{MARKUP}", xml_bytes(topic.markup))
                for name, content in topic.files.items():
                    put(archive, f"{topic.folder}/{name}", content)
            for path, content in self.others.items():
                if path != VERSION:
                    put(archive, path, content)
        return file.getvalue()


def put(archive: zipfile.ZipFile, path: str, content: bytes) -> None:
    """Add a file without a date to a zip."""
    info = zipfile.ZipInfo(path, FIRST_DAY)
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, content)


def version_xml(version: str) -> bytes:
    """Return the XML file that states the BCF version."""
    root = ElementTree.Element("Version", {"VersionId": version})
    if version == "2.1":
        ElementTree.SubElement(root, "DetailedVersion").text = version
    return xml_bytes(root)


def xml_bytes(root: Element) -> bytes:
    """Write an XML tree as UTF-8."""
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


class Nodes:
    """Limits the number of XML elements and attributes, because each takes far more memory than its text.

    Args:
        left: so many.
    """

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self, count: int, file: str) -> None:
        """Count elements and attributes; raises InputError if the limit is exceeded."""
        self._left -= count
        if self._left < 0:
            raise InputError(
                Sentence("{path}: the BCF file has too many elements and attributes for its size", path=file)
            )


class _Builder(ElementTree.TreeBuilder):
    """Build the XML tree of one file; raises an error for constructs that BCF does not allow, in every encoding.

    Args:
        file: name of the file.
        nodes: counter that limits the number of elements and attributes.
    """

    def __init__(self, file: str, nodes: Nodes | None) -> None:
        super().__init__()
        self._file, self._depth, self._nodes = file, 0, nodes

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """Raise an error for document types, because an entity can expand to any amount of text."""
        raise InputError(f"{self._file}: " + Sentence("a BCF file must not contain a document type or entities"))

    def start(self, tag: str, attributes: dict[str, str], /) -> Element:
        """Start an element; raise an error for deep nesting, because trees are written recursively."""
        self._depth += 1
        if self._depth > MOST_LEVELS:
            raise InputError(
                f"{self._file}: " + Sentence("more than {most} elements are nested in each other", most=MOST_LEVELS)
            )
        if self._nodes is not None:
            self._nodes.take(1 + len(attributes), self._file)
        return super().start(tag, attributes)

    def end(self, tag: str, /) -> Element:
        """End an element."""
        self._depth -= 1
        return super().end(tag)


def parse_xml(content: bytes, name: str, nodes: Nodes | None = None) -> Element:
    """Parses XML without resolving entities.

    Args:
        content: the text.
        name: name of the file, for error messages.
        nodes: counter that limits the number of elements and attributes; None: no limit.

    Raises:
        InputError: the data is not XML, or contains XML features that BCF does not use.
    """
    parser = ElementTree.XMLParser(target=_Builder(name, nodes))
    try:
        return ElementTree.fromstring(content, parser)
    except (ValueError, LookupError) as error:  # an encoding that is not known
        raise InputError(f"{name}: " + Sentence("not valid XML: {why}", why=error)) from error
    except ElementTree.ParseError as error:
        raise InputError(f"{name}: " + Sentence("not valid XML: {why}", why=error)) from error


def read_bcf(path: Path) -> BcfFile:
    """Reads the topics of a BCF file, in time and memory proportional to its size.

    Raises:
        InputError: the file cannot be read, is damaged, has an unsupported version or a compression that BCF does not
            allow; the message names the file and the position.
    """
    try:
        size = path.stat().st_size
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
            _refuse_bomb(path, size, members)
            contents = {info.filename: archive.read(info) for info in members}
    except InputError:
        raise
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise InputError(Sentence("'{path}' cannot be read as BCF: {why}", path=path, why=error)) from error
    except Exception as error:  # zlib.error and what else a damaged archive raises
        raise InputError(Sentence("'{path}' is damaged: {why}", path=path, why=error)) from error
    nodes = Nodes(FREE_NODES + NODES_A_BYTE * size)
    found = BcfFile(_version(contents, path))
    folders: dict[str, BcfTopic] = {}
    for name, content in contents.items():
        folder, _, file = name.rpartition("/")
        if file == MARKUP and folder:
            markup = parse_xml(content, f"{path}: {name}", nodes)
            if markup.find("Topic") is None or not markup.find("Topic").get("Guid"):  # type: ignore[union-attr]
                raise InputError(Sentence("{part}: the file has no topic with a Guid", part=f"{path}: {name}"))
            folders[folder] = BcfTopic(markup, own_folder=folder)
            found.topics.append(folders[folder])
    for name, content in contents.items():
        home = name.rpartition("/")[0]
        while home and home not in folders:
            home = home.rpartition("/")[0]
        if not home:
            found.others[name] = content
        elif name != f"{home}/{MARKUP}":
            folders[home].files[name.removeprefix(f"{home}/")] = content
    return found


def _refuse_bomb(path: Path, size: int, members: list[zipfile.ZipInfo]) -> None:
    """Raise InputError if decompressing a zip file of a given size would take far more memory than the size
    suggests.
    """
    most = FREE_BYTES + MOST_PACKED * size
    if sum(info.file_size for info in members) > most:
        raise InputError(
            Sentence(
                "'{path}' unpacks to more than {size}",
                path=path,
                size=f"{most >> 20} MiB",
            )
        )
    for info in members:
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InputError(
                Sentence(
                    "'{path}': '{name}' uses a compression method that BCF does not allow",
                    path=path,
                    name=f"{info.filename:.80}",
                )
            )
        if len(info.filename) > LONGEST_NAME:
            raise InputError(
                Sentence(
                    "'{path}': '{name}...' is longer than {count} characters",
                    path=path,
                    name=f"{info.filename:.80}",
                    count=LONGEST_NAME,
                )
            )


def _version(contents: dict[str, bytes], path: Path) -> str:
    if VERSION not in contents:
        raise InputError(Sentence("'{path}' is not a BCF file: it has no {part}", path=path, part=VERSION))
    version = parse_xml(contents[VERSION], f"{path}: {VERSION}", Nodes(FREE_NODES)).get("VersionId", "")
    if version not in VERSIONS:
        raise InputError(
            Sentence(
                "'{path}' uses BCF {version}; supported versions are {versions}",
                path=path,
                version=f"{version!r:.20}",
                versions=" and ".join(VERSIONS),
            )
        )
    return version
