"""Lists the acts of a shop or a service that questions ask for and policies treat, in both languages.

Words are read as they are spelt and not by their stems, which "installation" and "instalment" share.
"""

from collections.abc import Iterator
from typing import Final

from knowledge.answering.wordings import found_in, without, worded

# Goods go back, and money does: who asks for one is not answered with the other. "退" alone, and what goes "退回", is either.
_RETURNED_EN: Final = r"return\w*|(?:non-?)?refundab\w*|(?:send|sent|sending|go|goes|going|give|giv(?:en|ing)|gave|take|taking|took|taken|bring|brought|bringing)(?: (?!money)\w+)? back"
_REFUNDED_EN: Final = r"refund\w*|non-?refundab\w*|reimburs\w*|money back|repaid|repay(?!ment)"
_RETURNED_ZH: Final = r"退(?![款钱费还差]|到(?!货)|回(?:到)?(?:您的?)?(?:原|[^，,。]{0,3}账|礼品卡|积分)|[押定订]金|出|订|休|役|化|税|烧|伍)"
_REFUNDED_ZH: Final = r"退(?![货换掉]|出|订|休|役|化|税|烧|伍)|返还"

# An act a line: its name, English words, Chinese words. What stands in two lines is either act.
_ACTS: Final = worded(
    ("return", _RETURNED_EN, _RETURNED_ZH),
    ("refund", _REFUNDED_EN, _REFUNDED_ZH),
    ("give back", f"{_RETURNED_EN}|{_REFUNDED_EN}", f"{_RETURNED_ZH}|{_REFUNDED_ZH}"),
    ("exchange", r"exchang\w*|swap\w*|another (?:size|colou?r)", r"换货|[更调退]换|换新|换(?=[个成一吗颜尺大小码款])|置换"),
    ("replace", r"replac\w*|exchang\w*|swap\w*|another (?:size|colou?r)|in place of", r"换货|[更调退]换|换新|换(?=[个成一吗颜尺大小码款])|置换"),
    ("repair", r"repair\w*|fix(?:es|ed|ing)?\b|mend\w*|maintenance|warrant\w*|guarantee\w*", r"[维保报检]修|修(?=[好吗理复要一得不了])|三包|质保|包修"),
    ("install", r"install(?:s|ed|ing|er|ers|ation|ations)?\b|mount(?:s|ed|ing)?\b|assembl\w*", r"安装|组装|装机|拼装"),
    ("pick up", r"pick(?:s|ed|ing)?(?: \w+)? up|pick-?ups?\b|collect(?:s|ed|ing|ion)? (?:\w+ ){0,2}from|home collection|collected\b", r"取件|上门[取收]|揽[收件]|自提"),
    ("cancel", r"cancel\w*|call(?:ed|ing)? off|terminat\w*|unsubscrib\w*|end (?:my|the|a) (?:subscription|contract|plan)", r"取消|撤[销单回]|退订|解[约除]|终止"),
    ("close", r"(?:clos|delet)(?:e|es|ed|ing|ure|ion)\b(?: of)?(?: \w+){0,2} accounts?\b|account(?: \w+)? (?:is |be |are |gets? )?(?:clos|delet)\w*|close account", r"注销|销户|关闭账"),
    ("deliver", r"ship(?:s|ped|ping|ment|ments)?\b|deliver\w*|dispatch\w*|freight|postage|posted\b|by post\b|mail(?:ed|ing)\b|courier\w*|sen[dt] (?:by|to|out|within|abroad|overseas)\b|parcels?\b|packages?\b", r"配送|发货|送[达货到]|派送|投递|寄(?=[到出送给货件往来哪丢])|快[递件]|运费|邮[寄费]|包邮|(?<!收)到货|物流|包裹"),
    ("transfer", r"transfer\w*|sign(?:ed)? over|pass(?:ed)? on\b|resell|resold|giv(?:e|en|ing) away|as a (?:gift|present)|(?:give|send|pass) (?:\w+ ){1,4}to (?:a|my|someone|somebody|another) ?(?:friend|family|wife|husband|partner|else|person|member)\w*", r"转[让赠移账卖送交给]|传输|汇款|委托|过户|送[人给]|赠[送予]|借给"),
    ("extend", r"exten[ds]\w*|extension\w*|prolong\w*|renew\w*", r"延[长期保]|(?<!手)续[订费期保租]|顺延"),
    ("change", r"(?<!of )chang(?:e|es|ed|ing)\b(?! (?:of|my|your|their|his|her) minds?)|modif\w*|amend\w*|edit(?:s|ed|ing)?\b|correct(?:ed|ing|ion|ions)\b|correct (?:a|an|the|my|it)\b|updat\w*", r"修改|更[改正名]|变更|改(?=[成地名签期抬一收到])|写错|红冲|换成|更新|编辑|改变"),
    ("pay off", r"pay(?:ing)? (?:\w+ )?off|paid off|prepay\w*|early repayment|repayments?\b|pay(?:ing)? early", r"提前还|还[清款]|结清"),
    ("rent", r"rent(?:s|ed|ing|al|als)?\b|leas(?:e|ed|ing)\b|hir(?:e|ed|ing)\b", r"租"),
    ("trade in", r"trade[- ]?ins?\b|trad(?:e|ed|ing) in\b|recycl\w*|take away (?:the |my )?old", r"以旧换新|回收|折抵|搬走"),
    ("activate", r"activat\w*|redeem\w*", r"激活|启用|兑换"),
    ("reserve", r"reserv\w*|book(?:ed|ing|ings)\b|(?:to|i|we|you) book\b", r"预[约订留]|定座"),
    ("compensate", r"compensat\w*|indemni\w*|damages\b", r"赔|补偿"),
    ("complain", r"complain\w*", r"投诉|举报"),
    ("upgrade", r"upgrad\w*|downgrad\w*", r"[升降]级"),
    ("engrave", r"engrav\w*|custom(?:is|iz)\w*|personali[sz]\w*|made to order|custom-made|bespoke|monogram\w*", r"定制|刻字|订做|定做"),
    ("donate", r"donat\w*", r"捐"),
    ("try", r"tr(?:y|ied|ying) (?:\w+ )?(?:on|out)|trials?\b|samples?\b|test(?:s|ed|ing)? (?:it|them|before)", r"试[用穿戴听吃]|样品|体验装"),
    ("restore", r"restor\w*|reactivat\w*|reopen\w*|recover\w*|reinstat\w*", r"恢复|找回|复原|重新(?:开通|启用|激活)"),
    ("look up", r"check(?:s|ed|ing)? (?:my|the|your|our|how much|what|if|whether)\b|look(?:s|ed|ing)? up\b|view (?:my|our|your|the)\b|(?:see|find) my\b", r"(?<![检审抽调普搜核])查(?![出获处封扣])"),
    ("track", r"track(?:s|ed|ing)?\b(?! number)|trace\b", r"追踪|物流信息|查(?:快递|物流|件)"),
)  # fmt: skip


_GIVE_BACK: Final = "give back"
_ONE_OF: Final = frozenset({"return", "refund"})


def acts_in(folded: str) -> Iterator[tuple[str, int]]:
    """Yield the acts that a folded text names, and where."""
    return found_in(folded, _ACTS)


def acts_asked_in(folded: str) -> Iterator[tuple[str, int]]:
    """Yield the acts that a folded question names, and where: of goods and money what it says, else either."""
    named = tuple(acts_in(folded))
    for name, start in named:
        said = _ONE_OF.intersection(other for other, at in named if at == start)
        if name not in _ONE_OF | {_GIVE_BACK} or (name == _GIVE_BACK) == (said == _ONE_OF):
            yield name, start


def widest(name: str) -> str:
    """Give an act without telling whether goods or money go back."""
    return _GIVE_BACK if name in _ONE_OF else name


def without_acts(folded: str) -> str:
    """Give a folded text without the words that name acts."""
    return without(folded, _ACTS)
