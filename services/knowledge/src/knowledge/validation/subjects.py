"""Compare whom claim and quotes make the subject of the same words, whichever act these words name."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from knowledge.validation.cases import words_of
from knowledge.validation.denials import first_denial
from knowledge.validation.party_acts import read_roles
from knowledge.validation.party_names import may_be
from knowledge.validation.stances import read_pieces
from knowledge.validation.words import content_words

# Where a new subject may begin.
_CUT = re.compile(
    r"[,;.:，。；：、!?！？\n]\s?|\s(?:and|or|but|if|when|where|once|unless|until|after|before|because|so|that|which|who|while|than|as)\s|但|而|如果|除非"
)
# Of these acts the one who does and the one who has done are told with one word apart.
_CONVERSE = re.compile(
    r"\b(?:receiv\w+|gets?|got|have|has|owns?|keeps?|need\w*|wants?|sees?|agree\w*|find\w*|buys?|bought|sells?|sold|rent\w*|hir\w+|lend\w*|borrow\w*|owe\w*)\b"
    r"|\b(?:charg\w+|pays?|paid)\b|收取|交|付|收到|接到|获得|得到|拿到|享有|享受|买(?!家|方|受)|卖(?!家|方)|租(?!客|户|赁)|借(?!款人)|欠|同意|约定"
)
_LEAST: Final = 2.0
_SHARE: Final = 0.45
_CLEAR: Final = 0.2


class Told(NamedTuple):
    """What a stretch of a text tells of its one subject."""

    party: str
    words: frozenset[str]
    act: str
    """The first act or word behind the subject."""
    is_denied: bool
    is_converse: bool


def find_other_subject(said: str, text: str) -> str | None:
    """Give the subject of a claim whose words its quotes tell of another party alone; None if there is none."""
    claimed, quoted = _read(said), _read(text)
    return next((one.party for one in claimed if _is_told_of_another(one, quoted)), None)


def _is_told_of_another(one: Told, quoted: tuple[Told, ...]) -> bool:
    if one.is_converse or len(one.words) < _LEAST:
        return False
    shares = [(len(one.words & other.words) / len(one.words), other) for other in quoted]
    same = max((share for share, other in shares if may_be(one.party, other.party)), default=0.0)
    return any(
        share >= max(_SHARE, same + _CLEAR)
        and len(one.words & other.words) >= _LEAST
        and not other.is_converse
        and other.is_denied == one.is_denied
        and other.act == one.act
        for share, other in shares
        if not may_be(one.party, other.party)
    )


@lru_cache(maxsize=1024)
def _read(text: str) -> tuple[Told, ...]:
    return tuple(_told(text))


def _told(text: str) -> Iterator[Told]:
    roles = read_roles(text)
    names = frozenset[str]().union(*(content_words(name) for name in roles.names))
    for start, end in _stretches(text):
        subjects = [each for each in roles.subjects if start <= each.start < end]
        if len(subjects) == 1:
            stretch = text[start:end]
            yield Told(
                subjects[0].party,
                words_of(stretch) - names,
                _act(text[subjects[0].end : end]),
                first_denial(stretch) is not None,
                _CONVERSE.search(stretch) is not None,
            )


def _act(behind: str) -> str:
    """Give what a subject does: the first word behind it in English, the last ones in Chinese."""
    pieces = [piece.key for piece in read_pieces(behind) if piece.stance is None and not piece.is_light]
    return "".join(pieces[:1] if behind.isascii() else pieces[-2:])


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    begun = 0
    for found in _CUT.finditer(text):
        yield begun, found.start()
        begun = found.end()
    yield begun, len(text)
