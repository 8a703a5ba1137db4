"""Turns passages into what a search finds them by: impacts of terms, a vector, and a vector for every sentence."""

from collections.abc import Mapping, Sequence

from knowledge.ingestion.analyser import impacts, terms
from knowledge.ingestion.embedding import Vector, embedded_form
from knowledge.ingestion.jobs import IndexedPassage, IndexedSentence, PendingPassage
from knowledge.ingestion.markdown import plain
from knowledge.ingestion.sentences import Span, split_sentences
from knowledge.ingestion.splitting import context_header


def indexed_text(title: str, heading_path: tuple[str, ...], text: str) -> str:
    """Give what is searched of a passage: where it stands and its words, without marks. Quotes never come from here."""
    return f"{context_header(title, heading_path)}\n{plain(text)}"


def passage_terms(title: str, heading_path: tuple[str, ...], text: str) -> list[str]:
    """List the terms of a passage with those of its headings."""
    return terms(indexed_text(title, heading_path, text))


def forms_of(passage: PendingPassage) -> tuple[str, ...]:
    """List the strings that are embedded for a passage: the whole first, then every sentence."""
    sentences = (_sentence(passage, span) for span in split_sentences(passage.text))
    return (embedded_form(indexed_text(passage.title, passage.heading_path, passage.text)), *sentences)


def index_passage(
    passage: PendingPassage, forms: Sequence[str], *, average_length: float, vectors: Mapping[str, Vector]
) -> IndexedPassage:
    """Put together what is stored of a passage; `forms` are those of `forms_of`, and `vectors` holds each of them."""
    listed = passage_terms(passage.title, passage.heading_path, passage.text)
    whole, *sentences = (vectors[form] for form in forms)
    spans = split_sentences(passage.text)
    return IndexedPassage(
        passage_id=passage.passage_id,
        impacts=tuple(impacts(listed, average_length=average_length)),
        vector=whole,
        sentences=tuple(
            IndexedSentence(span=span, vector=vector) for span, vector in zip(spans, sentences, strict=True)
        ),
    )


def _sentence(passage: PendingPassage, span: Span) -> str:
    return embedded_form(plain(passage.text[span.start : span.end]))
