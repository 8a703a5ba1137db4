"""Check that a claim adds nothing to what its quotes speak of: no cost, no paper, no gift, no consequence of its own.

What somebody has to pay or bring, or gets on top, is a matter of its own. A rule that does not speak of it has none, so
that a claim that names one has made it up, however well the rest of it fits. What a claim denies it does not add.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from knowledge.validation.lexicon import sort_alternatives
from knowledge.validation.words import normalise


class _Matter(NamedTuple):
    named: re.Pattern[str]
    """How a claim says that there is one."""
    known: re.Pattern[str]
    """What a quote that speaks of one would hold, however loosely, in either language."""


_MATTERS: tuple[_Matter, ...] = tuple(
    _Matter(re.compile(named), re.compile(known))
    for named, known in (
        (
            r"\b(?:fees?|surcharges?|(?:an?|any|extra|additional)\s(?:\w+\s)?charges?)\b|(?:手续|服务|管理|工本|附加|代办|加急|违约)费|滞纳金",
            r"fee|charg|cost|expens|deduct|surcharge|penalt|\bfines?\b|postage|\btolls?\b|费|扣|滞纳|违约金|罚",
        ),
        (r"\bdeposits?\b|押金|保证金|[定订]金", r"deposit|advance|up\sfront|押金|保证金|[定订]金|预付"),
        (r"\b(?:penalt(?:y|ies)|fined|fines|an?\sfine)\b|罚款|罚金", r"penalt|\bfine|punish|罚|违约金|charg|fee"),
        (r"\binterest\b(?!ed|\sin)|利息", r"interest|利息|计息|利率|孳息"),
        (r"\bcertificates?\b|证书|证明(?!材料)", r"certif|proof|prov|evidence|voucher|document|证|券|凭|材料"),
        (r"\bpassports?\b|护照", r"passport|identi|\bids?\b|document|护照|证件|身份"),
        (r"\binvoices?\b|发票", r"invoice|bill|receipt|发票|票据|单据|凭证|账单|开具|虚开"),
        (
            r"\breceipts?\b(?!\sof)|收据|小票",
            r"receipt|invoice|proof|bought|收据|小票|发票|凭证|票据|单据|回执|签收|收到",
        ),
        (
            r"\b(?:vouchers?|coupons?|gift\scards?)\b|代金券|优惠券|礼品卡|抵用券",
            r"voucher|coupon|gift|certificate|credit|券|礼品|购物金|红包|卡",
        ),
        (
            r"\bdiscounts?\b|\b(?:price|rate)\scuts?\b|打折|折扣|优惠(?!券)",
            r"discount|off\b|reduc|lower|cheaper|deal|promot|half|%|折|优惠|减|促销|活动",
        ),
        (r"\bbonus(?:es)?\b|\breward\s?points?\b|赠品|奖励|礼品(?!卡)", r"bonus|reward|point|gift|赠|奖|礼|积分"),
        (
            r"\bcompensat(?:e|es|ed|ion)\b|\bdamages\b|赔偿|赔付|补偿",
            r"compens|damages|indemn|liab|reimburs|\bpay|certificate|credit|赔|补偿|责任|损失",
        ),
        (r"\bapolog(?:y|ies|ise|ize)\w*|道歉", r"apolog|sorry|gesture|道歉|歉"),
        (
            r"\b(?:extend|prolong|extension)\w*|延长|延期|顺延|宽限",
            r"exten|prolong|longer|renew|postpon|defer|grace|more\stime|延|顺延|续|宽限|展期|缓",
        ),
        (r"\bupgrad\w*|升级(?!版)", r"upgrad|升|higher|bigger"),
        (
            r"\b(?:approval|consent|permission)\b|(?:经|征得|取得|需要|须)[^,，。;]{0,8}(?:同意|批准|许可)",
            r"approv|consent|permi|agree|accept|authori|allow|confirm|decide|decision|同意|批准|许可|授权|审|认|决定",
        ),
        (r"\bpriority\b|优先", r"priorit|优先|first"),
        (r"\b(?:credit|background|security)\schecks?\b|征信|信用审查", r"credit|check|verif|征信|信用|审"),
    )
)
_MAY_ADD = re.compile(sort_alternatives("|".join(matter.named.pattern for matter in _MATTERS)))
_CLAUSE = re.compile(r"[,，;；:：。!！?？]|\.(?!\d)|\bbut\b")
_DENIES = re.compile(
    r"n't|\b(?:not|never|no|none|nothing|without|free|instead|rather|neither|nor|waive[sd]?|if|unless|whether)\b|[不未没无免]|如果|若"
)


def find_added(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield what a claim adds that no quote speaks of."""
    said = normalise(claim)
    if not _MAY_ADD.search(said):
        return
    text = "\n".join(map(normalise, quotes))
    if said in text:
        return
    for clause in _CLAUSE.split(said):
        if not _DENIES.search(clause):
            yield from _added(clause, text)


def _added(clause: str, text: str) -> Iterator[str]:
    for matter in _MATTERS:
        found = matter.named.search(clause)
        if found is not None and not _knows(matter, text):
            yield found.group()


@lru_cache(maxsize=512)
def _knows(matter: _Matter, text: str) -> bool:
    return matter.known.search(text) is not None
