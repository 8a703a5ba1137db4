"""Check that a claim leaves out neither the limit that turns its rule nor, calling one thing enough, what else is asked for.

Most true claims leave conditions out that go without saying. Two kinds say that there are none: a sum or a period told
without the cap behind it, and "as long as", 只要 or "nothing else", which tell that what they name is all that it takes.
"""

import re
from typing import Final

from knowledge.validation.cases import nearest_sentence, words_of
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.words import is_chinese, normalise

# The turn before a cap: what stands before it holds only so far.
_CAP = compile_by_start(
    r"(?:但|不过|且)(?:是|其)?[^,;。]{0,12}(?:不(?:得)?(?:超过|高于|多于)|最高|最多|最长|上限|封顶)[^,;。]*"
    r"|\b(?:but|and|though)\s(?:(?:is|are|only|for|at)\s)?(?:(?:no|not)\s(?:more|longer|later)\sthan|not\s(?:to\s)?exceed\w*|at\smost|capped\sat|up\sto|within)\b[^,;.]*"
    r"|\b(?:(?:with|to)\sa\smaximum|subject\sto\sa\s(?:cap|limit|maximum)|capped\sat)\b[^,;.]*"
)
_SAYS_CAP = compile_by_start(
    r"最高|最多|最长|只[能可有限]|上限|封顶|不超|不能超|内|至多|顶多|限|不多于|以下|但|不过"
    r"|\b(?:up\sto|max\w*|most|cap\w*|limit\w*|exceed\w*|more\sthan|within|longer|but|though|until|over|beyond|above|under|below)\b"
)
_ENOUGH = compile_by_start(
    r"只要|无论|不管(?!了|用)|不论|光凭|单凭|仅凭|(?:别的|其他|任何|另外的?)条件"
    r"|\b(?:as\slong\sas(?!\s(?:an?|\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|half)\s(?:\w+\s)?(?:hour|day|week|month|year))|all\syou\s(?:need|have)|however\s(?:long|much|many)|whenever|no\smatter|regardless|simply\sby|just\sby|nothing\selse|no\s(?:other|further)\scondition\w*)\b"
)
_CONDITION = re.compile(
    r"\b(?:if|when|where|once|provided\sthat|as\slong\sas|in\scase)\s(?P<asked>[^,;.]{6,160})"
    r"|(?:^|[,;:：])(?P<case>[^,;。]{4,60}?)(?:的|时|后)(?=,)|(?:如果?|若|假设|只要|凡)(?P<supposed>[^,;。]{4,60})"
)
# A condition that only points back ("if this is not done") is named by what stands before it.
_POINTS_BACK = re.compile(r"(?:this|that|such|these|it)\b|[该此这]")
_DENIES = re.compile(r"n't|\b(?:not|never|cannot)\b|不能|不得|不可")

_LEAST: Final = 2
_NAMED: Final = 1 / 3


def find_left_out(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the cap or the condition of the sentence nearest to a claim that it tells as if there were none."""
    said = normalise(claim)
    is_enough, has_cap = _ENOUGH.search(said) is not None, _SAYS_CAP.search(said) is not None
    texts = tuple(map(normalise, quotes))
    if (has_cap and not is_enough) or any(said.rstrip("。.") in text for text in texts):
        return None
    if not (is_enough or any(map(_CAP.search, texts))):
        return None
    wanted = words_of(said)
    nearest = nearest_sentence(wanted, texts)
    if not has_cap and (cap := _dropped_cap(wanted, nearest)):
        return cap
    speaks_alike = is_chinese(said) == is_chinese(nearest)
    return _unasked(wanted, nearest) if is_enough and speaks_alike and not _DENIES.search(said) else None


def _dropped_cap(wanted: frozenset[str], sentence: str) -> str | None:
    cap = _CAP.search(sentence)
    if cap is None:
        return None
    rule = words_of(sentence[: cap.start()])
    own = words_of(cap.group()) - rule
    return cap.group() if own and not own & wanted and len(rule & wanted) >= _LEAST else None


def _unasked(wanted: frozenset[str], sentence: str) -> str | None:
    for found in _CONDITION.finditer(sentence):
        condition = found.group(found.lastgroup or 0)
        rule = words_of(sentence.replace(condition, " "))
        own = words_of(condition) - rule
        is_named = len(own & wanted) >= _NAMED * len(own)
        if len(own) >= _LEAST and not is_named and not _POINTS_BACK.match(condition) and len(rule & wanted) >= _LEAST:
            return condition
    return None
