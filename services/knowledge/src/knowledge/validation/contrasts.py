"""Check that a claim takes no other side than its quotes: dispatch for delivery, cash for credit, e-mail for telephone.

An axis lists things of which a rule means one. A claim may name a side when a quote names it, or when no quote names
any side of that axis.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from knowledge.validation.lexicon import compile_by_start, make_lexicon, name_wordings
from knowledge.validation.readings import read_once
from knowledge.validation.words import normalise

_AXES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "start or end",
        (
            r"月初|年初|期初|周初|起始|\b(?:beginning|start)\sof\b|\bfirst\sday\b|第一天|首日|首月|\bopening\sday\b",
            r"月底|月末|年底|年末|期末|期满|届满|最后一?[天日]|末日|周末前|\bend\sof\b|\b(?:last|final)\sday\b|\bruns?\sout\b|\bis\sover\b",
        ),
    ),
    (
        "this or next",
        (
            r"(?:当前|目前|[本这]一?个?)(?:这个)?(?:计费|账单|帐单|结算|付款|缴费|订阅|服务|合同|会计)?(?:周期|账期|学期)|当月|本月|这个月|当周|本周|这周|当年|本年度?|当期|本期|当季|本季度?|\b(?:same|current|this)\s(?:calendar\s)?(?:week|month|year|quarter|billing|cycle|period|term)\b",
            r"下一?个?(?:计费|账单|帐单|结算|付款|缴费|订阅|服务|合同|会计)?(?:周期|账期|学期)|次月|下个?月|次周|下个?(?:周|星期)|次年|下一?年度?|明年|下一?期|下季度?|\b(?:next|following|subsequent|coming)\s(?:calendar\s)?(?:week|month|year|quarter|billing|cycle|period|term)\b",
            r"(?<![碰遇赶逢])上个?(?:月|周|星期)|去年|上一?年度?|上一?期|上季度?|\b(?:last|previous|past)\s(?:calendar\s)?(?:week|month|year|quarter)\b",
        ),
    ),
    (
        "which day",
        (
            r"后天|第三[天日]|\bday\safter\s(?:tomorrow|next)\b",
            r"昨[天日]|前一[天日]|\byesterday\b|\b(?:previous|preceding)\s(?:business\s|working\s)?day\b",
            r"次日|翌日|第二[天日]|明[天日]|隔[天日]|下一?个?(?:工作|营业)日|\btomorrow\b|\b(?:next|following)\s(?:business\s|working\s|calendar\s)?day\b",
            r"当[天日]|今[天日]|\btoday\b|\bsame[\s-](?:business[\s-])?day\b",
        ),
    ),
    (
        "by what",
        (
            r"每人|每位|人均|\b(?:per|for\seach|for\severy)\s(?:person|passenger|travell?er|guest|head|adult)\b",
            r"每[笔单]|每个订单|\b(?:per|for\seach|for\severy)\s(?:order|booking|reservation|purchase|transaction)\b",
            r"每[件个](?!月|星期|季|小时|工作|自然|人)|\b(?:per|for\seach|for\severy)\s(?:item|piece|product|unit)\b",
        ),
    ),
    (
        "dispatch or arrival",
        (
            r"发货|寄出|发出|出库|\bdispatch\w*|\bshipped\b|\bsent\sout\b|\bgoes\sout\b|\bshipping\sdate\b",
            r"签收|收货|收到|送达|到货|\bdelivered\b|\bdelivery\b|\breceiv\w*|\breceipt\b|\barriv\w*|\breach(?:es|ed)?\b|\bgot\b|\bis\sback\b",
        ),
    ),
    ("rise or fall", (r"提高|上调|上浮|涨价|调高|\bincreas\w*|\brais\w*|\bupgrad\w*|升级|\bmore\sexpensive\b", r"降低|下调|下浮|降价|调低|\bdecreas\w*|\breduc\w*|\blower(?:s|ed|ing)?\s(?:your|the|our|a)\b|\bdowngrad\w*|降级|\bcheaper\b")),
    ("higher or lower", (r"较高|更高|高者|\b(?:higher|greater|larger)\sof\b", r"较低|更低|低者|\b(?:lower|lesser|smaller)\sof\b")),
    ("counted in or out", (r"包括|包含|含有|(?<!不)含(?=税|运|邮)|\bincluded?\b|\bincludes\b|\bincluding\b|\bcontain\w*|\bcomes\swith\b|已?计入|\balready\sin\b", r"不(?:包括|包含|含)|另(?:行)?(?:计|付|收)|\bexclu(?:d\w+|sive)\b|\b(?:(?:do|does)(?:n't|\snot)|not)\sinclud\w*|\bnot\spart\sof\b")),
    (
        "sooner or later of two",
        (
            r"以(?:较早|先到|在先)|先到者|较早者|\bwhichever\s(?:comes|is|happens|occurs)\s(?:the\s)?(?:first|earlier|earliest|sooner)\b",
            r"以(?:较晚|后到|较迟)|后到者|较晚者|\bwhichever\s(?:comes|is|happens|occurs)\s(?:the\s)?(?:last|later|latest)\b",
        ),
    ),
    ("longer or shorter", (r"延长|\bextend\w*|\bprolong\w*|\blengthen\w*", r"缩短|\bshorten\w*")),
    ("alike or not", (r"同等|相同|一样|同样|\bsame\sas\b|\bidentical\b|\bequal(?:ly)?\b|\bequivalent\b", r"低于|高于|不同|有别|\bdiffer\w*|\bunequal\w*|\bless\sthan\b|\blower\sthan\b|\bworse\b|\bbetter\b")),
    (
        "paper or electronic",
        (r"纸质|\bpaper\b|\bhard\scop(?:y|ies)\b|\bprinted\b", r"电子(?!商务|邮|支付|产品|烟)|\belectronic(?!\smail)\w*|\bdigital\w*"),
    ),
    ("state of an order", (r"待处理|未处理|\bpending\b", r"已处理|\bprocessed\b", r"已送达|\bdelivered\b|已签收", r"已发货|\bshipped\b|运输中")),
    ("beforehand or afterwards", (r"事先|事前|预先|\bbeforehand\b|\bprior\s(?:written\s)?(?:notice|consent|approval)\b", r"事后|\bafterwards?\b")),
    ("duty or choice", (r"\bmandatory\b|\bcompulsory\b|\brequired\b|强制|必填", r"\boptional\w*|\bvoluntar\w*|自愿|选填|可选")),
    ("free or charged", (r"免费|免(?=运费|邮|收|退票费|手续费|票|押)|包邮|\bfree\b(?!\sto\b)|\b(?:at\s)?no\s(?:additional\s|extra\s|further\s)?(?:costs?|charges?|fees?)\b|\bcosts\snothing\b|\bpays?\snothing\b|\bwithout\s(?:an?\s|any\s)?(?:fee|charge|cost)\b|不收(?=费|取|任何)|无需(?:支付|付费)", r"(?<![不免])收取|收费|也要收|另收|需要?(?:支付|付费|缴)|\bcosts?\sextra\b|[$€£¥]\s?\d|\d\s?(?:元|块|yuan|dollars?|euros?|cents)")),
    ("goes on or stops", (r"继续|照常|\bcontinu(?:e|es|ing)\b|\bgo(?:es)?\son\b|\bkeeps?\srunning\b", r"停止|终止|中止|\bstops?\b|\bends?\b(?!\sof)|\bceases?\b|\bdiscontinu\w*|\bterminat(?:e|es|ed)\b")),
    ("spoken or written", (r"口头|\boral\w*|\bverbal\w*", r"书面|\bwrit(?:ten|ing)\b")),
    ("home or abroad", (r"国内(?!地)|境内|\bdomestic\w*", r"国外|境外|出境|出国|海外|国际|\binternational\w*|\boverseas\b|\babroad\b|\bforeign\b")),
    ("by hand or by itself", (r"手动|人工|\bmanual\w*|\bby\shand\b", r"自动|\bautomatic\w*|\bautomated\b")),
    ("adult or minor", (r"(?<!未)成年人|\badults?\b|\bgrown-?ups?\b", r"未成年|儿童|孩子|小孩|\bchild(?:ren)?\b|\bminors?\b|\bkids?\b")),
    ("weekday or weekend", (r"工作日|\bweekdays?\b|\b(?:business|working)\s(?:days?|hours)\b", r"周末|节假日|双休日|\bweekends?\b|\bholidays?\b|周[六日]|\bsaturdays?\b|\bsundays?\b")),
    ("for a while or for good", (r"暂时|临时|\btemporar\w*|\bfor\snow\b", r"永久|终身|\bpermanent\w*|\bfor\sgood\b(?!\s(?:cause|reason))")),
    ("open or secret", (r"公开|公示|公布|公告|\bpublic\w*|\bpublish\w*", r"保密|不公开|匿名|\bconfidential\w*|\bsecret\w*|\banonymous\w*")),
    ("whole or part", (r"全额|全款|完全退款|\ball\s(?:of\s)?your\smoney\b|\bfull(?:y)?\s(?:refund\w*|credit|amount|price)\b|\bin\sfull\b", r"部分退|部分(?:金额|款)|一部分|\bpartial\w*|\bpart\sof\b|\bportion\b|\bprorat\w*|\bpro\srata\b")),
    ("by the month or the year", (r"按月|每月|月度|包月|\bmonthly\b", r"按年|每年|年度|包年|\bannual\w*|\byearly\b", r"按季|每季|季度|\bquarterly\b", r"按周|每周|\bweekly\b", r"按日|按天|每[日天]|\bdaily\b")),
    (
        "channel",
        (
            r"电子邮件|邮箱|电邮|\be-?mail\w*",
            r"电话(?!购)|致电|拨打|\b(?:phone|telephone|call(?:ing)?\sus|hotline)\b",
            r"短信|\b(?:sms|text\smessages?|texting)\b",
            r"挂号信|信函|平信|\b(?:registered\s(?:letter|mail)|by\s(?:post|mail|letter)|postal\smail)\b",
            r"传真|\bfax\w*",
            r"在线客服|聊天|\b(?:live\schat|chat)\b",
            r"柜台|到店|(?:在|到|去|往|来|至|各|任一)[^,，。;]{0,3}门店|门店(?=办|领|自|退|申|取)|\b(?:in[\s-]store|counter|branch(?:es)?|in\sperson)\b",
        ),
    ),
    (
        "means of payment",
        (
            r"信用卡|\bcredit\scards?\b", r"借记卡|储蓄卡|\bdebit\s(?:cards?)?\b", r"现金|\bcash\b", r"支票|\bcheques?\b|\b(?:by|an?|per|bank|cashier\S{0,2}|personal)\schecks?\b(?![\s-](?:is|in|out|of|whether|that)\b)",
            r"银行转账|电汇|转账|\b(?:bank|wire)\stransfers?\b", r"礼品卡|购物卡|\bgift\scards?\b", r"代金券|优惠券|抵用券|\b(?:vouchers?|coupons?|certificates?|store\scredit)\b|购物金|红包",
            r"支付宝|\balipay\b", r"微信|\bwechat\b", r"\bpaypal\b", r"\bstripe\b", r"积分|\bpoints?\b", r"余额|\bbalance\b",
        ),
    ),
    ("class of travel", (r"经济舱|\beconomy\b", r"商务舱|公务舱|\bbusiness\s(?:class|cabin)\b|\bflies\sbusiness\b", r"头等舱|\bfirst[\s-]class\b")),
    ("rank", (r"普通会员|\b(?:regular|standard|basic)\s(?:members?|users?|customers?|plan)\b", r"银卡|白银|\bsilver\b", r"金卡|黄金会员|\bgold\b", r"白金|铂金|\bplatinum\b", r"钻石|\bdiamond\b")),
    ("means of travel", (r"航班|机票|飞机|\bflights?\b|\bplanes?\b|\bflies\b", r"火车|列车|高铁|\btrains?\b", r"汽车票|大巴|\bbus(?:es)?\b", r"轮船|船票|\b(?:ferry|cruise)\b", r"酒店|宾馆|\bhotels?\b")),
    ("proof", (r"身份证|\b(?:identity|id)\scards?\b", r"护照|\bpassports?\b", r"驾驶证|驾照|\bdriv\w+\slicen[cs]es?\b", r"户口本", r"营业执照|\bbusiness\slicen[cs]e\b", r"学生证|\bstudent\s(?:id|card)s?\b", r"收据|小票|\breceipts?\b(?!\sof)", r"发票|\binvoices?\b")),
    ("holiday", (r"春节|过年|农历新年", r"国庆", r"元旦|\bnew\syear\b(?!'s\seve|\sof)", r"清明", r"劳动节|五一", r"端午", r"中秋", r"妇女节", r"青年节", r"儿童节", r"\bchristmas\b|圣诞", r"\bthanksgiving\b", r"\beaster\b")),
    ("cause", (r"自身原因|自己的?原因|本人原因|个人原因|\bown\s(?:fault|reasons?)\b", r"质量(?:问题|瑕疵)|瑕疵|缺陷|\bdefect\w*|\bfaulty\b", r"不可抗力|\bforce\smajeure\b", r"因病|生病|疾病|\bill(?:ness)?\b|\bsick\w*|\bhealth\b|健康", r"天气|\bweather\b")),
    (
        "whose doing",
        (
            r"(?:经营者|商家|商户|店家|卖家|卖方|平台|旅行社|承运人|航空公司|航司|快递公司|企业|公司|出租人|房东|学校|机构|酒店|我们|我方)(?=的?(?:原因|过错|过失|失误))|\bour\s(?:own\s)?(?:fault|mistake|error)s?\b|\b(?:seller|merchant|carrier|airline|operator|company|business|landlord|hotel|courier)'s\s(?:own\s)?(?:fault|mistake|error)s?\b",
            r"(?:消费者|旅游者|游客|旅客|乘客|用户|客户|顾客|买家|买方|会员|承租人|租客|学员|收件人|寄件人|[您你])(?=(?:自己的?|自身的?|本身的?|单方的?|的)?(?:原因|过错|过失|失误))|\byour\s(?:own\s)?(?:fault|mistake|error)s?\b|\b(?:customer|buyer|passenger|guest|tenant|user|consumer|traveller|traveler|member)'s\s(?:own\s)?(?:fault|mistake|error)s?\b",
        ),
    ),
    ("term of years", (r"一年期|\bone[\s-]year\s(?:rate|term)", r"五年期", r"三年期")),
    ("make good", (r"修理|维修|\brepair\w*", r"更换|换货|换新|调换|\breplac\w*|\bexchang\w*|\bswap\w*", r"退货|退款|退钱|\brefund\w*|\bmoney\sback\b|\breturn\w*|\breimburs\w*|\bsen[dt]\sback\b|\bpaid\sback\b")),
    ("place", (r"中国大陆|内地", r"香港|\bhong\skong\b", r"澳门|\bmaca[ou]\b", r"台湾|\btaiwan\b", r"美国|\busa\b|\bu\.s\.(?:a\b)?|\bthe\sus\b|\bunited\sstates\b|\bamerican\b", r"加拿大|\bcanada\b", r"英国|\bu\.?k\.?\b|\bunited\skingdom\b", r"欧盟|\be\.?u\.?\b|\beuropean?\b", r"日本|\bjapan\w*", r"德国|\bgerman\w*")),
)  # fmt: skip

_SIDES = {f"{axis} {number}": (axis, number) for axis, sides in _AXES for number in range(len(sides))}
_LEXICON = make_lexicon(tuple((f"{axis} {number}", side) for axis, sides in _AXES for number, side in enumerate(sides)))
_PATTERN = re.compile(_LEXICON.source)

# What is excluded leaves the other sides.
_EXCLUDED = re.compile(
    r"\b(?:exclud\w+|except(?:\sfor)?|not|other\sthan|rather\sthan|instead\sof|neither)\b[^,;]{0,40}|除[^,，;；。]{0,20}外|(?<![时要])[不非][^,，;；。]{0,6}"
)
_CLAUSE = re.compile(r"[,，;；:：。!！?？]|\.(?!\d)")
_DENIES = compile_by_start(
    r"n't|\b(?:not|never|no|nothing|nobody|none|cannot|neither|nor)\b|不(?:能|会|得|可以|必|用|需|要|予|作)|没法|无(?:法|需|须)|得不到|(?:没有?|未)(?![^,，。;]*的)"
)


class Side(NamedTuple):
    """The side of an axis that a text names, and how it puts it."""

    axis: str
    side: int
    said: str


def find_other_sides(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield what a claim names where its quotes name only other sides of the same axis."""
    texts = tuple(normalise(quote) for quote in quotes)
    quoted = {(side.axis, side.side) for text in texts for side in read_sides(text)}
    own = [side for side in _taken(normalise(claim)) if (side.axis, side.side) not in quoted]
    if not own:
        return
    axes = {side.axis for text in texts for side in read_sides(_EXCLUDED.sub(" ", text))}
    yield from (side.said for side in own if side.axis in axes)


def _taken(said: str) -> Iterator[Side]:
    """Yield the sides that a claim takes; what it denies leaves the other sides: an oral promise changes nothing."""
    for clause in _CLAUSE.split(said):
        for side in read_sides(clause):
            if not _DENIES.search(clause.replace(side.said, " ")):
                yield side


@read_once
def read_sides(text: str) -> tuple[Side, ...]:
    """List the sides that a text in normal form names, each once."""
    found = {_SIDES[name]: wording for name, wording in name_wordings(_LEXICON, _PATTERN, text)}
    return tuple(Side(axis, side, said) for (axis, side), said in found.items())
