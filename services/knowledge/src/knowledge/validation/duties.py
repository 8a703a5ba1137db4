"""Check that a claim demands nothing that its quotes merely allow, and allows nothing that they demand."""

import re

from knowledge.validation.clauses import close_clauses
from knowledge.validation.closeness import close_sentences
from knowledge.validation.stances import Stance, read_pieces
from knowledge.validation.words import normalise

# "Only" and agreements to the contrary stand between a duty and a choice; so does a listed alternative.
_BETWEEN = re.compile(
    r"\bonly\b|只|仅|另有|另行|约定|\beither\b|\bor\b|或|选择|\bunless\b|\bexcept\b|除非|\boption\w*|\bchoos\w*|\bchoice\b"
)
# What one side may ask of another, the other has to do.
_CLAIMED = re.compile(
    r"(?:有权|可以?)[^,;。]{0,16}(?:要求|请求|主张)|\b(?:may|can|entitled\sto)\s(?:\w+\s)?(?:demand|claim|require)\b"
)
_LIFTS = re.compile(r"除|例外|免|\b(?:except\w*|unless|exempt\w*|optional\w*|may|free)\b|可以|自愿")
# "You need not pay it yourself" says who pays.
_YOURSELF = re.compile(r"自[己行掏]|\b(?:your|them|it)sel(?:f|ves)\b")
_OPTIONAL = re.compile(
    r"\boptional\w*|\bvoluntar\w*|\bup\sto\s(?:you|them|it)\s(?:whether|if|to)\b|\bchoose\swhether\b|\bwhether\s(?:or\snot\s)?to\b|\bdo\swithout\b|\bas\s(?:\w+\s){1,3}likes?\b"
    r"|\bif\s(?:you|they|it)\s(?:wish|like|want|choose)\w*|自愿|自行(?:决定|选择)|随意|酌情|(?:选择|决定)是否|可以不|可不|也(?:可以|可|能)不|想不想"
)


def find_shifted_duty(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the cue of a claim that turns a permission into a duty or a duty into a permission; None if none does."""
    said = normalise(claim)
    mine = _forces(said)
    rules, close = close_clauses(claim, quotes), close_sentences(claim, quotes)
    theirs = {stance for rule in rules for stance in _forces(rule)}
    beside = {stance for sentence in close for stance in _forces(sentence)}
    optional = _OPTIONAL.search(said)
    if optional is not None and "need_not" not in theirs and not any(map(_OPTIONAL.search, close)):
        return optional.group()
    if "need_not" in mine and not _YOURSELF.search(said) and "must" in theirs and not _lifted(quotes):
        return mine["need_not"]
    if any(map(_CLAIMED.search, close)) and "must" in mine:
        return None
    if "must" in mine and "may" not in mine and theirs & {"may", "advised"} and "must" not in theirs:
        return mine["must"]
    only_duties = "must" in beside and not beside & {"may", "advised"}
    if only_duties and "may" in mine and "must" not in mine and not any(map(_BETWEEN.search, (said, *close))):
        return mine["may"]
    return None


def _lifted(quotes: tuple[str, ...]) -> bool:
    """Tell whether the quotes lift any duty or make an exception."""
    texts = tuple(map(normalise, quotes))
    return any("need_not" in _forces(text) or _LIFTS.search(text) for text in texts)


def _forces(text: str) -> dict[Stance, str]:
    """Give the first wording of each force of a text in normal form."""
    return {piece.stance: piece.key for piece in reversed(read_pieces(text)) if piece.stance is not None}
