"""Recognises Chinese postal addresses down to a house; those of companies stay."""

import re
from typing import Final

from knowledge.ingestion.personal_data.rule_recognizer import CHINESE, RuleRecognizer, Span
from knowledge.ingestion.personal_data.surroundings import speaks_of_a_company

_PROVINCE: Final = (
    r"(?:(?:北京|上海|天津|重庆)市?|(?:河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南"
    r"|陕西|甘肃|青海|台湾)省?|(?:内蒙古|广西|西藏|宁夏|新疆)(?:壮族|回族|维吾尔)?(?:自治区)?|(?:香港|澳门)(?:特别行政区)?)"
)
_HAN: Final = r"[\u4e00-\u9fff]"
_NUMBER: Final = r"[0-9A-Za-z一二三四五六七八九十百甲乙丙丁]"
_WAY: Final = r"(?:路|街|道|巷|弄|胡同|里|村|庄|镇|乡|小区|花园|家园|公寓|苑|新村|社区|广场|大厦)"
_HOUSE: Final = rf"{_NUMBER}{{1,6}}(?:[-—]{_NUMBER}{{1,4}}){{0,3}}(?:号楼?|弄|座|栋|幢|单元|室|楼|层|户|组|队)"
_PLACE: Final = rf"{_HAN}{{1,8}}?(?:市|区|县|州|盟|旗|镇|乡)"
_ADDRESS: Final = re.compile(
    rf"(?:{_PROVINCE}(?:{_PLACE}){{0,3}}|(?:{_PLACE}){{1,3}})"
    rf"{_HAN}{{0,12}}?{_WAY}[ ]?(?:{_HAN}{{0,10}}?[ ]?{_HOUSE}){{1,5}}"
)
# What stands before an address in the same run of characters is no part of its first place.
_LEAD: Final = re.compile(
    r"^.*?(?:收货|联系|家庭|现在?|寄到|寄往|送到|送至|住址|地址|改成|改为|改到|住在?|家在|位于|搬到|是|在|到|为|至|于)(?=.{6})"
)


def _address(match: re.Match[str]) -> Span | None:
    start = match.start()
    lead = None if re.match(_PROVINCE, match.group()) else _LEAD.match(match.group())
    if lead is not None:
        start += lead.end()
    return None if speaks_of_a_company(match.string, start) else (start, match.end())


def chinese_address_recognizers() -> list[RuleRecognizer]:
    """Make the recogniser of this module."""
    return [RuleRecognizer("ADDRESS", _ADDRESS, _address, hint=CHINESE)]
