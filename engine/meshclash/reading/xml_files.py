"""Read XML files as trees of elements. XML entities raise an error, because they can grow without bound and refer to
other files.
"""

import stat
from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from ..errors import InvalidFile


def read_xml(file: Path) -> Element:
    """Return the root element of a file; namespace prefixes stay part of the names.

    Raises:
        InvalidFile: the file cannot be read, is not XML, or declares entities.
    """
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise InvalidFile(f"{file}: cannot be read: a folder or a device is not an XML file")
        content = file.read_bytes()
    except InvalidFile:
        raise
    except OSError as error:
        raise InvalidFile(f"{file!s:.500}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InvalidFile(f"{str(file)!r:.80} is not a valid file name: {error}") from None

    def refuse(name: str, *_: object) -> NoReturn:
        raise InvalidFile(f"{file}: XML entities such as {name!r:.80} are not supported: write the text itself instead")

    builder, parser = TreeBuilder(), expat.ParserCreate()
    parser.buffer_text = True
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(content, True)
    except InvalidFile:
        raise
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise InvalidFile(f"{file}: the file is not valid XML: {error}") from error
    return builder.close()
