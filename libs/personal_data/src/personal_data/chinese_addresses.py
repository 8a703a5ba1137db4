"""Recognises Chinese postal addresses down to a house; those of companies and of public places stay.

A road with its number is looked for first, and the places before it from there backwards: forwards, every character of a
Chinese text may begin a place.
"""

import re
from typing import Final

from personal_data.rule_recognizer import CHINESE, RuleRecognizer, Span
from personal_data.surroundings import before, speaks_of_a_company, speaks_of_a_person

_HAN: Final = r"[\u4e00-\u9fff]"
_NUMBER: Final = r"[0-9A-Za-z一二三四五六七八九十百甲乙丙丁]"
# A road, or a place to live, right before its number; a railway, a channel and a line of traffic have numbers as well.
_WAY: Final = (
    r"(?:(?<![公铁线电网])路|(?<!商)街|(?<![轨隧通渠频管])道|巷|弄|胡同|里|村|庄|小区|花园|家园|公寓|苑|社区|广场|大厦)"
)
_COUNT: Final = rf"{_NUMBER}{{1,6}}(?:[-—]{_NUMBER}{{1,4}}){{0,3}}[ ]?"
_HOUSE: Final = rf"{_COUNT}(?:号楼?(?!线|码|文|令)|弄|座|栋|幢|单元|室|楼|层|户|组|队)"
# Only houses to live in are counted so after the name of a quarter.
_QUARTER_AND_HOUSE: Final = rf"[园区城院府湾庭阁轩期][ ]?{_COUNT}(?:号楼|栋|幢|单元)"
_ROAD_AND_HOUSE: Final = re.compile(
    rf"(?:{_WAY}[ ]?{_HOUSE}|{_QUARTER_AND_HOUSE})(?:{_HAN}{{0,10}}?[ ]?{_HOUSE}){{0,4}}(?:(?<=[元栋幢楼])[ ]?\d{{3,4}}(?!\d))?"
)
_REACH: Final = 40
_RUN: Final = re.compile(rf"(?:{_HAN}[ ]?){{1,{_REACH}}}$")
_PROVINCE: Final = re.compile(
    "北京|上海|天津|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海"
    "|台湾|内蒙古|广西|西藏|宁夏|新疆|香港|澳门"
)
_PLACE_END: Final = re.compile("[市区县州盟旗镇乡]")
_LONGEST_PLACE: Final = 8
# What leads to an address is no part of the name of its first place.
_LEAD: Final = re.compile("收货|联系|家庭|[寄送搬改][到往至成为]|[地住]址|住在?|家在|[是在到为至于给址：]")
_SITUATED: Final = re.compile("位于|[坐座]落|设[在于]")
_PUBLIC: Final = re.compile(f"{_SITUATED.pattern}|[校院站馆厂店厅局所机关]")


def _address(match: re.Match[str]) -> Span | None:
    run = _RUN.search(match.string[max(0, match.start() - _REACH) : match.start()])
    if run is None:
        return None
    begin = _beginning(run.group())
    if begin is None:
        return None
    start = match.start() - len(run.group()) + begin
    is_public = _is_public(match.string, start) or _SITUATED.search(run.group(), begin)
    return None if is_public else (start, match.end())


def _beginning(run: str) -> int | None:
    """Say where in the characters before the road the address begins; None when they name no place."""
    province = _PROVINCE.search(run)
    if province is not None:
        return province.start()
    place = _PLACE_END.search(run, 1)
    if place is None:
        return None
    leads = [lead.end() for lead in _LEAD.finditer(run, 0, place.start()) if lead.end() < place.start()]
    return max([0, place.start() - _LONGEST_PLACE, *leads])


def _is_public(text: str, start: int) -> bool:
    if speaks_of_a_company(text, start):
        return True
    return _PUBLIC.search(before(text, start)) is not None and not speaks_of_a_person(text, start)


def chinese_address_recognizers() -> list[RuleRecognizer]:
    """Make the recogniser of this module."""
    return [RuleRecognizer("ADDRESS", _ROAD_AND_HOUSE, _address, hint=CHINESE)]
