"""Finds the footnotes and endnotes of a Word document: a footnote often says what the sentence does not hold for."""

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element
from zipfile import ZipFile

from knowledge.ingestion.formats.numbering import W
from knowledge.ingestion.formats.package import read_part

_KINDS: Final = ("footnote", "endnote")
_ID: Final = f"{W}id"


def number_notes(package: ZipFile, body: Element) -> dict[str, Element]:
    """Write the number of each note where the body refers to it, and give the notes by that mark, such as [1].

    Shapes: in the order of the references; footnotes and endnotes are counted together.
    """
    notes = {key: note for kind in _KINDS for key, note in _notes(package, kind)}
    marks: dict[str, Element] = {}
    for element in body.iter():
        note = notes.get((element.tag, element.get(_ID, "")))
        if note is not None:
            mark = f"[{len(marks) + 1}]"
            marks[mark] = note
            element.tag, element.text = f"{W}t", mark
    return marks


def _notes(package: ZipFile, kind: str) -> Iterator[tuple[tuple[str, str], Element]]:
    """Give the notes of a part by the element that refers to them; those with a type only draw lines."""
    root = read_part(package, f"word/{kind}s.xml")
    for note in root.iter(f"{W}{kind}") if root is not None else ():
        if note.get(f"{W}type") in (None, "normal"):
            yield (f"{W}{kind}Reference", note.get(_ID, "")), note
