"""Check that a claim denies, demands and allows what its quotes deny, demand and allow."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from knowledge.validation.closeness import close_sentences
from knowledge.validation.copies import find_copies
from knowledge.validation.duties import find_shifted_duty
from knowledge.validation.insisting import find_unfounded_insistence
from knowledge.validation.joining import find_other_joining
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.parties import is_left_to_another
from knowledge.validation.provisos import keeps_provisos
from knowledge.validation.stances import Piece, Stance, fits, is_negative, read_pieces, read_stances
from knowledge.validation.stretches import find_cut_denials, says_the_same_elsewhere
from knowledge.validation.turned import find_unbalanced
from knowledge.validation.twins import find_turned_twin
from knowledge.validation.words import normalise

_EXCEPTS = re.compile(
    r"(?=[除例另仅只euo])(?:除外|例外|除非|另有|\bexcept\b|\bunless\b|\bother\sthan\b|\bonly\b|\belse\b|\botherwise\b|仅|只)"
)

# "Only from the next date on" says when, and limits nothing else.
_ONLY = compile_by_start(
    r"\bonly\b(?!\s(?:[a-z'-]+\s){0,9}(?:if|when|once|after)\b|\s(?:\w+\s){0,3}(?:from|after|once|when|if|at|on|until|within|[£$€¥]?\d))|\bsolely\b|只(?!要|是|能|好|得|有?[\d一二两三四五六七八九十半])|仅(?!供)"
)
_DENIED: frozenset[Stance] = frozenset({"not"})
_ALIKE: dict[Stance, Stance] = {"must_not": "not"}
_MARKS = frozenset(",;:，；：")
_LIMITS = re.compile(
    r"\b(?:only|solely|except\w*|unless|other\sthan|else|limit\w*|without|instead|either|exclu\w+|fail\w*|beyond|max\w*|most)\b"
    r"|\b(?:at\sleast|minimum|less\sthan|fewer|more\sthan|up\sto|within)\b|不超过|最多|以内|之内|仅|只|除|外|限|免|否则|才|超|足|拒|停|禁|逾|少于|低于|至少|最少"
)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What a claim says with another stance than its quotes."""

    said: str
    is_negation: bool


def find_contradictions(claim: str, quotes: tuple[str, ...]) -> Iterator[Contradiction]:
    """Yield the acts and words that claim and quotes take different stances to, and changed cues of an edited copy."""
    said = normalise(claim)
    texts = tuple(normalise(quote) for quote in quotes)
    if any(said in text for text in texts):
        yield from (Contradiction(cut, is_negation=True) for cut in find_cut_denials(said, texts))
        return
    kept = keeps_provisos(said, texts)
    if kept is False:
        yield Contradiction(said, is_negation=True)
    if is_left_to_another(claim, quotes):
        return
    found = _compared(claim, quotes, said=said, texts=texts)
    yield from found if kept is None else (each for each in found if not each.is_negation)


def _compared(claim: str, quotes: tuple[str, ...], *, said: str, texts: tuple[str, ...]) -> Iterator[Contradiction]:
    yield from _narrowed(said, texts)
    yield from _opposed(said, quotes)
    yield from _weighed(claim, quotes)
    for mine, theirs in find_copies(claim, quotes):
        if not says_the_same_elsewhere(mine, theirs):
            yield from _changed_cues(read_pieces(mine), read_pieces(theirs))


def _weighed(claim: str, quotes: tuple[str, ...]) -> Iterator[Contradiction]:
    """Find what is denied, demanded or joined on one side alone."""
    denial = find_unbalanced(claim, quotes)
    if denial is not None:
        yield Contradiction(denial, is_negation=True)
    for turned in (find_unfounded_insistence(claim, quotes), find_turned_twin(claim, quotes)):
        if turned is not None:
            yield Contradiction(turned, is_negation=True)
    joining = find_other_joining(claim, quotes)
    if joining is not None:
        yield Contradiction(joining, is_negation=False)
    duty = find_shifted_duty(claim, quotes)
    if duty is not None:
        yield Contradiction(duty, is_negation=False)


def _narrowed(claim: str, quotes: tuple[str, ...]) -> Iterator[Contradiction]:
    """Find an "only" where the quotes neither limit nor deny anything."""
    only = _ONLY.search(claim)
    if only is not None and not any(_LIMITS.search(quote) or _denies(quote) for quote in quotes):
        yield Contradiction(only.group(), is_negation=True)


def _denies(quote: str) -> bool:
    return any(
        piece.sign < 0 or (piece.stance is not None and is_negative(piece.stance)) for piece in read_pieces(quote)
    )


def _opposed(claim: str, quotes: tuple[str, ...]) -> Iterator[Contradiction]:
    """Compare acts; of plain words only the force, for their sign is too often another wording of the same rule.

    Exceptions and "only" take both stances at once, so they contradict nothing here.
    """
    if any(_EXCEPTS.search(normalise(text)) for text in (claim, *quotes)):
        return
    claimed = read_stances(claim)
    quoted = tuple(read_stances(sentence) for sentence in close_sentences(claim, quotes))
    heads = claimed.heads.union(*(reading.heads for reading in quoted))
    for key in sorted(heads & claimed.stances.keys()):
        theirs = frozenset[Stance]().union(*(reading.stances.get(key, frozenset()) for reading in quoted))
        mine = claimed.stances[key]
        if not theirs or _differ_in_sign(mine, theirs) or any(fits(one, other) for one in mine for other in theirs):
            continue
        if key.startswith("act:") or (len(key) > 1 and not any(map(is_negative, mine | theirs))):
            yield Contradiction(key, is_negation=False)


def _differ_in_sign(mine: frozenset[Stance], theirs: frozenset[Stance]) -> bool:
    return {is_negative(stance) for stance in mine} != {is_negative(stance) for stance in theirs}


def _changed_cues(mine: tuple[Piece, ...], theirs: tuple[Piece, ...]) -> Iterator[Contradiction]:
    """Compare the cues of each edit; what a copy leaves out at its ends is no edit."""
    before, after = ([(piece.key, piece.sign) for piece in pieces] for pieces in (theirs, mine))
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for tag, a_start, a_end, b_start, b_end in blocks:
        if tag == "equal" or (tag == "delete" and (a_start == 0 or a_end == len(theirs))):
            continue
        if tag == "delete" and any(piece.key in _MARKS for piece in theirs[a_start:a_end]):
            continue
        removed, added = _cues(_same_clause(theirs, a_start, a_end)), _cues(mine[b_start:b_end])
        if removed != added:
            negation = any(map(is_negative, removed)) != any(map(is_negative, added))
            yield Contradiction(" ".join(p.key for p in (*theirs[a_start:a_end], *mine[b_start:b_end])), negation)


def _same_clause(pieces: tuple[Piece, ...], start: int, end: int) -> tuple[Piece, ...]:
    """Leave out what stands in other clauses than the rest of an edited copy."""
    marks = [at for at in range(start, end) if pieces[at].key in _MARKS]
    if start == 0 and marks:
        return pieces[marks[-1] : end]
    return pieces[start : marks[0]] if end == len(pieces) and marks else pieces[start:end]


def _cues(pieces: tuple[Piece, ...]) -> frozenset[Stance]:
    """List the cues of pieces; "cannot", "no" and the opposite of an act deny alike."""
    cues: set[Stance] = {_ALIKE.get(piece.stance, piece.stance) for piece in pieces if piece.stance is not None}
    return frozenset(cues | _DENIED) if any(piece.sign < 0 for piece in pieces) else frozenset(cues)
