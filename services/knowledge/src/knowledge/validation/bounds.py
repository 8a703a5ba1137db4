"""Read what stands around a number: at most, at least, more than, within, after, about, exactly."""

import re
from collections.abc import Iterator
from typing import Literal

from knowledge.validation.lexicon import compile_by_start, sort_alternatives

Bound = Literal["none", "max", "under", "min", "over", "after", "before", "approx", "exact", "low", "high", "limit"]

_GAP = r"[^\d,，.。;；:：一二三四五六七八九十]{0,%d}$"
_NEAR = _GAP % 6
_FAR = _GAP % 48

_BEFORE_FIGURE: tuple[tuple[str, str, Bound], ...] = (
    # "At the latest seven days before" and "at least seven days before" say the same.
    (
        r"(?:最晚|最迟|不能晚于|别晚于|不晚于|不迟于|不得晚于|no\slater\sthan|at\sthe\slatest)[^\d,，。;；]{0,14}前",
        _NEAR,
        "min",
    ),
    (r"\bat\sthe\s(?:very\s)?latest", _NEAR, "max"),
    (r"\bat\sthe\s(?:very\s)?earliest", _NEAR, "min"),
    (r"(?:不|未|没有?|勿)(?:得|能|应|可|可以|会)?(?:超过|超出|多于|高于|大于|长于|晚于|迟于|逾)", _NEAR, "max"),
    (r"(?:不|未)(?:得|能|应|可|可以|会)?(?:少于|低于|短于|小于|早于|下于)", _NEAR, "min"),
    (r"(?:[未没]过)", _NEAR, "max"),
    (r"(?:不|勿)(?:得|能|可以?|准|许|要)[\u4e00-\u9fff]{1,3}?(?:超过|超出|多于|高于|大于)", _NEAR, "max"),
    (r"不(?:得|能|可以?|准|许)[\u4e00-\u9fff]{1,3}?(?:少于|低于|不到)", _NEAR, "min"),
    (r"(?:can't|cannot|mustn't|(?:may|can|must|shall)\snot)\s[a-z]+\s(?:over|above)\b", _NEAR, "max"),
    (r"(?:can't|cannot|mustn't|(?:may|can|must|shall)\snot)\s[a-z]+\s(?:under|below)\b", _NEAR, "min"),
    (r"(?:\bby\sthe\send\sof|\b(?:in|during|within)\sthe\s(?:last|final))", _NEAR, "max"),
    (r"(?:\bstart(?:s|ing)?\s(?:at|from))", _NEAR, "min"),
    (r"(?:n't|\bnot)\s(?:yet(?:\s(?:turned|reached|hit|completed))?|(?:turned|reached|hit|completed))", _NEAR, "under"),
    (r"\buntil\s(?:they|you|he|she|it)\s(?:turns?|reach(?:es)?|is|are)", _NEAR, "under"),
    (r"(?:\bthe\smost\b(?:\s[a-z']+){1,12}?\s(?:is|are)|\b(?:stops?|tops\sout|caps?|ends?)\sat)", _NEAR, "max"),
    (r"(?:no|not|never|n't)\s(?:[a-z']+\s){1,3}?(?:more|longer|later)\sthan", _NEAR, "max"),
    (r"(?:no|not|never|n't)\s(?:[a-z']+\s){1,3}?(?:less|fewer|earlier)\sthan", _NEAR, "min"),
    (
        r"(?:no|not|never|n't)\s(?:be\s|to\s)?(?:more|later|longer|greater|higher|larger|over|exceed\w*)\b(?:\sthan)?",
        _NEAR,
        "max",
    ),
    (
        r"(?:no|not|never|n't)\s(?:be\s)?(?:less|fewer|earlier|sooner|shorter|lower|smaller|under|below)\b(?:\sthan)?",
        _NEAR,
        "min",
    ),
    (
        r"(?:长达|多达|高达|最多|最高|最长|最大|最晚|最迟|最慢|限(?:购|领|用|带|借|报|量|兑|换)|最重|最厚|最宽|最远|至多|上限|封顶|顶多)",
        _GAP % 12,
        "max",
    ),
    (r"(?:仅|只)(?:限|可以?|能|准|许)", _NEAR, "limit"),
    (r"(?:至少|最少|最低|最短|最小|最早|最快|最轻|起码|下限|(?<![不能])够|达到?)", _GAP % 12, "min"),
    (r"(?<![不未没期届])满了?(?!的)", _NEAR, "min"),
    (
        r"(?:\bup\s(?:to|until|till)(?:\s(?:a\s(?:total|maximum|limit)\sof|and\sincluding|the\sage\sof|and\sincluding\sthe\sage\sof))?|\bat\s(?:the\s)?most|\bwithin(?:\s(?:the|a|an))?(?:\s(?:last|past|next|first|following|previous))?|\bas\s(?:many|much|long)\sas|\blimited\sto|\binside(?:\sof)?)\b",
        _NEAR,
        "max",
    ),
    (r"\bat\s(?:the\s(?:very\s)?)?least\b", _NEAR, "min"),
    (
        r"\b(?:maximum|max|limit|cap|capped|ceiling|(?:highest|biggest|largest|longest|heaviest)(?=\s(?:[a-z]+\s){1,3}?(?:is|are|can\sbe)\b))\b",
        _FAR,
        "max",
    ),
    (
        r"\b(?:minimum|min|at\sleast|(?:lowest|smallest|shortest|cheapest)(?=\s(?:[a-z]+\s){1,3}?(?:is|are|can\sbe)\b))\b",
        _FAR,
        "min",
    ),
    (r"(?:不足|不满|[未没]满|[不没]到|未到|少于|低于|小于|短于)(?!的)", _NEAR, "under"),
    (r"(?:超过|超出|大于|高于|多于|长于|逾(?!期)|超|过了)(?!的)", _NEAR, "over"),
    (
        r"\b(?:under(?:\sthe\sage\sof)?|less\sthan|fewer\sthan|below|below\sthe\sage\sof|shorter\sthan|younger\sthan|lower\sthan|smaller\sthan)\b",
        _NEAR,
        "under",
    ),
    (
        r"\b(?:more\sthan|over(?:\sthe\sage\sof|(?!\sthe\s$))|exceed\w*|above|longer\sthan|older\sthan|greater\sthan|higher\sthan|beyond|past)\b",
        _NEAR,
        "over",
    ),
    (r"(?:\bexactly|\bprecisely|刚好|正好|恰好|整整|固定)", _NEAR, "exact"),
    (
        r"(?:\babout|\bapproximately|\baround|\broughly|\bnearly|\balmost|\bsome|大约|大概|约|将近|接近|大致)",
        _NEAR,
        "approx",
    ),
    (r"(?<!once\s)(?<!after\s)(?<!in\s)(?<!during\s)(?<!for\s)(?<!over\s)the\sfirst", _GAP % 1, "limit"),
    (r"\bafter", _NEAR, "after"),
    (r"\bnotice\s(?:period\s)?(?:of|is|:)", _NEAR, "before"),
    (r"(?:\bbefore|提前)", _NEAR, "before"),
)
_AFTER_FIGURE: tuple[tuple[str, Bound], ...] = (
    (
        r"\s?MEASURE?(?:的)?(?:(?:范围)?(?:之|以)?内|里(?!程|[^,。;]{0,12}?(?:都|一直|始终))|以下|及以下|[为是]?(?:上|最高)限|为限|封顶|之下)",
        "max",
    ),
    (r"\s?MEASURE?(?:的)?(?:或|及|和)?(?:者)?(?:以上|及以上|之上)|\s?起(?![诉算])", "min"),
    (r"\s?(?:左右|上下|前后)", "approx"),
    (r"\s?(?:之后|以后|过后|后)", "after"),
    (r"\s?(?:之前|以前|前)", "before"),
    (
        r"\s?(?:\w+\s){0,2}?(?:or|and)\s(?:more|over|above|older|longer|up|higher|greater)\b|\s?(?:\w+\s){0,2}?(?:upwards?\b|is\sthe\s(?:least|minimum)\b)|\+|\s?(?:minimum|at\s(?:the\svery\s)?least)\b",
        "min",
    ),
    (
        r"\s?(?:\w+\s){0,2}?or\s(?:less|fewer|under|younger|shorter|lower)\b|\s(?:\w+\s){0,8}?at\sthe\s(?:very\s)?latest\b|\s?(?:\w+\s){0,3}?(?:max(?:imum)?|limit|cap|ceiling|allowance|quota|tops|at\s(?:the\s(?:very\s)?)?most|(?:is|are)\s(?:the\smost|all|as\s(?:much|many|long|far)\sas))\b",
        "max",
    ),
    (r"\s?or\sso\b", "approx"),
    (r"\s?(?:\w+\s){0,3}?(?:have|has)\s(?:passed|elapsed|gone\sby)\b", "over"),
    (r"\s?(?:later|after)\b", "after"),
    (r"'?\s(?:written\s|prior\s|advance\s)?notice\b", "before"),
    (r"\s?(?:before|prior|in\sadvance|ahead|earlier|beforehand)\b", "before"),
)

_BEFORE: tuple[tuple[re.Pattern[str], Bound], ...] = tuple(
    (compile_by_start(cue + gap), bound) for cue, gap, bound in _BEFORE_FIGURE
)
# Most figures have no cue before them: one look spares the search for each.
_ANY_BEFORE = re.compile(sort_alternatives("|".join(cue for cue, _, _ in _BEFORE_FIGURE)) + r"|n't\s")
# By what things are counted in Chinese; what limits their number may stand behind it: 三个以上.
_MEASURE = "[个名位次份张辆台套间户家条项本部笔单封只支把块片页行列篇种样类门节期批组队班届场层幢栋座棵头匹枚颗粒袋包桶罐杯盘束卷顶段回遍趟顿点]"
_AFTER = re.compile(
    "|".join(
        f"(?P<b{number}>{pattern.replace('MEASURE', _MEASURE)})" for number, (pattern, _) in enumerate(_AFTER_FIGURE)
    )
)
_AFTER_BOUNDS: dict[str, Bound] = {f"b{number}": bound for number, (_, bound) in enumerate(_AFTER_FIGURE)}

# What a quote must say for a claim to say what the key says. A plain figure is not a limit: five years are neither
# "at most five years" nor "at least".
_ENTAILED_BY: dict[Bound, frozenset[Bound]] = {
    "none": frozenset({"none", "approx", "exact", "after", "before", "limit"}),
    "max": frozenset({"max", "under", "exact", "high", "approx", "limit"}),
    "under": frozenset({"max", "under"}),
    "min": frozenset({"min", "over", "exact", "low", "approx", "before"}),
    "over": frozenset({"min", "over", "after"}),
    "after": frozenset({"none", "after", "over", "exact", "approx", "low", "min"}),
    "before": frozenset({"none", "before", "exact", "approx", "min"}),
    "approx": frozenset({"none", "approx", "exact", "max", "min", "after", "before"}),
    "exact": frozenset({"none", "exact", "after", "before"}),
    "low": frozenset({"low", "min", "over"}),
    "high": frozenset({"high", "max", "under"}),
    "limit": frozenset({"limit", "max", "under", "exact", "none"}),
}


# "You have two weeks after that to answer" tells how long, not from when on.
_GRANTED = re.compile(
    r"(?:\b(?:have|has|had|get|gets|given|gives?\s(?:you|us|them|me|him|her))|'(?:ve|s)(?:\sgot)?)\s(?:got\s)?(?:only\s|another\s)?$"
)
_TO_USE = re.compile(r"\s?(?:left\s|time\s)?(?:to|in\swhich)\s|\s?的?时间")
_FOR = re.compile(r"\bfor\s$")
_HAS = re.compile(r"有\s?$")
_BEFORE_IT = re.compile(r"\b(?:before|prior\sto)\s$")
_NOT_BEFORE = re.compile(r"(?:n't|\b(?:not|never|no))\b[^,.;]*\bbefore\s$")
_LAST = re.compile(r"\blatest\b")
_UNTIL = re.compile(r"\b(?:until|till)\s$")
# "No later than an hour before" and "at least an hour before" say the same.
_TURNED: dict[Bound, Bound] = {"max": "min", "min": "max"}
_AHEAD = re.compile(r"\s?(?:(?:and|or|but|to)\s[^.;]{0,40}?)?\b(?:before(?:hand)?|prior\sto|ahead|in\sadvance)\b")
_LATEST = re.compile(
    r"(?:\b(?:no|not)\s(?:later|earlier|sooner)\sthan|\bat\sthe\s(?:very\s)?(?:latest|earliest)|\b(?:latest|earliest)|\bup\s(?:to|until|till))\s?$"
)


def read_bound(before: str, after: str) -> Bound:
    """Give the bound that the text before and after a quantity puts on it."""
    cues = _BEFORE if _ANY_BEFORE.search(before) else ()
    leading = _first(bound for pattern, bound in cues if pattern.search(before))
    behind = _AFTER.match(after)
    trailing = "none" if behind is None else _AFTER_BOUNDS[behind.lastgroup or ""]
    together = _read_granted(before, after, trailing) if leading == "none" else None
    together = together or _read_both(before, after, (leading, trailing))
    if together is not None:
        return together
    if leading in ("none", "after", "before", "approx", "limit") and trailing in ("max", "min"):
        return trailing
    return leading if leading != "none" else trailing


def end_of_limit(text: str, end: int) -> int:
    """Give where what limits a figure that ends somewhere ends itself: "65 or over" limits nothing behind it."""
    behind = _AFTER.match(text, end)
    is_limit = behind is not None and _AFTER_BOUNDS[behind.lastgroup or ""] in ("max", "min")
    return behind.end() if behind is not None and is_limit else end


def _read_granted(before: str, after: str, trailing: Bound) -> Bound | None:
    """Read "until two hours before" and "you have two weeks to answer", which no cue before the figure limits."""
    if _AHEAD.match(after) and _UNTIL.search(before):
        return "min"
    if _FOR.search(before) and trailing in ("after", "before"):
        return "none"
    if not (_GRANTED.search(before) or _HAS.search(before)):
        return None
    if _TO_USE.match(after):
        return "limit"
    return "none" if trailing in ("after", "before") else None


def _read_both(before: str, after: str, cues: tuple[Bound, Bound]) -> Bound | None:
    """Read cues on both sides that mean another bound together: "before ten days have passed"."""
    leading, trailing = cues
    if leading == "min" and trailing == "after":
        return "after"
    if trailing in ("over", "after") and _BEFORE_IT.search(before):
        return "after" if _NOT_BEFORE.search(before) else "max"
    if trailing == "max" and _AHEAD.match(after) and _LAST.search(after):
        return "min"
    if leading in _TURNED and _AHEAD.match(after) and _LATEST.search(before):
        return _TURNED[leading]
    return None


def is_entailed(claimed: Bound, quoted: Bound, *, is_period: bool) -> bool:
    """Tell whether a figure with one bound follows from the same figure with another.

    A period may lose its bound ("has seven days to answer" for "within seven days"), an amount may not.
    """
    if is_period and claimed == "none":
        return quoted not in ("low", "high")
    return quoted in _ENTAILED_BY[claimed]


def _first(bounds: Iterator[Bound]) -> Bound:
    for bound in bounds:
        return bound
    return "none"
