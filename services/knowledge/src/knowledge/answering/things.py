"""Tells which things of a shop or a service a question names that an answer to it must speak of, in both languages.

"Can I extend the warranty?" is not answered by how long a gift card can be extended. Goods are no such thing: a rule for all
of them names none.
"""

from typing import Final

from knowledge.answering.wordings import found_in, worded

# A thing a line: its name, English words, Chinese words.
_THINGS: Final = worded(
    ("warranty", r"warrant(?:y|ies)|guarantee[sd]?\b", r"保修|质保|三包|包修"),
    ("coupon", r"coupons?|vouchers?|promo(?:tion)? codes?|discount codes?|certificates?", r"优惠[券卷码]|代金[券卷]|红包|折扣码"),
    ("gift card", r"gift[- ]?(?:cards?|certificates?|vouchers?)", r"礼[品物]卡|购物卡|预付卡|消费卡"),
    ("points", r"points\b(?! to)|(?:\d+|a|one|reward) points?\b", r"积分"),
    ("member", r"members?(?:hips?)?\b|vips?\b", r"会员"),
    ("invoice", r"invoic\w*|(?<!confirm )receipts?\b|fapiao|bills?\b", r"发票|[账帐]单|开票|收据|抬头|补开|专票|普票"),
    ("paper", r"(?:on|in|as) paper|paper (?:invoice|receipt|copy|form|card)s?|printed|prints?\b|hard cop(?:y|ies)", r"纸质|打印"),
    ("instalment", r"instal?lments?\b|in parts\b(?! of)", r"分期"),
    ("insurance", r"insur\w*", r"保险|投保|保价|承保"),
    ("interest", r"interest\b(?!ed|ing)", r"利息|利率|付息"),
    ("deposit", r"deposits?\b", r"定金|押金|订金|保证金"),
    ("cash", r"(?:in|as|for|with|by) cash|cash (?:on|payment|refund|out)|paid out", r"现金|兑现|提现|货到付款"),
    ("cheque", r"cheques?\b|(?:by|with a) check\b", r"支票"),
    ("bank transfer", r"(?:bank|wire) transfers?", r"银行转账|转账|汇款|电汇"),
    ("tax", r"tax(?:es)?\b(?! (?:numbers?|ids?))|vat\b|duty\b|duties\b", r"税(?!号|务登记)"),
    ("discount", r"discount\w*|(?:price|fee) reductions?\b|reduced (?:price|rate|fee)s?\b|\d+% off|price cuts?|cheaper|rebates?", r"折扣|打折|优惠(?![券卷码])|减价|降价|[满立]减"),
    ("price protection", r"price (?:match\w*|protect\w*|adjust\w*|drops?|guarantee)", r"价保|价格保护|差价|降价|补差"),
    ("spare", r"spare|loaners?|on loan|substitutes?|courtesy", r"备用|代用|替代机|备机"),
    ("weekend", r"weekends?|saturdays?|sundays?|(?:public |bank )?holidays?|every day|seven days a week|7 days a week|24/7", r"放假|周末|周六|周日|星期[六日天]|节假日|假期|春节|除夕|国庆|休息日|每[天日] ?(?:\d|都|均|[早上凌])|全年无休|天天"),
    ("student", r"students?|pupils?", r"学生"),
    ("language", r"(?:in|into|speak) (?:english|chinese|french|german|spanish|japanese|another language|other languages)|languages?", r"英文|英语|外语|双语|中文版|语言"),
    ("app", r"(?:mobile|phone|your) apps?\b|android|iphone|ios\b", r"客户端|应用程序|安卓|苹果版"),
    ("password", r"passwords?|passcodes?|log-?in credentials|credentials", r"密码|口令"),
    ("gift", r"gift[- ]?wrap\w*|wrapping", r"礼品包装|礼盒|包装服务"),
    ("job", r"jobs?\b|vacanc\w*|careers?\b|recruit\w*|hiring", r"招聘|应聘|加盟|招商"),
    ("handling fee", r"(?:re-?stocking|handling|processing) (?:fee|charge|cost)s?", r"手续费"),
    ("sample", r"samples?\b", r"样品|试用装|体验装|小样"),
)  # fmt: skip


def things_in(folded: str) -> frozenset[str]:
    """Give the things that a folded text names."""
    return frozenset(name for name, _ in found_in(folded, _THINGS))
