"""Opens the zip package of an Office document without letting it unfold to more than we take."""

import io
from typing import Final
from xml.etree.ElementTree import Element, ParseError
from zipfile import BadZipFile, ZipFile, ZipInfo

from defusedxml import DefusedXmlException, ElementTree

from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.problems import ProblemCode

_MOST_UNPACKED_BYTES: Final = 32 * 1024 * 1024
_MOST_PARTS: Final = 5_000
_ENCRYPTED_FLAG: Final = 1
# Nothing of a package is ever run, but who reads the original of a citation should not have to trust that.
_MACROS: Final = ("vbaproject.bin", "vbadata.xml")
# The file format of the Office before 2007; a package with a password travels inside it.
_OLD_OFFICE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_WITH_PASSWORD: Final = "EncryptedPackage".encode("utf-16-le")


def open_package(content: bytes) -> ZipFile:
    """Open a package whose parts are together of a bearable size.

    Errors: UnreadableFileError when it has a password or macros, is no package, or unfolds to too much.
    """
    if content.startswith(_OLD_OFFICE):
        raise _old(content)
    try:
        package = ZipFile(io.BytesIO(content))
    except BadZipFile as broken:
        sentence = "The file is damaged: it is not the package that an Office document is."
        raise UnreadableFileError(ProblemCode.DAMAGED, sentence) from broken
    parts = package.infolist()
    if any(part.flag_bits & _ENCRYPTED_FLAG for part in parts):
        raise _encrypted()
    if any(part.filename.lower().endswith(_MACROS) for part in parts):
        raise UnreadableFileError(ProblemCode.MACROS, "The file holds macros; save it without them.")
    if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > _MOST_UNPACKED_BYTES:
        limit = _MOST_UNPACKED_BYTES // 1024 // 1024
        sentence = f"The file unfolds to more than {limit} MB, or has more than {_MOST_PARTS:,} parts."
        raise UnreadableFileError(ProblemCode.TOO_LARGE, sentence)
    for part in parts:
        if part.filename.endswith((".xml", ".rels")):
            _refuse_document_type(package, part)
    return package


def read_part(package: ZipFile, name: str) -> Element | None:
    """Parse one part, None when the package has none of the name. Entities and document types are refused."""
    if name not in package.namelist():
        return None
    return ElementTree.fromstring(package.read(name), forbid_dtd=True)


def _refuse_document_type(package: ZipFile, part: ZipInfo) -> None:
    """Look at the beginning of a part, since not every parser after us refuses entities."""
    try:
        with package.open(part) as opened:
            next(ElementTree.iterparse(opened, events=("start",), forbid_dtd=True), None)
    except DefusedXmlException as declared:
        sentence = "The file declares a document type or entities, which no Office document needs."
        raise UnreadableFileError(ProblemCode.DAMAGED, sentence) from declared
    except ParseError:
        # Whoever needs this part will say that it is damaged.
        return


def _old(content: bytes) -> UnreadableFileError:
    if _WITH_PASSWORD in content:
        return _encrypted()
    sentence = "The file has the format of the Office before 2007; save it in the present one."
    return UnreadableFileError(ProblemCode.UNKNOWN_FORMAT, sentence)


def _encrypted() -> UnreadableFileError:
    return UnreadableFileError(ProblemCode.ENCRYPTED, "The file is protected with a password; save it without one.")
