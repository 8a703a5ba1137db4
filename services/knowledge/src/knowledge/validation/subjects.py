"""Compare whom claim and quotes make the subject of the same words, whichever act these words name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from knowledge.validation.cases import words_of
from knowledge.validation.denials import first_denial
from knowledge.validation.party_acts import read_roles
from knowledge.validation.party_names import may_be
from knowledge.validation.readings import read_once
from knowledge.validation.stances import read_pieces
from knowledge.validation.words import content_words

# Where a new subject may begin.
_CUT = re.compile(
    r"[,;.:，。；：、!?！？\n]\s?|\s(?:and|or|but|if|when|where|once|unless|until|after|before|because|so|that|which|who|while|than|as)\s|但|而|如果|除非"
)
# Of these acts the one who does and the one who has done are told with one word apart.
CONVERSE = re.compile(
    r"\b(?:receiv\w+|gets?|got|have|has|owns?|keeps?|need\w*|wants?|sees?|agree\w*|find\w*|buys?|bought|sells?|sold|rent\w*|hir\w+|lend\w*|borrow\w*|owe\w*)\b"
    r"|\b(?:charg\w+|pays?|paid)\b|收取|交|付|收到|接到|获得|得到|拿到|享有|享受|买(?!家|方|受)|卖(?!家|方)|租(?!客|户|赁)|借(?!款人)|欠|同意|约定"
)
_LEAST: Final = 2.0
_SHARE: Final = 0.45
_CLEAR: Final = 0.2


@dataclass(frozen=True, eq=False)
class Told:
    """A stretch of a text that tells something of its one subject; what it tells is read when it is asked for."""

    party: str
    stretch: str
    behind: str
    """What stands behind the subject."""
    names: frozenset[str]
    """How its text calls the parties."""

    @cached_property
    def words(self) -> frozenset[str]:
        """Give what is told, without the names of parties."""
        return words_of(self.stretch).difference(*map(content_words, self.names))

    @cached_property
    def act(self) -> str:
        """Give what the subject does: the first word behind it in English, the last ones in Chinese."""
        pieces = [piece.key for piece in read_pieces(self.behind) if piece.stance is None and not piece.is_light]
        return "".join(pieces[:1] if self.behind.isascii() else pieces[-2:])

    @cached_property
    def is_denied(self) -> bool:
        """Tell whether it is denied."""
        return first_denial(self.stretch) is not None

    @cached_property
    def is_converse(self) -> bool:
        """Tell whether its act is told of either party with one word apart."""
        return CONVERSE.search(self.stretch) is not None


def find_other_subject(said: str, text: str) -> str | None:
    """Give the subject of a claim whose words its quotes tell of another party alone; None if there is none."""
    claimed, quoted = _read(said), _read(text)
    return next((one.party for one in claimed if _is_told_of_another(one, quoted)), None)


def _is_told_of_another(one: Told, quoted: tuple[Told, ...]) -> bool:
    rivals = [other for other in quoted if not may_be(one.party, other.party) and _tells_alike(one, other)]
    if not rivals:
        return False
    same = max((_shared(one, other) for other in quoted if may_be(one.party, other.party)), default=0)
    nearest = max(_shared(one, other) for other in rivals)
    return nearest >= _LEAST and nearest / len(one.words) >= max(_SHARE, same / len(one.words) + _CLEAR)


def _tells_alike(one: Told, other: Told) -> bool:
    """Tell whether two subjects do the same, or are both denied it."""
    if one.is_converse or other.is_converse:
        return False
    return one.act == other.act and one.is_denied == other.is_denied


def _shared(one: Told, other: Told) -> int:
    return len(one.words & other.words)


@read_once
def _read(text: str) -> tuple[Told, ...]:
    return tuple(_told(text))


def _told(text: str) -> Iterator[Told]:
    roles = read_roles(text)
    for start, end in _stretches(text):
        subjects = [each for each in roles.subjects if start <= each.start < end]
        if len(subjects) == 1:
            yield Told(subjects[0].party, text[start:end], text[subjects[0].end : end], roles.names)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    begun = 0
    for found in _CUT.finditer(text):
        yield begun, found.start()
        begun = found.end()
    yield begun, len(text)
