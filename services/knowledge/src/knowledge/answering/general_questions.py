"""Tells a question about the world from one about the customer's own case, and what its words are.

"Who founded the company?" names what it wants in the words of the texts that answer it. "Can I get my money back?" is
said in the customer's. So the first one has to find its words in what is quoted, and the second one has not. Only English
is read so: in Chinese a customer's own question names nobody either ("能退吗？").
"""

import re
from collections.abc import Mapping
from typing import Final

from knowledge.answering.choosing import share_of
from knowledge.answering.evidence import written_in
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.same_words import with_same
from knowledge.answering.wording import terms_of

# `us` in capitals is a country.
_SOMEBODY: Final = re.compile(
    r"\b(?:[Ii](?:['’](?:m|ve|d|ll))?|[Ww]e(?:['’]\w+)?|[Mm]y|[Mm]e|[Mm]ine|[Oo]urs?|us|[Yy]ou(?:['’]\w+)?|[Yy]ours?|u|ur)\b"
)
_ASKS: Final = re.compile(
    r"\b(?:who|whom|whose|what|when|where|which|why|how)\b"
    r"|^\W*(?:can|could|do|does|did|is|are|was|were|will|would|may|should|must|has|have|had)\b",
    re.IGNORECASE,
)
# What says only which kind of thing is wanted: the answer holds the thing and not these words.
_WANTED: Final = re.compile(
    r"\bhow (?:many|much|long|often|far|old|large|big|soon|quickly|fast|high|deep|late|early)\b"
    r"|\b(?:what|which) (?:year|date|day|month|type|kind|sort|percentage|number)s?(?: of)?\b",
    re.IGNORECASE,
)
# Of "monthly or once a year" an answer holds one.
_ONE_OF_TWO: Final = (re.compile(r"\bor\b[^,.;?]*", re.IGNORECASE), re.compile(r"\S+ or\b", re.IGNORECASE))
_LIGHT_WORDS: Final = (
    "take takes took get gets got do does did done have has had make made makes go goes went happen happened happens work"
    " works use used uses give given call called known name named type kind sort many much long often far old become became"
    " come comes came back exist exists still available possible allowed occur occurred occurs find found large big there"
    " like also main first year time soon fast quick need before after"
)
_LIGHT: Final = terms_of(_LIGHT_WORDS)


def is_general(part: QuestionPart) -> bool:
    """Tell whether a part asks, speaks of nobody in the conversation, and stands alone."""
    question = part.text.lower() if part.text.isupper() else part.text
    if part.leans_on or written_in(question) != "en":
        return False
    return _ASKS.search(question) is not None and _SOMEBODY.search(f"{question} {part.searched}") is None


def carried(question: str, terms: Mapping[str, float], text: str) -> float:
    """Give the share of a general question's words that a text carries, 0 to 1: of all, or of those with a meaning.

    A text carries a word also by another with the same meaning. Of two things to choose from, one is enough.
    """
    readings = (question, *(other.sub(" ", question) for other in _ONE_OF_TWO))
    return max(_carried(reading, terms, text) for reading in readings)


def _carried(question: str, terms: Mapping[str, float], text: str) -> float:
    every = terms_of(question)
    asked = terms_of(_WANTED.sub(" ", question)) - _LIGHT
    said = with_same(every, terms_of(text))
    return max(share_of({term: terms[term] for term in wanted & terms.keys()}, said) for wanted in (every, asked))
