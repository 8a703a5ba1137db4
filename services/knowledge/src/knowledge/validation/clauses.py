"""Cut sentences into the rules they hold, and find those that a claim is about.

One sentence may allow one thing and deny another ("can be exchanged but not refunded"): what a claim says is measured
against the rule it speaks of, not against its neighbour.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from knowledge.validation.closeness import close_sentences
from knowledge.validation.concepts import find_things
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.quantities import name_figures
from knowledge.validation.readings import read_once
from knowledge.validation.stances import read_stances
from knowledge.validation.words import normalise

_VERB = r"(?:is|are|was|were|be|may|can|must|will|shall|should|cannot|can't|won't|do|does|has|have|costs?|takes?|gets?|pays?|keeps?|needs?|no|not)\b"
CUT = compile_by_start(
    r"([;；]|,?\s?\b(?:but|while|whereas|otherwise)\b|,\s(?:even\s)?though\b|,\s(?:and\s)?(?!or\b)(?=(?:\w+\s){1,4}?"
    + _VERB
    + r")"
    r"|\band\s(?:then\s|also\s)?(?="
    + _VERB
    + r"|(?:you|we|it|they|the|all|any|no|required|recommended|optional|mandatory|included|excluded|charged|free)\b)|而(?!非|且)|但是?|否则)"
)
# A case goes with what is said of it: 未保价的，… and "if it is urgent, …".
OPEN_END = re.compile(
    r"(?:的|时|后|内|外|前|下)$|^(?:如果?|若|要是|只要|一旦|倘若|假如|万一|对|对于|因|由于|除|经|不论|无论|不管)|^(?:if|when|where|for|once|unless|on|to|as|in|after|before|should|without|except)\b"
)
_SUBJECT_WORDS = 3
# Sharing less than this, a claim is about no rule in particular, and the whole sentence speaks to it.
_TELLING = 3
_FIRST_VERB = re.compile(rf"\b{_VERB}")


class Clause(NamedTuple):
    """One rule of a sentence in normal form; `subject` is what its sentence began with."""

    text: str
    subject: str


@read_once
def read_clauses(sentence: str) -> tuple[Clause, ...]:
    """Cut a sentence in normal form into its rules, each with the cases it depends on."""
    return tuple(_clauses(sentence))


def _clauses(sentence: str) -> Iterator[Clause]:
    subject, held = "", ""
    pieces = CUT.split(sentence)
    for at in range(0, len(pieces), 2):
        piece, mark = pieces[at].strip(), "".join(pieces[at + 1 : at + 2]).strip()
        held = f"{held}, {piece}" if held and piece else held or piece
        if not piece or (mark and (OPEN_END.search(piece) or (mark.startswith("and") and OPEN_END.match(held)))):
            continue
        verb = _FIRST_VERB.search(held)
        yield Clause(held, "" if verb is not None and verb.start() > 0 else subject)
        subject = subject or (held[: verb.start()] if verb is not None else " ".join(held.split()[:_SUBJECT_WORDS]))
        held = ""
    if held:
        yield Clause(held, subject)


@lru_cache(maxsize=512)
def close_clauses(claim: str, quotes: tuple[str, ...]) -> tuple[str, ...]:
    """List the rules of the quotes, in normal form, that share most of the acts, things, figures and words of a claim."""
    sentences = close_sentences(claim, quotes)
    wanted = _matter(normalise(claim))
    clauses = tuple(clause for sentence in sentences for clause in read_clauses(sentence))
    shared = [len(wanted & (_matter(clause.text) | _matter(clause.subject))) for clause in clauses]
    best = max(shared, default=0)
    if best < _TELLING:
        return sentences
    return tuple(clause.text for clause, count in zip(clauses, shared, strict=True) if count == best)


@read_once
def _matter(text: str) -> frozenset[str]:
    return find_things(text).union(read_stances(text).stances, name_figures(text))
