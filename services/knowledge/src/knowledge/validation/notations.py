"""Know every notation of a figure, and what unit and value each of them reads."""

import re
from collections.abc import Callable
from fractions import Fraction

from knowledge.validation.numerals import NUMBER, read_number
from knowledge.validation.units import (
    COUNT,
    CURRENCY_SIGN,
    FOLD,
    ORDINAL,
    PERCENT,
    UNIT,
    Unit,
    read_currency,
    read_unit,
)

_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_NUMERATORS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
}
_DENOMINATORS = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fifth": 5,
    "sixth": 6,
    "eighth": 8,
    "tenth": 10,
    "hundredth": 100,
}
# Two digits in a row that follow one another span a range: 两三天, 七八个月, 二三十元.
_NEXT_DIGITS = "[一两二]二|[两二]三|三[四五]|四五|五六|六七|七八|八九"
_HAN_SHARES = {"百": 100, "千": 1000, "万": 10000}

# These hold a numeral and count nothing.
_IDIOM = (
    r"(?<![\w.])2fa(?![a-z0-9])|two[\s-](?:factor|step)\b|[两二]步(?=验证|认证)|双(?:重|因素|因子)(?=验证|认证|身份)|同一[天日]|最后一(?=[天日个次年月周])|(?<=[这那哪头])一(?=[天日个次年月周季批单件])|第[二三][天日]|同一[款条章项]|一(?:般|样|起|些|定|致|切|律|旦|并|共|直|经|同|体|贯|律|次性|步|方面|概)|(?:统|唯|之|同|任|单|万|逐|进|不|其|专|归|划)一(?![年月日天周条款项章节个次一二两三四五六七八九十百千万])"
    r"|第一时间|(?<=年)三十(?![\d天日岁个元次件万千百余多来几%])|十分(?!钟|之)|千万(?:别|不|要)|(?:第)?三方|第三(?:方|者)|二手|二维码|双十一|五一(?![零〇一二三四五六七八九])|(?:三八|五四|六一|七一|八一|十一)(?=节|青年|妇女|儿童|劳动|国庆|假|黄金|长假|放|期间|的|当天)|三包|三无|四川|百货|百姓|两(?:者|边|头|种情况|类情况|方)"
    r"|第[一二三四五六](?=[,、:])|\b(?:first|second|third)(?:ly)?(?=,)|\bfirst(?=\s?(?:[.;!?]|$|(?:and|then|before)\b|\d|(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)\b))|[一二三两四]种(?:情况|情形)|[两三]者|分[一二两三四]种|\b(?:two|three|four)\s(?:cases|situations|ways|scenarios)\b|\b(?:first[\s-]come|first[\s-]served|at\sfirst|third[\s-]part(?:y|ies)|one\sof|one\sanother|no\sone"
    r"|one(?=\s(?:you|that|which|we|they|he|she|who|already)\b)|any\s?one|every\s?one|some\s?one|second[\s-]hand|second\s(?:thoughts?|chance|opinion)|first(?=\s(?:we|you|they|it|he|she|the|your|our|you're|paid|bought|got|sent|signed|[a-z]+ed)\b)(?<!the\sfirst)(?<!your\sfirst)(?<!our\sfirst)(?<!their\sfirst)(?<!its\sfirst)(?<!\bis\sfirst)(?<!are\sfirst)(?<!be\sfirst)|first[\s-]part(?:y|ies)|first\sand\sforemost|in\sthe\sfirst\splace)\b"
)
_TIME = r"(?:minutes?|hours?|(?:business\s|working\s)?days?|weeks?|months?|quarters?|years?|fortnights?)\b"
# The words that a figure may begin with, by their beginnings.
WORDED = (
    r"an?[\s-](?:full|whole|entire|complete|single|further|additional|extra|half|third|quarter|fifth|tenth|couple|minute|hour|business|working|day|week|month|year|fortnight)|half|by\shalf"
    r"|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twel|thirteen|fifteen|twenty|thirty|fort|fifty|dozen|hundred"
    r"|thousand|million|billion|first|second|third|fifth|ninth|twice|double|triple|thrice|immediate|right\saway|at\sonce|instant|straight\saway|same"
)
# Nothing below starts elsewhere; looking first at the character or word spares most places the long alternation.
_START = (
    r"(?:(?=[\d$€£¥零〇一二两三四五六七八九十百千万廿卅半双翻首头第最分对减折立马即当人美统唯之同任单逐进不其专归划])"
    r"|(?<![a-z0-9])(?=[a-z])(?=[a-z]+[-_]?\d|us\$|hk\$|usd|rmb|cny|eur|gbp"
    rf"|at\sfirst|no\sone|any\s?one|every\s?one|some\s?one|in\sthe\sfirst|{WORDED}))"
)
# A share below the whole, "2/3 of the fee"; in front of a unit it spans a range, "2/3 days".
_SLASHED = (
    r"(?<![\w./:-])(?P<slashed>(?=1/|2/[13-9]|3/[14-9]|4/[15-9]|5/[16-9]|6/[17-9]|7/[189]|8/[19]|9/1)[1-9])"
    rf"/(?P<slashed_of>[2-9]|100?)(?![\d./:-]|\s*{UNIT})"
)
FIGURE = (
    rf"(?:(?P<idiom>{_IDIOM})"
    rf"|(?P<share>[百千万])分之(?P<share_of>{NUMBER})"
    rf"|(?P<below>{NUMBER})分之(?P<above>{NUMBER})"
    rf"|(?P<tenths>{NUMBER})\s*成(?P<tenths_half>半)?(?![为交功立员本份品分熟就长])"
    rf"|(?P<discount>{NUMBER})\s*折(?![扣旧叠])"
    rf"|(?P<half_dozen>\bhalf[\s-](?:a\s)?dozen\b)|(?P<vague>(?:(?<=[几数])[十百千万]+|(?:(?<=few\s)|(?<=several\s))(?:hundred|thousand|million))\s*(?:{UNIT})?)"
    r"|(?P<half>\bhalf\s(?:of\b(?!\san?\s)|the|its|their|your|our)\b|\bhalf[\s-]price\b|\bby\shalf\b|\bhalf(?=\s?(?:[.,;]|$)|\sback\b)|一半|半数|半价|对半|减半|折半)"
    rf"|\b(?P<part>an?|one|two|three|four|five)[\s-](?P<parts>third|quarter|fifth|sixth|eighth|tenth)s?\sof\s(?:an?|one|each|every)\s(?P<part_unit>{UNIT})(?!'s)"
    r"|\b(?P<numerator>an?|one|two|three|four|five|six|seven|eight|nine)[\s-](?P<denominator>half|third|quarter|fifth|sixth|eighth|tenth|hundredth)s?\b(?![\s-]part(?:y|ies)\b)"
    rf"|\b(?P<halves_en>half)[\s-](?:of\s)?(?:an?\s)?(?P<halves_en_unit>{_TIME}|(?:dollar|pound|euro)\b)"
    rf"|(?P<plus_half>{NUMBER})\sand\sa\shalf\s(?P<plus_half_unit>{UNIT})"
    r"|\ban?\s(?P<one_and_half_unit>hour|day|week|month|year)\sand\sa\shalf\b"
    r"|(?P<whole>[\d一二两三四五六七八九十]{1,3})(?P<whole_unit>米|块|斤)(?P<tenth>[一二三四五六七八九]|\d(?![\d.]))(?![零〇一二两三四五六七八九十百千万亿个天年月日折成次位张件])"
    rf"|(?:(?P<halves>{NUMBER})\s*个)?半个?(?P<halves_unit>年|月|天|日|小时|钟头|星期)"
    rf"|(?P<and_half>{NUMBER})\s*个?(?P<and_half_unit>年|月|天|小时|钟头)半"
    r"|(?:\bfirst\s|首个?|第[一1]个?|头一?个?)(?P<initial_unit>(?:year|month|week|quarter|hour|day(?!\sof))\b|[年周](?!度)|(?<=个)月|季度|星期|小时)"
    rf"|第\s*(?P<nth_han>{NUMBER})|(?P<nth_initial>首)(?=个|次|年|月|日|期|笔|张|单|件)"
    r"|(?<![\w.])(?P<nth>\d{1,30})(?:st|nd|rd|th)\b"
    rf"|\b(?P<nth_word>{'|'.join(_ORDINALS)})\b"
    rf"|(?P<sign>{CURRENCY_SIGN})\s*(?P<amount>{NUMBER})"
    rf"|{_SLASHED}"
    # A name ends where its Latin letters and figures end, also before a Chinese character: x-200支持.
    r"|(?P<token>(?<![\w.])\d+(?:[./:-]\d+){2,}|(?<!\d)\d+/\d+|(?<![a-z0-9_$])[a-z]+[-_]?\d[a-z0-9_-]*(?:\.\d+)*"
    r"|(?<![\w.])\d+[a-z]+(?:\d|_)\w*)"
    r"|(?P<couple>\ba\scouple(?:\sof)?)\s*(?P<couple_unit>" + UNIT + r")"
    rf"|(?P<low>{_NEXT_DIGITS})(?P<scale>[十百千万]?)\s*(?P<span_unit>{UNIT})"
    rf"|(?P<some>[一二三四五六七八九]?[十百千万])[来几多]\s*(?P<some_unit>{UNIT})"
    rf"|(?P<open>{NUMBER})\sor\s(?:more|fewer|less)\s(?P<open_unit>{UNIT})"
    rf"|(?P<measured>{NUMBER})(?P<odd>\s*个?[多余])?\s*\)?[\s-]*(?:more\s|full\s|consecutive\s|整|连续)?(?P<unit>{UNIT})"
    r"|(?P<name>(?<![\w.])\d+[a-z]{3,}(?!\w))"
    rf"|(?P<number>{NUMBER})"
    rf"|\b(?P<article>an?)\s(?:(?:full|whole|entire|complete|single|further|additional|extra)\s)?(?P<article_unit>{_TIME})"
    r"|(?P<once>\btwice\b|\bdoubled?\b|双倍|翻倍)|(?P<triple>\btripled?\b|\bthrice\b)"
    r"|(?P<at_once>\bimmediate(?:ly)?\b|\bright\saway\b|\bat\sonce\b|\binstant(?:ly)?\b|\bstraight\saway\b|\bsame[\s-]day\b"
    r"|立即|立刻|马上|即刻|当天|当日|即时))"
)
"""The pattern of a figure; its last group tells how to read it."""
PATTERN = re.compile(_START + FIGURE)


def _tenths(found: re.Match[str]) -> tuple[Unit, Fraction]:
    return PERCENT, read_number(found["tenths"]) * 10 + (5 if found["tenths_half"] else 0)


def _discount(found: re.Match[str]) -> tuple[Unit, Fraction]:
    value = read_number(found["discount"])
    return PERCENT, value * 10 if value <= 10 else value  # noqa: PLR2004 - 七折 and 七五折 are both written


def _halves(found: re.Match[str]) -> tuple[Unit, Fraction]:
    return _han_unit(found["halves_unit"]), (read_number(found["halves"]) if found["halves"] else 0) + _HALF


def _han_unit(text: str) -> Unit:
    return read_unit("个月" if text == "月" else text)


# What is read of a match of `PATTERN`, by the last of its groups.
_HALF = Fraction(1, 2)
READINGS: dict[str, Callable[[re.Match[str]], tuple[Unit, Fraction]]] = {
    "share_of": lambda found: (PERCENT, read_number(found["share_of"]) * 100 / _HAN_SHARES[found["share"]]),
    "above": lambda found: (PERCENT, read_number(found["above"]) * 100 / max(read_number(found["below"]), Fraction(1))),
    "slashed_of": lambda found: (PERCENT, Fraction(100 * int(found["slashed"]), int(found["slashed_of"]))),
    "tenths": _tenths,
    "tenths_half": _tenths,
    "discount": _discount,
    "half": lambda _: (PERCENT, Fraction(50)),
    "denominator": lambda found: (
        PERCENT,
        Fraction(100 * _NUMERATORS[found["numerator"]], _DENOMINATORS[found["denominator"]]),
    ),
    "halves_en_unit": lambda found: (read_unit(found["halves_en_unit"]), _HALF),
    "plus_half_unit": lambda found: (read_unit(found["plus_half_unit"]), read_number(found["plus_half"]) + _HALF),
    "one_and_half_unit": lambda found: (read_unit(found["one_and_half_unit"]), 1 + _HALF),
    "halves_unit": _halves,
    "tenth": lambda found: (
        read_unit(found["whole_unit"]),
        read_number(found["whole"]) + read_number(found["tenth"]) / 10,
    ),
    "and_half_unit": lambda found: (_han_unit(found["and_half_unit"]), read_number(found["and_half"]) + _HALF),
    "nth_word": lambda found: (ORDINAL, Fraction(_ORDINALS.index(found["nth_word"]) + 1)),
    "nth_initial": lambda _: (ORDINAL, Fraction(1)),
    "nth_han": lambda found: (ORDINAL, read_number(found["nth_han"])),
    "nth": lambda found: (ORDINAL, read_number(found["nth"])),
    "amount": lambda found: (read_currency(found["sign"]), read_number(found["amount"])),
    "unit": lambda found: (read_unit(found["unit"]), read_number(found["measured"])),
    "number": lambda found: (COUNT, read_number(found["number"])),
    "some_unit": lambda found: (read_unit(found["some_unit"]), read_number(found["some"])),
    "initial_unit": lambda found: (_han_unit(found["initial_unit"]), Fraction(1)),
    "couple_unit": lambda found: (read_unit(found["couple_unit"]), Fraction(2)),
    "article_unit": lambda found: (read_unit(found["article_unit"]), Fraction(1)),
    "once": lambda _: (FOLD, Fraction(2)),
    "triple": lambda _: (FOLD, Fraction(3)),
    "half_dozen": lambda _: (COUNT, Fraction(6)),
    "part_unit": lambda found: (
        read_unit(found["part_unit"]),
        Fraction(_NUMERATORS[found["part"]], _DENOMINATORS[found["parts"]]),
    ),
    "open_unit": lambda found: (read_unit(found["open_unit"]), read_number(found["open"])),
    "at_once": lambda _: (Unit("immediate", Fraction(1)), Fraction(0)),
}
