"""Know the acts policies speak of, in both languages, and which wordings of an act are opposites."""

import re

from knowledge.validation.lexicon import make_lexicon, name_wordings
from knowledge.validation.readings import read_once

# A participle is an act behind a form of "be"; before a noun ("deleted items") it only names a thing.
_DONE = r"(?:(?<=\bis\s)|(?<=\bare\s)|(?<=\bbe\s)|(?<=\bbeen\s)|(?<=\bwas\s)|(?<=\bwere\s)|(?<=\bbeing\s)|(?<=\bget\s)|(?<=\bgets\s)|(?<=ly\s))"

# (act, wordings of doing it, wordings of its opposite). Patterns run over the normal form of `words.normalise`.
_ACTS: tuple[tuple[str, str, str | None], ...] = (
    ("return", r"\breturn(?:s|ed|ing|able)?\b|\bsen[dt]\sback\b|退货|寄回", None),
    (
        "refund",
        r"\brefund\w*|\bmoney\sback\b|\bpa(?:y|id|ys|ying)\s(?:\w+\s)?back\b|\bgiv(?:e|en|es|ing)\sback\b|\breimburs\w*|退款|退钱|退还|返还|退回",
        None,
    ),
    ("cancel", r"\bcancel\w*|\bterminat\w*|\bclos(?:e|es|ed|ing|ure)\b|取消|终止|关闭|注销|解除", None),
    (
        "keep",
        r"\bkeep\w*|\bkept\b|\bstay\w*|\bremain(?:s|ed)?\b|\bretain\w*|\bpreserv\w*|保留|保存|留存|保管",
        rf"\bdelet(?:e|es|ing|ion)\b|\beras(?:e|es|ing|ure)\b|\bremov(?:e|es|ing|al)\b|{_DONE}(?:deleted|erased|removed)\b|\btak(?:en?|es|ing)\s(?:\w+\s)?off\b|\bwip\w+|\bpurg\w*|\bdestroy\w*|删除|移除|清除|销毁|损毁|毁掉",
    ),
    (
        "tell",
        r"\bdisclos\w*|\breveal\w*|\btell\w*|\btold\b|\binform(?:s|ed|ing)?\b|\bnotif\w*|告知|告诉|通知|披露|透露|泄露",
        None,
    ),
    ("pay", r"\bpay(?:s|ing|able)?\b|\bpaid\b|支付|付款|缴纳|交纳|承担", None),
    (
        "charge",
        r"\bcharg\w*|\bbill(?:s|ed|ing)\b|\bbill\s(?=(?:you|them|him|her|us|me|the\s(?:tenant|customer|guest|user|buyer|owner))\b)|收取|收费|扣款|计费",
        None,
    ),
    ("add", r"\badd(?:s|ed|ing)?\b|\bbuy\w*|\bpurchas\w*|添加|增加|补买|加购", None),
    (
        "accept",
        r"\baccept\w*|\bapprov\w*|\bgrant\w*|\brecogni[sz]\w*|受理|接受|支持|批准|认可",
        r"\brefus\w*|\breject\w*|\bden(?:y|ied|ies)\b|\bdeclin\w*|拒绝|驳回",
    ),
    ("apply", r"\bappl(?:y|ies|ied)\b|适用", None),
    ("include", r"\binclud\w*|\bcontain\w*|包括|包含|含有|含(?=税|运)", r"\bexclud\w*|\bexclusive\sof\b"),
    ("provide", r"\bprovid\w*|\bissu(?:e|es|ed|ing)\b|\bsuppl(?:y|ies|ied)\b|提供|出具|开具", None),
    (
        "change",
        r"\bchang\w*|\bmodif\w*|\balter\w*|\bedit\w*|修改|更改|变更",
        r"\bunchanged\b|\bstays?\sthe\ssame\b|保持不变|(?<!保持)不变(?!更)",
    ),
    ("sell", r"\bsell(?:s|ing)?\b|\bsold\b|出售|转卖", None),
    ("compensate", r"\bcompensat\w*|\bindemnif\w*|赔偿|赔付|赔", None),
    ("extend", r"\bextend\w*|\bextension\b|延长|延期", None),
    ("exchange", r"\bexchang\w*|\breplac\w*|换货|更换|换新", None),
    (
        "deliver",
        r"\bdeliver\w*(?!\s(?:address|date|note|time|fee|cost|charge|option|method)e?s?\b)|\bship(?:s|ped|ping)?\b(?!\s(?:cost|fee|charge|address))|发货|交付|配送(?!费)|送达",
        None,
    ),
    ("valid", r"\bvalid\b|(?<!无)有效", r"\binvalid\b|\bvoid\b|无效"),
    (
        "go on",
        r"\bcontinu\w*|\bstart\w*|\bbegin\w*|\bresum\w*|继续|开始|恢复",
        r"\bstop\w*|\bdiscontinu\w*|\bsuspend\w*|\bpaus\w*|\binterrupt\w*|停止|暂停|中止|中断|间断",
    ),
    ("transfer", r"\btransfer\w*|转让|转移|过户", None),
    ("register", r"\bregist\w*|\bsign\sup\b|登记|注册|备案", None),
    ("register", r"办理?(?=执照|登记|手续)", None),
    ("lift", r"\blift(?:s|ed|ing)?\b|\bunfreez\w*|\bunfrozen\b|\bthaw\w*|解冻", None),
    ("answer for", r"负责|承担责任|担责|\bresponsible\b|\bliab(?:le|ility)\b", r"免责|\bnot\sour\sfault\b"),
    (
        "obey",
        r"遵守|符合|\bcompl(?:y|ies|ied|iance)\b|\bobey\w*|\bwithin\sthe\slaw\b",
        r"违反|违背|\bviolat\w*|\bbreach\w*|\binfring\w*",
    ),
    ("find", r"认定|裁定|判定|\bdetermin\w*|\bdecid\w*", None),
    ("collect", r"\bcollect(?:s|ed|ing|ion)?\b|收集|采集", None),
    ("open", r"拆封|\bopened\b", None),
    ("discount", r"折扣价|打折后|\bdiscounted\b", r"原价|打折前|\b(?:full|original)\sprice\b"),
)


ACTS: tuple[tuple[str, str], ...] = tuple(
    (f"{sign}act:{act}", pattern)
    for act, done, undone in _ACTS
    for sign, pattern in (("+", done), ("-", undone))
    if pattern is not None
)
"""Wordings by act; the sign in front of the name says whether a wording does it or its opposite."""


# Things policies speak of in both languages: they tell which sentence of a quote a claim is about.
_THINGS: tuple[tuple[str, str], ...] = (
    ("insurance", r"保险|\binsur\w*"),
    ("baggage", r"行李|\b(?:bags?|baggage|luggage)\b"),
    ("gift card", r"礼品卡|\bgift\scards?\b"),
    ("card", r"卡(?!通)|\bcards?\b"),
    ("voucher", r"代金券|优惠券|\b(?:vouchers?|coupons?|certificates?)\b"),
    ("passenger", r"乘客|旅客|\bpassengers?\b"),
    ("order", r"订单|\borders?\b"),
    ("account", r"账户|帐户|账号|帐号|\baccounts?\b"),
    ("subscription", r"订阅|套餐|包月|包年|\bsubscriptions?\b|\bplans?\b"),
    ("flight", r"航班|机票|\bflights?\b"),
    ("booking", r"预订|订票|\b(?:bookings?|reservations?)\b"),
    ("invoice", r"发票|\binvoices?\b"),
    ("price", r"价格|价款|货款|费用|\b(?:prices?|costs?|fees?)\b"),
    ("postage", r"运费|邮费|资费|\b(?:postage|shipping\s(?:cost|fee)s?|freight)\b"),
    ("goods", r"商品|货物|货品|东西|\b(?:goods|items?|products?|merchandise)\b"),
    ("gift", r"赠品|奖品|\bgifts?\b(?!\scard)"),
    ("contract", r"合同|协议|\b(?:contracts?|agreements?)\b"),
    ("complaint", r"投诉|举报|\bcomplain\w*"),
    ("data", r"数据|资料|信息|\b(?:data|information|records?)\b"),
    ("tax", r"税|\b(?:tax\w*|vat)\b"),
    ("payment method", r"支付方式|原路|\bpayment\smethods?\b"),
    ("month", r"每月|包月|月度|\bmonthly\b"),
    ("year", r"每年|包年|年度|\b(?:annual\w*|yearly)\b"),
    ("mail", r"邮件|快件|包裹|\b(?:mail|parcels?|packages?)\b"),
    ("warranty", r"保修|质保|三包|\bwarrant\w*"),
    ("fraud", r"欺诈|\bfraud\w*"),
    ("reason", r"理由|原因|\breasons?\b"),
    ("balance", r"余额|剩余|用剩|\b(?:balance|remaining|remainder|leftover)\b"),
    ("photo", r"照片|图片|拍照|\b(?:photos?|pictures?|images?)\b"),
    ("repair", r"维修|修理|修好|\b(?:repair\w*|fix(?:es|ed|ing)?)\b"),
    ("call", r"电话|通话|\b(?:calls?|phon\w+|ring(?:s|ing)?|telephon\w+)\b"),
    ("trial", r"试用|\btrials?\b"),
    ("deposit", r"押金|定金|订金|\bdeposits?\b|\bup\sfront\b"),
    ("penalty", r"违约金|罚款|滞纳金|\b(?:penalt\w+|fines?)\b"),
    ("loan", r"贷款|还款|还贷|借款|\b(?:loans?|repay\w*)\b"),
    ("damage", r"损坏|破损|损毁|弄坏|坏了|碎了?|\b(?:damag\w*|broken|breaks?)\b"),
    ("defect", r"质量问题|瑕疵|缺陷|毛病|故障|\b(?:defect\w*|fault(?:y|s)?)\b"),
    ("child", r"儿童|孩子|小孩|未成年|没成年|\b(?:child(?:ren)?|kids?|minors?)\b"),
    ("identity", r"身份证?|证件|\b(?:identification|identity|ids?)\b"),
    ("login", r"登录|登陆|密码|\b(?:log(?:ged|ging)?[\s-]?ins?|password\w*|credentials?)\b"),
    ("upgrade", r"升级|\b(?:upgrad\w*|bigger\splan)\b"),
    ("downgrade", r"降级|\b(?:downgrad\w*|smaller\splan)\b"),
    ("law", r"法律|法定|依法|\b(?:laws?|legal\w*)\b"),
    ("consent", r"同意|许可|授权|征得|征求|\b(?:consent\w*|permission|agreed)\b"),
    ("points", r"积分|\bpoints?\b"),
    ("discount", r"折扣|优惠|打折|活动价|\bdiscount\w*"),
    ("meeting", r"上课|开课|课程|课时|\b(?:class(?:es)?|courses?|lessons?)\b"),
    ("ownership", r"所有权|归[^,;。]{1,6}所有|\b(?:own(?:s|ed|ership)?|property|yours)\b"),
    ("staff", r"员工|职工|\b(?:employees?|staff)\b"),
    ("customs duty", r"关税|\bcustoms\sdut\w+"),
    ("business day", r"工作日|\b(?:business|working)\sdays?\b"),
)
_LEXICON = make_lexicon(_THINGS)
_THING = re.compile(_LEXICON.source)


@read_once
def find_things(text: str) -> frozenset[str]:
    """List the things that a text in normal form speaks of, by names shared by both languages."""
    return frozenset([name for name, _ in name_wordings(_LEXICON, _THING, text)])
