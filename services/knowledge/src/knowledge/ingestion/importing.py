"""Reads one file of an import: either a revision with its masked text, or what is wrong with it."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import PurePosixPath
from typing import Final

from contracts.reasons import Language
from knowledge.ingestion.default_header import default_header
from knowledge.ingestion.formats.reading import format_of, is_markdown, read_paged
from knowledge.ingestion.front_matter import read_front_matter, split_front_matter
from knowledge.ingestion.header import Decision, Header, read_header
from knowledge.ingestion.normal_form import normal_form, without_comments
from knowledge.ingestion.placed_masks import PlacedMask, placed, placed_in_tags
from knowledge.ingestion.problems import Problem, ProblemCode
from knowledge.ingestion.splitting import first_heading
from knowledge.ingestion.table_heads import with_table_heads
from personal_data.masking import MASKER, MaskedText, mask

Masking = Callable[[str], MaskedText]

# Changes with everything that turns bytes into a masked text: what another reader read is read again.
READER: Final = "reader-4"
_NOT_IN_FINGERPRINT: Final = frozenset({"path"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file as it arrived. `header` replaces whatever front matter the file has."""

    path: str
    content: bytes
    header: Mapping[str, object] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is known of a revision beside its text, and the days it is in force.

    `declared_to` is the end its author wrote, `effective_to` the one that holds beside its neighbours.
    """

    slug: str
    label: str
    title: str
    language: Language
    owner: str | None
    area: str | None
    audience: tuple[str, ...]
    tags: tuple[str, ...]
    priority: int
    review_date: date | None
    effective_from: date | None
    effective_to: date | None
    declared_to: date | None
    superseded_by: str | None
    applies_to: str | None
    requires_facts: tuple[str, ...]
    decision: Decision
    public: bool
    source_url: str | None
    path: str
    content_sha256: str

    def fingerprint(self, pipeline: str) -> str:
        """Name text, record and the pipeline that indexes it: revisions with one fingerprint are the same."""
        names = (field.name for field in fields(Record))
        record = {name: getattr(self, name) for name in names if name not in _NOT_IN_FINGERPRINT}
        told = json.dumps([pipeline, record], ensure_ascii=False, sort_keys=True, default=str)
        return hashlib.sha256(told.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionDraft(Record):
    """One revision ready to be linked and stored: its record and its masked normal form.

    `page_lines` are the lines of the source on which the pages of a PDF begin.
    """

    source: str
    masks: tuple[PlacedMask, ...]
    page_lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultyFile:
    """A file that gives no revision. `slug` is the document it belongs to, where that much could be read."""

    slug: str | None
    problems: tuple[Problem, ...]


def without_places(text: str) -> MaskedText:
    """Mask a text without remembering where."""
    return MaskedText(mask(text), ())


def origin_of(file: SourceFile, *, allowed: Iterable[str]) -> str:
    """Name a file by all that its revision is read from, so that an equal one need not be read again."""
    told = json.dumps([READER, MASKER, file.path, file.header, sorted(allowed)], ensure_ascii=False, sort_keys=True)
    total = hashlib.sha256(told.encode())
    total.update(file.content)
    return total.hexdigest()


def read_file(file: SourceFile, masking: Masking = without_places) -> RevisionDraft | FaultyFile:
    """Read one file. Errors: none; whatever is wrong with it is told in sentences."""
    paged = read_paged(file.path, file.content)
    if isinstance(paged, Problem):
        return FaultyFile(slug=_said_slug(file.header), problems=(paged,))
    front, body = split_front_matter(paged.text) if is_markdown(file.path) else (None, paged.text)
    keys = _keys(file, front, body)
    if isinstance(keys, Problem):
        return FaultyFile(slug=None, problems=(keys,))
    header = read_header(file.path, keys)
    if not isinstance(header, Header):
        return FaultyFile(slug=_said_slug(keys), problems=header)
    draft = _draft(file.path, header, body, masking)
    if isinstance(draft, FaultyFile) or not paged.page_lines:
        return draft
    return replace(draft, page_lines=paged.page_lines)


def _keys(file: SourceFile, front: str | None, body: str) -> Mapping[str, object] | Problem:
    if file.header is not None:
        return file.header
    if not is_markdown(file.path):
        return default_header(file.path, body)
    if front is None:
        sentence = "The file has no front matter and no header came with it; see docs/importing.md."
        return Problem(file.path, "front matter", ProblemCode.FRONT_MATTER, sentence)
    return read_front_matter(file.path, front)


def _said_slug(keys: Mapping[str, object] | None) -> str | None:
    said = (keys or {}).get("slug")
    return normal_form(said.strip()) if isinstance(said, str) and said.strip() else None


def _draft(path: str, header: Header, body: str, masking: Masking) -> RevisionDraft | FaultyFile:
    visible = with_table_heads(without_comments(body)) if is_markdown(path) else body
    masked = masking(normal_form(visible))
    if not masked.text.strip():
        sentence = "The file has no text below its front matter."
        return FaultyFile(slug=header.slug, problems=(Problem(path, "content", ProblemCode.EMPTY, sentence),))
    title = header.title or _title(path, masked.text)
    if title is None:
        sentence = "title is missing, and the text has no heading."
        return FaultyFile(slug=header.slug, problems=(Problem(path, "title", ProblemCode.MISSING, sentence),))
    return _revision(path, header, _Masked.of(header, title, masked, masking))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Masked:
    """The texts of a revision without personal data: its own, and those of its record that people write freely."""

    text: MaskedText
    title: MaskedText
    applies_to: MaskedText | None
    area: MaskedText | None
    tags: tuple[MaskedText, ...]

    @classmethod
    def of(cls, header: Header, title: str, text: MaskedText, masking: Masking) -> "_Masked":
        """Mask the record beside a text."""
        return cls(
            text=text,
            title=masking(title),
            applies_to=None if header.applies_to is None else masking(header.applies_to),
            area=None if header.area is None else masking(header.area),
            tags=tuple(masking(tag) for tag in header.tags),
        )

    def masks(self) -> tuple[PlacedMask, ...]:
        """List what was masked, and in which field."""
        return (
            *placed("text", self.text.masks),
            *placed("title", self.title.masks),
            *placed("applies_to", self.applies_to.masks if self.applies_to else ()),
            *placed("area", self.area.masks if self.area else ()),
            *placed_in_tags(self.tags),
        )


def _title(path: str, source: str) -> str | None:
    """Take the first heading, or the name of the file; Markdown says its title itself."""
    found = format_of(path)
    heading = first_heading(source) if found is not None and found.has_title else None
    return heading if heading or is_markdown(path) else PurePosixPath(path).stem


def _revision(path: str, header: Header, masked: _Masked) -> RevisionDraft:
    return RevisionDraft(
        slug=header.slug,
        label=header.label,
        title=masked.title.text,
        language=header.language,
        owner=header.owner,
        area=masked.area.text if masked.area else None,
        audience=tuple(sorted(set(header.audience))),
        tags=tuple(tag.text for tag in masked.tags),
        priority=header.priority,
        review_date=header.review_date,
        effective_from=header.effective_from,
        effective_to=header.effective_to,
        declared_to=header.effective_to,
        superseded_by=header.superseded_by,
        applies_to=masked.applies_to.text if masked.applies_to else None,
        requires_facts=header.requires_facts,
        decision=header.decision,
        public=header.public,
        source_url=header.source_url if header.public else None,
        path=path,
        source=masked.text.text,
        masks=masked.masks(),
        content_sha256=hashlib.sha256(masked.text.text.encode()).hexdigest(),
    )
