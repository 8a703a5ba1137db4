"""Check that a claim cuts no denial off the stretch of a sentence that it repeats.

A whole sentence repeated says what its quote says. A stretch of one may say the opposite: "gift cards can be returned" of
"neither sale items nor gift cards can be returned", 会员可以退货 of 非会员可以退货, "opened goods" of "unopened goods".
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from knowledge.validation.clauses import CUT
from knowledge.validation.denials import first_denial
from knowledge.validation.stances import Piece, Stance, is_negative, join_list, read_pieces, read_stances

_ENDS: Final = ".。!！?？;；\"'“”‘’ "
_MARK = re.compile(r"[,，;；:：。.!?！？\n]|\b(?:so|because|since)\b|因此|所以|因为")
# What denies or all but denies what stands right behind it, and nothing where it stands elsewhere.
_DENIES_NEXT = re.compile(
    r"(?:[非无未]|\b(?:non-?|un|in|im|ir|dis|mis)[a-z]?)\s?$|\b(?:impossible|hardly|rarely|seldom|scarcely)\b|很少|难以"
)
_PLAIN: Final = frozenset[Stance]({"plain"})
_INSIDE_WORD = re.compile(r"[a-z]{2}")
# Fewer characters repeated are chance.
_SHORTEST: Final = 4
# A rule begins with its subject and verb: "and you can …".
_LOOKED_AT: Final = 32


def find_cut_denials(said: str, texts: tuple[str, ...]) -> Iterator[str]:
    """Yield the denial in front of a stretch of the quotes that a claim repeats, unless it is repeated without one too.

    All texts are in normal form.
    """
    bare = said.strip(_ENDS)
    fronts = [_front(text, at) for text in texts for at in _places(bare, text)] if len(bare) >= _SHORTEST else []
    if fronts and all(map(_denies, fronts)):
        yield fronts[0].strip()


def says_the_same_elsewhere(mine: str, theirs: str) -> bool:
    """Tell whether a sentence only moves the one cue of another: "no fee is charged" and "a fee is not charged"."""
    said, told = read_pieces(mine), read_pieces(theirs)
    cues, others = map(_cues, (said, told))
    if cues != others or len(cues) != 1:
        return False
    plain, rest = (
        [each.key for each in pieces if each.stance is None and not each.is_light] for pieces in (said, told)
    )
    if not plain or Counter(plain) - Counter(rest):
        return False
    is_behind = cues == ["not"] and rest[-len(plain) :] == plain
    return is_behind or _marked(mine) == _marked(theirs)


def _cues(pieces: tuple[Piece, ...]) -> list[Stance]:
    """List what the cues of a sentence say: "cannot", "no" and "neither … nor … can" all deny once."""
    cues: list[Stance] = [each.stance for each in pieces if each.stance is not None and each.key != "nor"]
    denials: list[Stance] = ["not" for cue in cues if is_negative(cue)]
    return denials + [cue for cue in cues if not (is_negative(cue) or (denials and cue == "may"))]


def _marked(text: str) -> dict[str, bool]:
    """Give what a text allows, demands or denies, and whether it denies it."""
    stances = read_stances(text).stances.items()
    return {key: any(map(is_negative, taken)) for key, taken in stances if taken != _PLAIN}


def _places(bare: str, text: str) -> Iterator[int]:
    at = text.find(bare)
    while at >= 0:
        yield at
        at = text.find(bare, at + 1)


def _front(text: str, at: int) -> str:
    """Give what stands in front of a place in its clause; a word that the place cuts has its first character behind it."""
    is_inside = at > 0 and _INSIDE_WORD.match(text, at - 1) is not None
    front = _MARK.split(join_list(text[: at + is_inside]))[-1]
    behind = text[at + is_inside : at + _LOOKED_AT]
    cuts = [found.end() for found in CUT.finditer(front + behind) if found.end() <= len(front)]
    return front[max(cuts, default=0) :]


def _denies(front: str) -> bool:
    return _DENIES_NEXT.search(front) is not None or first_denial(front) is not None
