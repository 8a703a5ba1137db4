"""Check that a period starts from the same event in a claim as in its quotes: after receipt is not after dispatch."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from knowledge.validation.lexicon import compile_by_start, make_bilingual, make_lexicon, name_wordings
from knowledge.validation.quantities import Quantity, find_figures
from knowledge.validation.units import PERIODS
from knowledge.validation.words import normalise

_EVENTS: tuple[tuple[str, str], ...] = (
    (
        "receive",
        r"收到|到达|接到|接获|\b(?:reach(?:es|ed)?|gets?\sto)\s(?:you|us|them|him|her|it|your|our|their|the|my)\b|\bland(?:s|ed)?\s(?:in|on|with)\b|交付|交货|收货|签收|到货|送达|\breceiv\w*|\bgot\b|\barriv\w*|\breceipt\b|\bdeliver\w*",
    ),
    ("send", r"寄出|发出|发货|交寄|寄件|寄送|\bsen[dt]\w*|\bship(?:s|ped|ping|ment)?\b|\bdispatch\w*"),
    (
        "buy",
        r"购买|下单|订购|订票|售出|卖出|成交|\bsales?\b|\bsold\b|(?<!购)买(?!家|方|卖|受)|\bpurchas\w*|\bbuy(?:ing|s)?\b|\bbought\b|(?<!pre-)(?:plac(?:e|ed|ing)\s(?:\w+\s)?)?order(?:s|ed|ing)?\b|\bbook(?:ed|ing)\b",
    ),
    ("pay", r"付款|(?<!预)支付(?!方式|通道)|缴费|汇款|转账|到账|补足|补齐|\bremit\w*|\bpay(?:s|ing|ment)?\b|\bpaid\b"),
    ("renew", r"续订|续费|\brenew\w*"),
    ("hand over", r"交还|归还|交回|\bhand(?:s|ed|ing)?\s(?:\w+\s){0,2}?(?:back|over)\b"),
    (
        "notify",
        r"\b(?:giv(?:e|es|ing|en)|gave)\s(?:\w+\s)?notice\b|\bnotif(?:y|ies|ied|ying)\b|\bwarn(?:s|ed|ing)?\b|\b(?:let|lets|letting)\s(?:\w+\s){1,3}know\b|\b(?:tell(?:s|ing)?|told)\s(?:you|us|them|him|her|the|your|our)\b|通知|告知",
    ),
    ("fix", r"修复|修好|\bfix(?:es|ed|ing)?\b|\bresolv\w*|\brepair(?:ed|s)?\b"),
    ("inspect", r"验收|检验|检查|\binspect\w*"),
    ("cancel", r"取消|注销|终止|解除|\bcancel\w*|\bterminat\w*"),
    (
        "expire",
        r"到期|过期|届满|期满|最后一[天日]|\blast\sday\b|\bexpir\w*|\brun(?:s|ning)?\sout\b|\bends?\b|\bended\b",
    ),
    ("decide", r"[作做]出(?:判决|裁定|决定)?|(?:判决|裁定|决定)(?:[作做]出|之日)|\bruling\b|\bdecision\b|\bdecid\w*"),
    ("begin", r"\b(?:starts|started|begins|began)\b"),
    ("log in", r"登录|登陆|\blog(?:s|ged|ging)?[\s-]?(?:in|on)s?\b|\bsign(?:s|ed|ing)?[\s-]in\b"),
    ("verify", r"核[实验对查]|验证|查实|确认|\bverif\w*|\bconfirm\w*|\bcheck(?:s|ed|ing)?\b(?![\s-]?(?:in|out)\b)"),
    ("disclose", r"披露|泄露|\bdisclos\w*"),
    ("mail", r"发邮件|\be-?mail(?:s|ed|ing)?\b(?!\s?address)"),
    ("ask", r"查询|询问|\b(?:in|en)quir\w*"),
    ("stop", r"停机|停用|停水|停电|\bsuspend\w*|\bsuspension\b"),
    ("elect", r"选举|选出|换届|(?<!合同)成立|\belect(?:ed|ion)\b"),
    ("check in", r"入住|\bcheck(?:s|ed|ing)?[\s-]?in\b|\bmov(?:e|es|ed|ing)\sin\b"),
    ("freeze", r"冻结|\b(?:freez(?:e|es|ing)|froze|frozen)\b"),
    ("downgrade", r"降级|\bdowngrad\w*"),
    ("upgrade", r"升级|\bupgrad\w*"),
    ("refund", r"退款(?:到|成功)|\brefund(?:s|ed)?\b"),
    ("top up", r"充值|\btop(?:s|ped|ping)?[\s-]up\b|\bload(?:ed|ing)?\b"),
    ("accept", r"受理|立案|\baccept(?:ed|s|ing|ance)?\b"),
    ("appeal", r"申诉|上诉|\bappeal\w*"),
    ("open", r"开业|开张|\bopening\b"),
    ("birth", r"出生|\bb(?:irth|orn)\b"),
    ("death", r"死亡|去世|\b(?:death|died|dies)\b"),
    ("win", r"中奖|\bw(?:in|ins|on|inning)\b"),
    ("inactive", r"\binactiv\w*|未登录|不活跃"),
    ("fault", r"报修|报障|送修|送检|\breport(?:s|ed|ing)?\b"),
    ("install", r"安装|装好|装机|\binstall\w*"),
    ("post", r"\bpost(?:s|ed)\b|发帖"),
    ("violate", r"违反|违规|违约|\bviolat\w*|\bbreach\w*|\bbr(?:oke|eak(?:s|ing)?)\s(?:the|our|a)\srules?\b"),
    ("enter", r"驶入|进入|进场|入场|进站|\benter(?:s|ed|ing)?\b|\bentry\b"),
    ("leave", r"退租|搬离|搬走|搬出|退房|离店|\bmov(?:e|es|ed|ing)\s(?:out|away)\b|\bcheck(?:s|ed|ing)?[\s-]?out\b"),
    ("unpack", r"拆封|开封|打开|\bopen(?:s|ed|ing)?\s(?:the|it|your|a)\b|\bunpack\w*|\bunseal\w*"),
    ("change", r"修改|变更|更改|切换|\bswitch\w*|\bchang\w*|\bmodif\w*"),
    ("take effect", r"生效|发生法律效力|起施行|\btakes?\seffect\b|\beffective\b"),
    ("complete", r"完成|完结|\bcomplet\w*|\bfinish\w*"),
    ("list", r"上架|发布|\blist(?:s|ed|ing)\b|\bpublish\w*"),
    ("complain", r"投诉|举报|\bcomplain\w*|\bdispute\w*"),
    (
        "depart",
        r"起飞|出发|启程|离港|驶离|驶出|离开|离场|出场|出站|\bleav(?:e|es|ing)\b(?!\sof)|\bexit(?:s|ed|ing)?\b|\bdepart\w*|\btake-?off\b",
    ),
    (
        "sign",
        r"签字|签订|签署|签约|订立|合同成立|签(?=[^,，。;；]{0,4}(?:协议|合同))|\bsign(?:ed|ing|ature)\b(?!\s(?:up|in)\b)",
    ),
    ("announce", r"公布|公告|\bannounc\w*"),
    ("approve", r"批准|审核通过|审批|\bapprov\w*"),
    ("apply", r"申请|提出|要求|请求|\bappl(?:y|ied|ication)\b|\brequest\w*"),
    ("register", r"注册|登记|上牌|\bregist\w*|\bsign(?:ed|ing)?\sup\b"),
    ("obtain", r"获得|取得|领取|领到|\bearn\w*|\bobtain\w*"),
    ("invoice", r"发票|开票|\binvoic\w*"),
    ("happen", r"发生|事故|\baccident\b|\boccur\w*|\bhappen\w*"),
    (
        "learn",
        r"得知|知悉|获知|发现|\b(?:becom(?:e|es|ing)|became)\saware\b|\blearn(?:s|ed|ing)?\b|\bnoti(?:ces|cing|ced)\b|\bfinding\sout\b|\bfinds?\sout\b|\bdiscover\w*|\bspot(?:s|ted|ting)?\b",
    ),
    ("use", r"启用|开通|激活|\bactivat\w*"),
)
_LEXICON = make_lexicon(_EVENTS)
_EVENT = re.compile(_LEXICON.source)

# What is received, sent or given: the goods, the request for them or the answer to it.
_OBJECTS: tuple[tuple[str, str], ...] = (
    ("request", r"要求|申请|请求|诉求|\b(?:requests?|applications?|claims?)\b"),
    ("complaint", r"投诉|举报|申诉|\b(?:complaints?|reports?)\b"),
    ("notice", r"通知|决定书|\b(?:notices?|notifications?|letters?)\b"),
    (
        "goods",
        r"货物?|商品|东西|产品|包裹|快件|快递(?!公司|企业)|邮件|\b(?:goods|items?|products?|parcels?|packages?|orders?|shipments?|deliver\w*)\b",
    ),
    ("money", r"款|付费|缴费|\b(?:payments?|money|funds|refunds?)\b"),
    ("papers", r"材料|资料|文件|发票|\b(?:documents?|papers|invoices?|forms?)\b"),
)
_OBJECT = re.compile("|".join(f"(?P<o{number}>{pattern})" for number, (_, pattern) in enumerate(_OBJECTS)))
# Anything may begin, but to begin is not to end.
_ENDS = frozenset({"expire", "cancel", "complete"})
# On which side of an event a period lies.
_NEAR = 12
_SIDE_HAN = re.compile(r"(?:(?P<before>(?:之|以)?前)|(?P<after>(?:之|以)?后))的?\s?$")
_SIDE = re.compile(
    r"\s(?:[a-z]+\s)?(?:(?P<before>before|prior\sto|ahead\sof)|(?P<after>after|following))\s(?!that\b|this\b|which\b)"
)
_PASSED_ON = frozenset({"receive", "send", "hand over"})

_START_HAN = re.compile(r"[^,，;；。、:：]{0,24}?(?:之日|之时|之后|以后|后|时)?(?:起|后|之日起|内)?$")
# What stands before it only leads up to the event.
_SINCE = re.compile(r"^.*(?<!来)[自从在于](?!己|动|然)")
_IS_START = re.compile(r"(?:之日|之时|起|后|时)[^,，;；。]{0,6}$")
_FROM_THE_DAY = make_bilingual(
    r"[^,，;；。、:：]{1,16}(?:之日|之时|那[天日刻]|那一刻|当[天日])起|自[^,，;；。、:：]{2,24}?时(?![间候效限])|\b(?:from|on|after|since)\sthe\s(?:date|day|moment)\s(?:(?:of|when|that)\s|(?=you|we|the|your))(?:(?!\s(?:to|and|or)\s)[^,.;]){1,30}"
    r"|\b(?:of|from|after)\s(?:the\s|your\s)?(?:\w+\s){1,2}date\b"
)
# "The ten days start on the day you ordered": what is said of the start alone.
_STARTS = re.compile(
    r"\b(?:start|begin|run|count(?!s?\son\b)|calculat)\w*\s(?:to\srun\s)?(?:only\s)?(?:from|on|once|when|after|with)\s(?P<what>[^,.;]{1,48})"
    r"|[自从按以](?P<what_han>[^,，。;]{1,16}?)(?:的?那[天日]|当[天日]|之日|之时)?(?:开始|起|来)?(?:算|计|(?<=[起始来])数)"
)
_MAY_START = compile_by_start(r"\b(?:start|begin|run|count|calculat)|[算计]|[起始来]数")
# What every wording of such a day holds: most texts are done with at this look.
_DAYS = ("自", "日起", "时起", "天起", "刻起", "day", "date", "moment")
_START_ENGLISH = re.compile(
    r"\s?(?:\w+\s){0,2}?(?:after|of|from|following|since|once|before)\s(?P<what>[^,.;]{1,60}?)(?=\s(?:and|or|to)\b|[,.;]|$)"
)


# "Of cancellation, termination or downgrade".
_OTHERS = re.compile(r"(?:,\s\w+){0,3},?\sor\s\w+")


class _Start(NamedTuple):
    """What a period counts from: the events, and what is received or sent in them."""

    events: frozenset[str]
    passed_on: str | None


def find_other_starts(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the periods of a claim whose starting event differs from that of every quote with the same period."""
    said = normalise(claim)
    texts = tuple(normalise(quote) for quote in quotes)
    days = frozenset[str]().union(*map(_days_named, texts))
    if days and (strange := _days_named(said) - days):
        yield ", ".join(sorted(strange))
    yield from _started_otherwise(said, texts)
    for period in find_figures(said).quantities:
        mine = _starts(said, period)
        theirs = tuple(
            starts
            for text in texts
            for other in find_figures(text).quantities
            if (other.base, other.value) == (period.base, period.value) and (starts := _starts(text, other))
        )
        starts_elsewhere = mine is not None and theirs and not any(_is_same(mine, starts) for starts in theirs)
        if starts_elsewhere or _looks_back(said, period, texts):
            yield period.said


def _started_otherwise(said: str, texts: tuple[str, ...]) -> Iterator[str]:
    """Yield from when on a claim counts, where its quotes count from other events alone."""
    if not _MAY_START.search(said):
        return
    for found in _STARTS.finditer(said):
        mine = events_in(found.group("what") or found.group("what_han"))
        theirs = frozenset[str]().union(*map(_all_starts, texts)) if mine else mine
        if theirs and not mine & theirs:
            yield found.group()


def _all_starts(text: str) -> frozenset[str]:
    """List every event that a text counts from."""
    told = (found.group("what") or found.group("what_han") for found in _STARTS.finditer(text))
    starts = (found.events for period in find_figures(text).quantities if (found := _starts(text, period)))
    return _days_named(text).union(*starts, *map(events_in, told))


def events_in(text: str) -> frozenset[str]:
    """List the events that a text in normal form names."""
    return frozenset([name for name, _ in name_wordings(_LEXICON, _EVENT, text)])


def _days_named(text: str) -> frozenset[str]:
    """List the events from whose day on a text counts: 自签字之日起, "from the date of delivery"."""
    if not any(day in text for day in _DAYS):
        return frozenset()
    return frozenset[str]().union(*map(events_in, _FROM_THE_DAY.findall(text)))


def _looks_back(said: str, period: Quantity, texts: tuple[str, ...]) -> bool:
    """Tell whether a claim counts a period after an event, and its quotes the same period only before one, or turned."""
    mine = _direction(said, period)
    if mine is None:
        return False
    theirs = {
        _direction(text, other)
        for text in texts
        for other in find_figures(text).quantities
        if (other.base, other.value) == (period.base, period.value)
    }
    return bool(theirs) and theirs == {not mine}


def _direction(text: str, period: Quantity) -> bool | None:
    """Tell whether a period lies behind an event (true) or before it; None if the text beside it does not say."""
    if period.base not in PERIODS:
        return None
    before = text[max(0, period.start - _NEAR) : period.start]
    if (found := _SIDE_HAN.search(before) or _SIDE.match(text, period.end)) is None:
        return None
    return found.lastgroup == "after"


def _is_same(mine: _Start, theirs: _Start) -> bool:
    """Tell whether two periods start alike; to receive the goods is not to receive the request."""
    if "begin" in mine.events | theirs.events and not (mine.events | theirs.events) & _ENDS:
        return True
    shared = mine.events & theirs.events
    if mine.passed_on and theirs.passed_on and mine.passed_on != theirs.passed_on:
        shared -= _PASSED_ON
    return bool(shared)


def _starts(text: str, period: Quantity) -> _Start | None:
    """Give what a period counts from, as far as the text beside it names any event."""
    if period.base not in PERIODS:
        return None
    after = _START_ENGLISH.match(text, period.end)
    others = _OTHERS.match(text, after.end()) if after else None
    where = (after.group("what") if after else "") + (others.group() if others else "")
    near = text[max(0, period.start - 40) : period.start]
    # What comes before the period names its start in Chinese alone.
    before = None if near.isascii() else _START_HAN.search(near)
    if before is not None and _IS_START.search(before.group()):
        where += _SINCE.sub("", before.group())
    events = events_in(where)
    return _Start(events, _object_in(where)) if events else None


def _object_in(text: str) -> str | None:
    """Give what is passed on in an event: the head stands last in Chinese, first in English."""
    found = tuple(found.lastgroup for found in _OBJECT.finditer(text))
    return (found[0] if text.isascii() else found[-1]) if found else None
