"""Measure how much of a claim's content its quotes carry, word by word and matter by matter."""

from functools import lru_cache

from knowledge.validation.concepts import find_things
from knowledge.validation.contrasts import read_sides
from knowledge.validation.dates import find_moments
from knowledge.validation.parties import read_parties
from knowledge.validation.quantities import name_figures
from knowledge.validation.readings import read_once
from knowledge.validation.stances import read_stances
from knowledge.validation.words import content_words, normal_sentences, normalise


@lru_cache(maxsize=512)
def overlap(claim: str, quotes: tuple[str, ...], *, enough: float = 1.0) -> float:
    """Give the share of a claim's content that its quotes carry, 0 to 1; 1 when it has none.

    Where words alone carry `enough` of it, their share is given: what the quotes name need not be read then.

    Content is words (stems, Chinese two-character pieces) and the acts and things they name, so that another wording
    of the same matter counts. A Chinese piece is also carried when both of its characters stand in the quotes.
    """
    text = normalise("\n".join(quotes))
    if normalise(claim) in text:
        return 1.0
    wanted = content_words(claim)
    known = content_words(text)
    matters = _matters((claim,))
    if not (wanted or matters):
        return 1.0
    carried, content = sum(word in known or _is_spelt(word, text) for word in wanted), len(wanted) + len(matters)
    return carried / content if carried >= enough * content else (carried + len(matters & _matters(quotes))) / content


def matters_shared(claim: str, quotes: tuple[str, ...]) -> float:
    """Give the share of the matters of a claim that its quotes name too, in whichever language; 0 when it names none."""
    matters = _matters((claim,))
    return len(matters & _matters(quotes)) / len(matters) if matters else 0.0


def _is_spelt(word: str, text: str) -> bool:
    return not word.isascii() and all(character in text for character in word)


def _matters(texts: tuple[str, ...]) -> frozenset[str]:
    sentences = tuple(sentence for text in texts for sentence in normal_sentences(text))
    return frozenset[str]().union(*(_named(sentence) for sentence in sentences))


@read_once
def _named(sentence: str) -> frozenset[str]:
    """Name what a sentence speaks of by names that both languages and all wordings share."""
    acts = read_stances(sentence).acts
    moments = frozenset(f"{each.kind} {each.parts}" for each in find_moments(sentence))
    sides = frozenset(f"{side.axis} {side.side}" for side in read_sides(sentence))
    return acts | name_figures(sentence) | moments | sides | find_things(sentence) | read_parties(sentence)
