"""Check that a claim demands nothing that its quotes merely allow, and allows nothing that they demand."""

import re

from knowledge.validation.closeness import close_sentences
from knowledge.validation.stances import Stance, read_pieces
from knowledge.validation.words import normalise

# "Only" and agreements to the contrary stand between a duty and a choice; so does a listed alternative.
_BETWEEN = re.compile(
    r"\bonly\b|只|仅|另有|另行|约定|\beither\b|\bor\b|或|选择|\bunless\b|\bexcept\b|除非|\boption\w*|\bchoos\w*|\bchoice\b"
)
_OPTIONAL = re.compile(r"\boptional\w*|\bvoluntar\w*|自愿|自行(?:决定|选择)|酌情|也(?:可以|可|能)不")


def find_shifted_duty(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the cue of a claim that turns a permission into a duty or a duty into a permission; None if none does."""
    said = normalise(claim)
    mine = _forces(said)
    close = close_sentences(claim, quotes)
    theirs = {stance for sentence in close for stance in _forces(sentence)}
    optional = _OPTIONAL.search(said)
    if optional is not None and "need_not" not in theirs and not any(map(_OPTIONAL.search, close)):
        return optional.group()
    if "must" in mine and "may" not in mine and theirs & {"may", "advised"} and "must" not in theirs:
        return mine["must"]
    only_duties = "must" in theirs and not theirs & {"may", "advised"}
    if only_duties and "may" in mine and "must" not in mine and not any(map(_BETWEEN.search, (said, *close))):
        return mine["may"]
    return None


def _forces(text: str) -> dict[Stance, str]:
    """Give the first wording of each force of a text in normal form."""
    return {piece.stance: piece.key for piece in reversed(read_pieces(text)) if piece.stance is not None}
