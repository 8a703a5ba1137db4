"""Turns passages into what a search finds them by: impacts of terms, a vector, and later a vector for every sentence."""

from knowledge.ingestion.analyser import impacts, terms
from knowledge.ingestion.embedding import Vector, embedded_form
from knowledge.ingestion.jobs import IndexedPassage, PendingPassage, PendingSentence
from knowledge.ingestion.markdown import plain
from knowledge.ingestion.sentences import Span, split_sentences
from knowledge.ingestion.splitting import context_header


def indexed_text(title: str, heading_path: tuple[str, ...], text: str) -> str:
    """Give what is searched of a passage: where it stands and its words, without marks. Quotes never come from here."""
    return f"{context_header(title, heading_path)}\n{plain(text)}"


def passage_terms(title: str, heading_path: tuple[str, ...], text: str) -> list[str]:
    """List the terms of a passage with those of its headings."""
    return terms(indexed_text(title, heading_path, text))


def passage_form(passage: PendingPassage) -> str:
    """Give the string that is embedded for a passage as a whole."""
    return embedded_form(indexed_text(passage.title, passage.heading_path, passage.text))


def pending_sentences(text: str) -> tuple[PendingSentence, ...]:
    """List the sentences of a passage with the string that is embedded for each. Shapes: one at least."""
    spans = split_sentences(text) or (Span(0, len(text)),)
    return tuple(PendingSentence(span=span, form=embedded_form(plain(text[span.start : span.end]))) for span in spans)


def index_passage(passage: PendingPassage, *, average_length: float, vector: Vector) -> IndexedPassage:
    """Put together what is stored of a passage with its vector."""
    listed = passage_terms(passage.title, passage.heading_path, passage.text)
    weighed = tuple(impacts(listed, average_length=average_length))
    return IndexedPassage(passage_id=passage.passage_id, impacts=weighed, vector=vector)
