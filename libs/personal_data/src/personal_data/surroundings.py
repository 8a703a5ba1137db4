"""Reads what stands around a place: whether it names a thing, speaks of a company, or of a person."""

import re
from typing import Final

# A number with such a word right before it names a thing and not a person.
_THING: Final = re.compile(
    r"(?:(?:单号|订单|编号|流水号?|工单|序列号|货号|批次|文号|条码|条形码|版本|案号|税号|信用代码|金额)"
    r"|\b(?:order|invoice|tracking|serial|sku|isbn|issn|case|version|ticket|booking|reference)"
    r"\s*(?:number|no\.?|id|code)?\s*(?:is|was)?"
    r"|no\.|number|\bid)[\s:：#为是号]{0,3}$",
    re.IGNORECASE,
)
_PERSON_NUMBER: Final = re.compile(
    r"(?:phone|mobile|tel|telephone|cell|call|fax|card|cc|account|contact|registered|passport|licen[cs]e|security|iban"
    r"|\b(?:my|his|her|their|your)(?:\s(?:new|old|other))?)"
    r"\s*(?:number|no\.|id)?[\s:：#]{0,3}$",
    re.IGNORECASE,
)
_COMPANY: Final = re.compile(
    r"\b(?:us|our|ours|we|support|customer (?:service|care)|help ?line|hot ?line|toll[- ]free|sales|attn"
    r"|headquarter(?:s|ed)?|head office|department|corporation|inc|llc|ltd|gmbh)\b"
    r"|公司|企业|集团|总部|注册地|办公|营业|门店|仓库|机构|中心|法院|委员会|管理局|监督局|我们|我司|本店|商家|卖家|客服|热线|总机|官方",
    re.IGNORECASE,
)
_PERSON: Final = re.compile(
    r"\b(?:my|me|mine|i|his|her|him|she|he|user|customer's)\b|\bname\s*:"
    r"|我(?!们|司|国|公司|店)|本人|家里|家庭|家住|住宅|住址|客户|顾客|用户|会员|收件人|收货人|收货地址|联系人|机主|户主|车主",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[。！？；!?;]|\n\s*\n|(?<![A-Z])\. ")
_NUMBER_REACH: Final = 24
_REACH: Final = 60


def before(text: str, start: int, reach: int = _REACH) -> str:
    """Give what stands before a place in the same sentence."""
    window = text[max(0, start - reach) : start]
    ends = [match.end() for match in _SENTENCE_END.finditer(window)]
    return window[ends[-1] :] if ends else window


def names_a_thing(text: str, start: int) -> bool:
    """Say whether the number that begins here is an order's, an invoice's or the like."""
    window = text[max(0, start - _NUMBER_REACH) : start]
    return _THING.search(window) is not None and _PERSON_NUMBER.search(window) is None


def speaks_of_a_company(text: str, start: int) -> bool:
    """Say whether the words before tell of a company and of no person."""
    window = before(text, start)
    return _COMPANY.search(window) is not None and _PERSON.search(window) is None


def speaks_of_a_person(text: str, start: int) -> bool:
    """Say whether the words before tell of a person."""
    return _PERSON.search(before(text, start)) is not None
