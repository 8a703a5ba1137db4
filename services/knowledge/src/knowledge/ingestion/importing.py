"""Reads the files of one import as a whole: either every revision, or every problem."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath
from typing import Final

from contracts.reasons import Language
from knowledge.ingestion.default_header import default_header
from knowledge.ingestion.formats.reading import format_of, is_markdown, read_content
from knowledge.ingestion.front_matter import read_front_matter, split_front_matter
from knowledge.ingestion.header import Decision, Header, read_header
from knowledge.ingestion.intervals import Declared, close_intervals
from knowledge.ingestion.masking import mask
from knowledge.ingestion.normal_form import normal_form, without_comments
from knowledge.ingestion.problems import Problem, ProblemCode
from knowledge.ingestion.splitting import first_heading

_NOT_IN_FINGERPRINT: Final = frozenset({"source", "path"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file as it arrived. `header` replaces whatever front matter the file has."""

    path: str
    content: bytes
    header: Mapping[str, object] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionDraft:
    """One revision ready to be stored: its record, its masked normal form, and the days it is in force.

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
    source: str
    content_sha256: str

    def fingerprint(self, pipeline: str) -> str:
        """Name text, record and the pipeline that indexes it: revisions with one fingerprint are the same."""
        record = {name: getattr(self, name) for name in self.__slots__ if name not in _NOT_IN_FINGERPRINT}
        told = json.dumps([pipeline, record], ensure_ascii=False, sort_keys=True, default=str)
        return hashlib.sha256(told.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadImport:
    """What an import holds. With any problem there are no revisions."""

    revisions: tuple[RevisionDraft, ...]
    problems: tuple[Problem, ...]


def read_import(files: Iterable[SourceFile], *, kept: Iterable[RevisionDraft] = ()) -> ReadImport:
    """Read all files beside the revisions an additive import keeps.

    A kept revision with the slug and label of a new one gives way to it.
    """
    read = [_read_file(file) for file in files]
    problems = [problem for result in read if isinstance(result, tuple) for problem in result]
    fresh = [result for result in read if isinstance(result, RevisionDraft)]
    if not read:
        problems = [Problem("", "files", ProblemCode.NOTHING_TO_IMPORT, "The import has no file.")]
    problems += _duplicates(fresh)
    replaced = {(draft.slug, draft.label) for draft in fresh}
    together = [*(draft for draft in kept if (draft.slug, draft.label) not in replaced), *fresh]
    closed, overlaps = _closed(together)
    problems += [*overlaps, *_unknown_labels(together)]
    return ReadImport(revisions=() if problems else tuple(closed), problems=tuple(problems))


def _read_file(file: SourceFile) -> RevisionDraft | tuple[Problem, ...]:
    text = read_content(file.path, file.content)
    if isinstance(text, Problem):
        return (text,)
    front, body = split_front_matter(text) if is_markdown(file.path) else (None, text)
    header = _header(file, front, body)
    if not isinstance(header, Header):
        return header
    source = normal_form(without_comments(body) if is_markdown(file.path) else body)
    if not source.strip():
        return (Problem(file.path, "content", ProblemCode.EMPTY, "The file has no text below its front matter."),)
    title = header.title or _title(file.path, source)
    if title is None:
        return (Problem(file.path, "title", ProblemCode.MISSING, "title is missing, and the text has no heading."),)
    return _draft(file.path, header, mask(title), source)


def _title(path: str, source: str) -> str | None:
    """Take the first heading, or the name of the file; Markdown says its title itself."""
    found = format_of(path)
    heading = first_heading(source) if found is not None and found.has_title else None
    return heading if heading or is_markdown(path) else PurePosixPath(path).stem


def _header(file: SourceFile, front: str | None, body: str) -> Header | tuple[Problem, ...]:
    if file.header is not None:
        return read_header(file.path, file.header)
    if not is_markdown(file.path):
        return read_header(file.path, default_header(file.path, body))
    if front is None:
        sentence = "The file has no front matter and no header came with it; see docs/importing.md."
        return (Problem(file.path, "front matter", ProblemCode.FRONT_MATTER, sentence),)
    keys = read_front_matter(file.path, front)
    return (keys,) if isinstance(keys, Problem) else read_header(file.path, keys)


def _draft(path: str, header: Header, title: str, source: str) -> RevisionDraft:
    return RevisionDraft(
        slug=header.slug,
        label=header.label,
        title=title,
        language=header.language,
        owner=header.owner,
        area=header.area,
        audience=tuple(sorted(set(header.audience))),
        tags=header.tags,
        priority=header.priority,
        review_date=header.review_date,
        effective_from=header.effective_from,
        effective_to=header.effective_to,
        declared_to=header.effective_to,
        superseded_by=header.superseded_by,
        applies_to=header.applies_to,
        requires_facts=header.requires_facts,
        decision=header.decision,
        public=header.public,
        source_url=header.source_url if header.public else None,
        path=path,
        source=source,
        content_sha256=hashlib.sha256(source.encode()).hexdigest(),
    )


def _duplicates(drafts: list[RevisionDraft]) -> list[Problem]:
    first: dict[tuple[str, str], str] = {}
    problems: list[Problem] = []
    for draft in drafts:
        known = first.setdefault((draft.slug, draft.label), draft.path)
        if known != draft.path:
            sentence = f"slug {draft.slug} with label {draft.label} is already that of {known}."
            problems.append(Problem(draft.path, "slug", ProblemCode.DUPLICATE, sentence))
    return problems


def _closed(drafts: list[RevisionDraft]) -> tuple[list[RevisionDraft], list[Problem]]:
    closed: list[RevisionDraft] = []
    problems: list[Problem] = []
    for group in _by_document(drafts).values():
        ends = close_intervals(_declared(draft) for draft in group)
        if isinstance(ends, tuple):
            problems += ends
        else:
            closed += (replace(draft, effective_to=ends[draft.label]) for draft in group)
    return closed, problems


def _unknown_labels(drafts: list[RevisionDraft]) -> list[Problem]:
    problems: list[Problem] = []
    for slug, group in _by_document(drafts).items():
        labels = {draft.label for draft in group}
        for draft in group:
            if draft.superseded_by is not None and draft.superseded_by not in labels - {draft.label}:
                sentence = f"superseded_by names {draft.superseded_by}, which is no other revision of {slug}."
                problems.append(Problem(draft.path, "superseded_by", ProblemCode.UNKNOWN_LABEL, sentence))
    return problems


def _by_document(drafts: list[RevisionDraft]) -> dict[str, list[RevisionDraft]]:
    grouped: dict[str, list[RevisionDraft]] = defaultdict(list)
    for draft in drafts:
        grouped[draft.slug].append(draft)
    return grouped


def _declared(draft: RevisionDraft) -> Declared:
    return Declared(
        path=draft.path, label=draft.label, effective_from=draft.effective_from, effective_to=draft.declared_to
    )
