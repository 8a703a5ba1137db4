"""Check that conditions and exceptions stay with the rule they limit."""

import re
from collections.abc import Iterator

from knowledge.ingestion.sentences import Span, limits_previous, split_sentences
from knowledge.validation.denials import denies
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.stances import is_negative, read_pieces
from knowledge.validation.support import overlap
from knowledge.validation.verdict import Citation
from knowledge.validation.words import content_words, is_chinese, normal_sentences, normalise

# A claim carries a condition when it says most of its content words; below this it says something else.
_CARRIED = 0.6
# It names a condition, in whichever form, when it says as much of the words that only the condition has.
_NAMED = 1 / 3

_LIMITING = re.compile(
    r"但|除外|除非|除了|除.{1,40}外|例外|仅|只有|只限|如果|若|倘|前提|另有|的情况下|的[,，]"
    r"|\b(?:unless|except|excluding|only|if|provided|but|however|when|where|until|as\slong\sas|other\sthan|subject\sto|limited\sto)\b"
)
# "Provided you ask", not "the number you provided".
_PROVIDED = r"(?<!you\s)(?<!user\s)(?<!customer\s)(?<!have\s)(?<!is\s)(?<!are\s)provided(?=\s(?:that|you|your|we|it|they|there|the|all|no)\b)"
_EXCEPTION = re.compile(
    r"[,，;；]?[^,，;；。]*(?:除外|例外)[^,，;；。]*|除非[^。；;]*"
    rf"|\b(?:unless|except(?:\s(?:for|when|if|that|where))?|excluding|{_PROVIDED}|only\s(?:if|with|when|where|after|once|upon)|other\sthan)\b[^.;,]*"
)
_EXCEPTION_WORD = compile_by_start(
    rf"除外|例外|除非|\b(?:unless|except|excluding|{_PROVIDED}|only\s(?:if|with|when|where|after|once|upon)|other\sthan)\b"
)
_HAS_EXCEPTION = compile_by_start(
    r"除外|除非|除了|除.{1,40}外|例外|另有|另外|但|不过|没有.{0,8}约定|否则|不然|只要|之前|如果|若|要是|倘若|假如|一旦|的话|的(?=,)|才|必须|\b(?:must|needs?\sto|ha(?:s|ve)\sto|unless|except|excluding|provided|only|other\sthan|but|though|although|without|otherwise|or\selse|as\slong\sas|apart\sfrom|barring|if)\b"
)
# What a claim of another language may name a condition by: there are no words to know it by.
_HAS_CONDITION = re.compile(
    r"的[,，]|的话|时[,，]|如果|若|要是|才|凭|须|得先|必须|\b(?:must|has\sto|have\sto|needs?|when|where|once|until)\b"
)
_CLAUSE_END = re.compile(r"[,，;；:：。.]")
_ENDS = ".。!！?？ "
# Fewer characters in common are chance.
_STRETCH = 8


def find_dropped(citation: Citation, *, claim: str, cited: tuple[Citation, ...]) -> Iterator[str]:
    """Yield the limits that the passage puts on a quote and that the claim neither says nor any citation quotes."""
    text = citation.passage.text
    units = split_sentences(text)
    touched = [unit for unit in units if unit.start < citation.end and unit.end > citation.start]
    limits = (
        *_cut_off(text, citation, touched),
        *(
            text[unit.start : unit.end]
            for unit in _following_limits(text, units, citation)
            if not _is_cited(unit, citation, cited)
        ),
    )
    for limit in limits:
        if not _says(claim, limit):
            yield limit


def drops_exception(claim: str, quotes: tuple[str, ...]) -> bool:
    """Tell whether the sentence of the quotes that is closest to a claim has an exception and the claim has none."""
    said = normalise(claim)
    sentences = tuple(sentence for quote in quotes for sentence in normal_sentences(quote))
    if _HAS_EXCEPTION.search(said) or said in sentences or not any(map(_EXCEPTION_WORD.search, sentences)):
        return False
    closest = max(sentences, key=lambda each: (said in each, overlap(said, (_EXCEPTION.sub(" ", each),))))
    if is_chinese(said) != is_chinese(closest) and _HAS_CONDITION.search(said):
        return False
    exception = _EXCEPTION.search(closest)
    if exception is None or overlap(exception.group(), (said,)) >= _CARRIED:
        return False
    rest = closest.replace(exception.group(), " ")
    own = content_words(exception.group()) - content_words(rest)
    return len(own & content_words(said)) < _NAMED * max(len(own), 1) and denies(said) <= denies(rest)


def find_cut_out(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the limit that a claim cuts out of the middle of a sentence which it repeats before and after; None if it cuts none.

    What stands behind a limit belongs to the case that the limit names, so that the rest no longer says what the sentence says.
    """
    said = normalise(claim).rstrip(_ENDS)
    sentences = (sentence for quote in quotes for sentence in normal_sentences(quote) if said not in sentence)
    cuts = (_cut_between(said, sentence) for sentence in sentences)
    return next((cut for cut in cuts if cut is not None and _LIMITING.search(cut)), None)


def _cut_between(said: str, sentence: str) -> str | None:
    """Give what stands in a sentence between the two stretches of it that make up what is said; None if they do not."""
    start = sentence.find(said[:_STRETCH])
    if start < 0 or len(said) < 2 * _STRETCH:
        return None
    length = _in_common(said, sentence[start:])
    rest = said[length:]
    behind = sentence.find(rest, start + length) if len(rest) >= _STRETCH else -1
    return sentence[start + length : behind] if behind >= 0 else None


def _in_common(one: str, other: str) -> int:
    """Count the characters that two texts begin with alike."""
    return next((place for place, pair in enumerate(zip(one, other, strict=False)) if len(set(pair)) > 1), len(one))


def _cut_off(text: str, citation: Citation, touched: list[Span]) -> Iterator[str]:
    """Yield what a quote leaves out of its first and last sentence when that limits or negates it."""
    for before, is_start in (
        (text[touched[0].start : citation.start], True),
        (text[citation.end : touched[-1].end], False),
    ):
        if _LIMITING.search(normalise(before)) or (is_start and _negates(before)):
            yield before


def _negates(before: str) -> bool:
    clause = _CLAUSE_END.split(normalise(before))[-1]
    return any(piece.stance is not None and is_negative(piece.stance) for piece in read_pieces(clause))


def _following_limits(text: str, units: tuple[Span, ...], citation: Citation) -> Iterator[Span]:
    for unit in units:
        if unit.start < citation.end:
            continue
        if not limits_previous(text[unit.start : unit.end]):
            return
        yield unit


def _is_cited(unit: Span, citation: Citation, cited: tuple[Citation, ...]) -> bool:
    return any(
        other.passage.passage_id == citation.passage.passage_id and other.start <= unit.start and other.end >= unit.end
        for other in cited
    )


def _says(claim: str, limit: str) -> bool:
    pieces = read_pieces(normalise(limit))
    if not any(piece.stance is None and len(piece.key) > 1 for piece in pieces) and limit.isascii():
        return False
    return overlap(limit, (claim,)) >= _CARRIED
