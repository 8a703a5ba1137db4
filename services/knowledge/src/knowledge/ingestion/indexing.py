"""Turns passages into what a search finds them by: terms, a string to embed, and strings for every sentence."""

from collections.abc import Iterator

from knowledge.ingestion.analyser import terms
from knowledge.ingestion.embedding import embedded_form
from knowledge.ingestion.jobs import PendingPassage, PendingSentence
from knowledge.ingestion.markdown import plain
from knowledge.ingestion.sentences import Span, split_sentences
from knowledge.ingestion.splitting import context_header, split_passages


def indexed_text(title: str, heading_path: tuple[str, ...], text: str) -> str:
    """Give what is searched of a passage: where it stands and its words, without marks. Quotes never come from here."""
    return f"{context_header(title, heading_path)}\n{plain(text)}"


def passage_terms(title: str, heading_path: tuple[str, ...], text: str) -> list[str]:
    """List the terms of a passage with those of its headings."""
    return terms(indexed_text(title, heading_path, text))


def passage_form(passage: PendingPassage) -> str:
    """Give the string that is embedded for a passage as a whole."""
    return embedded_form(indexed_text(passage.title, passage.heading_path, passage.text))


def forms_of(source: str, *, title: str) -> Iterator[str]:
    """Give the strings that are embedded for the passages of a source that is not cut yet."""
    for draft in split_passages(source, title=title):
        yield embedded_form(indexed_text(title, draft.heading_path, draft.text))


def pending_sentences(text: str) -> tuple[PendingSentence, ...]:
    """List the sentences of a passage with the string that is embedded for each. Shapes: one at least."""
    spans = split_sentences(text) or (Span(0, len(text)),)
    return tuple(PendingSentence(span=span, form=embedded_form(plain(text[span.start : span.end]))) for span in spans)
