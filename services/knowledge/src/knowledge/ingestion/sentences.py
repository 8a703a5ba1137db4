"""Split text into sentences, list items, table rows and headings: the units that are indexed, quoted and checked.

Ingestion, answering and validation share this one segmentation, so that what was indexed as a sentence is also
what may be quoted as one. A new line in the Markdown sense (item, row, heading, blank line) always ends a unit;
inside an item or a paragraph every sentence is a unit, a table row is never cut.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text: `text[start:end]`, without white space at its ends."""

    start: int
    end: int


_MARKER = (
    r"(?:[-*+•·▪◦●]\s"
    r"|\d{1,3}[.)）](?!\d)|\d{1,3}、|[(（]\d{1,3}[)）]"
    r"|[(（][一二三四五六七八九十百]{1,4}[)）]|[一二三四五六七八九十百]{1,4}、"
    r"|第[一二三四五六七八九十百千零〇\d]{1,7}[条章节款项]"
    r"|[(（][a-zA-Zivx]{1,4}[)）]|[a-zA-Z][.)]\s)"
)
_LIST_ITEM = re.compile(rf"\s*{_MARKER}")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_RULE = re.compile(r"\s*(?:[-=*_]\s*){3,}$")
_TABLE_ROW = re.compile(r"\s*\|.*|[^|\n]*\|[^|\n]*\|.*")
_QUOTE_LINE = re.compile(r"\s*>")

# A line this wide that does not end a sentence was wrapped by an editor; a shorter one is a title or a field.
_WRAPPED_COLUMNS = 40
_LINE_STOPS = "。！？!?；;：:.…"

_CLOSERS = "”’」』）】》〉〕\"')]}*_"
_STOPS = "。！？!?.．｡…"
_CONTINUES = "，,、；;：:）)"
_NOT_SPACE = re.compile(r"\S")
# What stands further from a stop has no say in what it ends.
_LOOKED_AT = 200
_STOP_RUN = re.compile(rf"[{re.escape(_STOPS)}]+[{re.escape(_CLOSERS)}]*")

# An abbreviation of the first kind never ends a sentence, one of the second kind does when a usual opener follows.
_NEVER_LAST = re.compile(
    r"mr|mrs|ms|dr|prof|st|sr|jr|vs|cf|e\.g|i\.e|eg|ie|fig|figs|art|arts|sec|secs|ch|vol|pp|para|paras|approx|ca"
    r"|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|gen|rep|sen|gov|hon|rev",
)
_SOMETIMES_LAST = re.compile(
    r"inc|ltd|co|corp|llc|etc|al|u\.s|u\.k|e\.u|u\.n|a\.m|p\.m|ph\.d|dept|est|ave|blvd",
)
_BEFORE_DIGIT = re.compile(
    r"no|nos|p|art|sec",
)
_OPENERS = re.compile(
    r"the|this|that|these|those|we|you|if|it|in|for|however|unless|except|but|when|where|while|our|your|they|he|she"
    r"|there|please|all|any|no|as|to|after|before|once|at|on|by|from|with|a|an|i|see",
)
_LAST_TOKEN = re.compile(r"[A-Za-z][A-Za-z.]*$")
_NEXT_WORD = re.compile(r"[\s\"'“‘(\[*_]*([A-Za-z]+|.)", re.DOTALL)
_ONLY_MARKER = re.compile(r"[\s>*_#-]*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4}|[一二三四五六七八九十]{1,3})$")
_HAS_WORD = re.compile(r"[^\W_]")
_CJK = re.compile(r"[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")

_LIMITS = re.compile(
    # The marks are never given back: a line of nothing else would be tried at each of them.
    rf"[\s>*_“\"]*+(?:{_MARKER})?[\s*_“\"]*+(?:"
    r"但|不过|然而|除外|除非|除.{1,60}?(?:外|之外|以外)[，,。]|除此之外|仅限|仅适用|只限|只有|例外|前提是|除了|另有规定"
    r"|(?:前款|前项|上述|以上|本条|本款)[^。]{0,30}(?:不适用|除外)|(?:有)?(?:下列|以下)(?:情形|情况)[^。]{0,12}(?:除外|不适用|不予|不能)"
    r"|(?:but|however|unless|except|excluding|provided\s+that|only\s+if|exceptions?\b|notwithstanding|nevertheless"
    r"|otherwise|that\s+said|although|though|limited\s+to|as\s+long\s+as)\b"
    r"|(?:this|the\s+above|these|that|it)\s(?:\w+\s){0,3}?(?:does|do|will|shall)\s+not\s+(?:apply|include|cover)\b"
    r"|(?:this|these|the\s+above)\s(?:\w+\s){0,3}?(?:only\s+applies|only\s+apply|applies\s+only|apply\s+only)\b"
    r")",
    re.IGNORECASE,
)


def split_sentences(text: str) -> tuple[Span, ...]:
    """Cut a text into its units.

    Shapes: ordered, disjoint, trimmed; together they hold every letter and digit of the text; empty when there is none.
    """
    spans = (
        trimmed
        for start, end, whole in _blocks(text)
        for piece in (((start, end),) if whole else _sentences(text, start, end))
        if (trimmed := _trim(text, *piece)) is not None
    )
    return tuple(spans)


def limits_previous(sentence_text: str) -> bool:
    """Tell whether a sentence opens as an exception or condition to the one before it."""
    return _LIMITS.match(sentence_text) is not None


def _trim(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    if not _HAS_WORD.search(piece):
        return None
    return Span(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield items, rows, headings and paragraphs; the flag says that the block is one unit whatever it holds."""
    open_start, open_end = 0, 0
    before = ""
    for start, end in _lines(text):
        line = text[start:end]
        whole = _is_whole(line)
        goes_on = not whole and open_end > open_start and _continues(before, line)
        before = line
        if goes_on:
            open_end = end
            continue
        if open_end > open_start:
            yield open_start, open_end, False
        open_start, open_end = (end, end) if whole else (start, end)
        if whole:
            yield start, end, True
    if open_end > open_start:
        yield open_start, open_end, False


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line)
        start += len(line)


def _is_whole(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_HEADING, _RULE, _TABLE_ROW))


def _continues(before: str, line: str) -> bool:
    """Tell whether a line goes on with the sentence of the line before it (a soft wrap)."""
    last_line = before.rstrip()
    if not line.strip() or not last_line or _LIST_ITEM.match(line) or _QUOTE_LINE.match(line):
        return False
    if last_line.rstrip(_CLOSERS)[-1:] in _LINE_STOPS:
        return False
    return len(last_line) >= _WRAPPED_COLUMNS or last_line[-1] in ",，、" or line.lstrip()[:1].islower()


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    opened = start
    for stop in _STOP_RUN.finditer(text, start, end):
        following = _NOT_SPACE.search(text, stop.end(), end)
        if following is None:
            break
        before = text[max(opened, stop.start() - _LOOKED_AT) : stop.start()]
        after = text[stop.end() : min(following.start() + _LOOKED_AT, end)]
        if _ends_sentence(before, stop.group(), after):
            yield opened, stop.end()
            opened = stop.end()
    if opened < end:
        yield opened, end


def _ends_sentence(before: str, stop: str, after: str) -> bool:
    """Tell whether a stop ends its sentence. `after` is not blank."""
    if after.lstrip()[0] in _CONTINUES or not _HAS_WORD.search(before):
        return False
    if any(mark in stop for mark in "。！？｡"):
        return True
    if set(stop) <= set("…" + _CLOSERS):
        return after[0].isspace() and _starts_upper(after)
    return _ends_latin_sentence(before, stop, after)


def _ends_latin_sentence(before: str, stop: str, after: str) -> bool:
    if _CJK.match(after[0]):
        return bool(_CJK.search(before[-1:])) or not before[-1:].isdigit()
    if not after[0].isspace():
        return False
    if _CJK.match(after.lstrip()[0]):
        return not _ONLY_MARKER.match(before)
    if not _starts_upper(after):
        return False
    return not stop.startswith((".", "．")) or len(stop.rstrip(_CLOSERS)) > 1 or _ends_at_full_stop(before, after)


def _starts_upper(after: str) -> bool:
    following = after.lstrip().lstrip("\"'“‘([*_<")
    return not following[:1].islower()


def _ends_at_full_stop(before: str, after: str) -> bool:
    if _ONLY_MARKER.match(before):
        return False
    token = _LAST_TOKEN.search(before)
    if token is None:
        return True
    word = token.group().lower()
    following = _NEXT_WORD.match(after)
    next_word = following.group(1) if following else ""
    if _BEFORE_DIGIT.fullmatch(word) and next_word.isdigit():
        return False
    if _SOMETIMES_LAST.fullmatch(word) or len(word) == 1 or "." in word:
        return _OPENERS.fullmatch(next_word.lower()) is not None
    return _NEVER_LAST.fullmatch(word) is None
