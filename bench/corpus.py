"""Make a corpus of any size out of real documents: first the real ones, then copies in which words were replaced.

A copy's vectors are its original's with a little noise, so that a large corpus costs no hours of embedding. How much
noise is measured: it moves a vector as far as replacing the words moves a real one.
"""

import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np

from knowledge.ingestion.embedding import Embedder, Vector
from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.indexing import passage_form, pending_sentences
from knowledge.ingestion.jobs import PendingPassage
from knowledge.ingestion.splitting import split_passages

MANY: Final = "members"
FEW: Final = "few"
_SETS: Final = ("alchemy_zh", "cmrc2018_dev", "drcd_dev", "squad2_dev", "tau2_banking", "xquad_zh")
_TEXTS_A_DOCUMENT: Final = 8
_REPLACED: Final = 0.15
_ONE_IN: Final = 100
_SAMPLE: Final = 150
_NOBODY: Final = UUID(int=0)
_TOKEN: Final = re.compile(r"[a-zA-Z]+|[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text to import, and the strings that stand for its passages in the index, passage by passage."""

    slug: str
    language: str
    source: str
    forms: tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class Mimic:
    """Fulfils `Embedder`: texts of copies get the vector of what they were copied from, a little moved."""

    embedder: Embedder
    noise: float = 0.0
    _originals: dict[bytes, str] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """Name the embedder of the originals."""
        return self.embedder.identity

    def remember(self, copy: Document, original: Document) -> None:
        """Note of every string of a copy which string of the original it came from."""
        for mine, theirs in zip(copy.forms, original.forms, strict=False):
            for place, form in enumerate(mine):
                self._originals[_key(form)] = theirs[min(place, len(theirs) - 1)]

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts. Shapes: one float32 vector of length one a text, in order."""
        originals = [self._originals.get(_key(text), text) for text in texts]
        vectors = dict(zip(distinct := list(dict.fromkeys(originals)), self.embedder.embed(distinct), strict=True))
        return [
            vectors[original] if original == text else moved(vectors[original], by=self.noise, seed=text)
            for text, original in zip(texts, originals, strict=True)
        ]


def moved(vector: Vector, *, by: float, seed: str) -> Vector:
    """Turn a vector of length one away by noise of this length. Repeat: the same seed gives the same vector."""
    chance = np.random.default_rng(int.from_bytes(_key(seed), "big"))
    noise = chance.standard_normal(len(vector), dtype=np.float32)
    turned = vector + noise * np.float32(by / np.linalg.norm(noise))
    return np.asarray(turned / np.linalg.norm(turned), dtype=np.float32)


def real_documents(data: Path, *, characters: int) -> list[Document]:
    """Take passages of the public sets, some to a document, evenly from every set, until there are so many characters."""
    taken: list[Document] = []
    size = 0
    for document in _interleaved([list(_documents_of(data, name)) for name in _SETS]):
        if size >= characters:
            break
        taken.append(document)
        size += len(document.source)
    return taken


def copies(originals: Sequence[Document], mimic: Mimic, *, seed: int = 1) -> Iterator[Document]:
    """Copy the documents again and again, each time with other words replaced, without end."""
    pool = [token for each in originals for token in _TOKEN.findall(each.source)]
    chance = random.Random(seed)  # noqa: S311 - made-up texts, no secret
    number = 0
    while True:
        number += 1
        for original in originals:
            copy = _copied(original, number, pool, chance)
            mimic.remember(copy, original)
            yield copy


def as_file(document: Document, number: int) -> SourceFile:
    """Hand a document to an import: one in a hundred is for everybody, one in a thousand for few, the rest for members."""
    audience = FEW if number % (_ONE_IN * 10) == 1 else "public" if number % _ONE_IN == 0 else MANY
    header = {"slug": document.slug, "label": "1", "language": document.language, "title": document.slug}
    return SourceFile(
        path=f"{document.slug}.md", content=document.source.encode(), header=header | {"audience": [audience]}
    )


def measured_noise(originals: Sequence[Document], embedder: Embedder) -> float:
    """Say by how much noise replaced words move a vector: 0.5 means a cosine of 0.89 with the original."""
    pool = [token for each in originals for token in _TOKEN.findall(each.source)]
    chance = random.Random(1)  # noqa: S311 - as above
    whole = [forms[0] for each in originals for forms in each.forms][:: max(1, len(originals) // _SAMPLE)][:_SAMPLE]
    replaced = [_replaced(form, pool, chance) for form in whole]
    pairs = zip(embedder.embed(whole), embedder.embed(replaced), strict=True)
    cosine = float(np.median([float(one @ other) for one, other in pairs]))
    return float(np.sqrt(1 / cosine**2 - 1))


def _documents_of(data: Path, name: str) -> Iterator[Document]:
    lines = (data / "passages" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    for at in range(0, len(rows), _TEXTS_A_DOCUMENT):
        yield _document(f"{name}-{at:05}", rows[at : at + _TEXTS_A_DOCUMENT])


def _document(slug: str, rows: list[dict[str, Any]]) -> Document:  # rows of a data file
    source = "\n\n".join(f"## {row.get('title') or row['passage_id']}\n\n{row['text']}" for row in rows)
    language = "en" if rows[0]["lang"] == "en" else "zh"
    return Document(slug=slug, language=language, source=source, forms=_forms(slug, source))


def _forms(title: str, source: str) -> tuple[tuple[str, ...], ...]:
    drafts = split_passages(source, title=title)
    return tuple(
        (
            passage_form(
                PendingPassage(passage_id=_NOBODY, title=title, heading_path=each.heading_path, text=each.text)
            ),
            *(sentence.form for sentence in pending_sentences(each.text)),
        )
        for each in drafts
    )


def _copied(original: Document, number: int, pool: Sequence[str], chance: random.Random) -> Document:
    slug = f"{original.slug}-{number}"
    source = _replaced(original.source, pool, chance)
    return Document(slug=slug, language=original.language, source=source, forms=_forms(slug, source))


def _replaced(text: str, pool: Sequence[str], chance: random.Random) -> str:
    return _TOKEN.sub(lambda token: chance.choice(pool) if chance.random() < _REPLACED else token[0], text)


def _interleaved(lists: Sequence[Sequence[Document]]) -> Iterator[Document]:
    for place in range(max(map(len, lists), default=0)):
        yield from (documents[place] for documents in lists if place < len(documents))


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
