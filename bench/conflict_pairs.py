"""Pairs of policy sentences written for measuring: each rule in two wordings, with two values that cannot both hold."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["same words", "other words", "yes and no", "same value", "other subject"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule under a heading: one wording, another one, two values, and another thing the rule could be about."""

    heading: str
    wording: str
    reworded: str
    values: tuple[str, str]
    thing: str
    other_thing: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences of two documents. `is_conflict` says whether they cannot both hold."""

    kind: Kind
    heading: str
    one: str
    other: str
    is_conflict: bool


_RULES: Final = (
    Rule("退货期限", "{thing}签收后{value}内可以申请退货。", "签收{thing}后，可在{value}内提出退货申请。", ("7天", "15天"), "茶具", "灯具"),
    Rule("退款", "{thing}的退款在审核通过后{value}内原路退回。", "审核通过后，{thing}退款于{value}内原路退回。", ("3个工作日", "5个工作日"), "门票", "课程"),
    Rule("运费", "购买{thing}不满{value}需支付运费。", "{thing}订单金额不满{value}的，需支付运费。", ("99元", "199元"), "图书", "家具"),
    Rule("保修", "{thing}自购买之日起保修{value}。", "{thing}的保修期为自购买之日起{value}。", ("一年", "两年"), "水壶", "风扇"),
    Rule("积分", "{thing}会员积分有效期为{value}。", "{thing}会员的积分有效期是{value}。", ("12个月", "24个月"), "银卡", "金卡"),
    Rule("发票", "{thing}发票在付款后{value}内开具。", "付款后{value}内开具{thing}发票。", ("3天", "10天"), "电子", "纸质"),
    Rule("定金", "预订{thing}需支付{value}的定金。", "预订{thing}时应支付{value}定金。", ("20%", "30%"), "宴席", "场地"),
    Rule("取消", "{thing}开始前{value}可以免费取消。", "在{thing}开始前{value}，可以免费取消。", ("24小时", "48小时"), "活动", "课程"),
    Rule("手续费", "提前解约{thing}收取{value}手续费。", "{thing}提前解约的，收取手续费{value}。", ("50元", "100元"), "套餐", "租约"),
    Rule("投诉处理", "我们在收到{thing}投诉后{value}内答复。", "收到{thing}投诉后，我们在{value}内答复。", ("两个工作日", "七个工作日"), "物流", "售后"),
    Rule("换货", "{thing}每单最多可以换货{value}。", "每单{thing}换货最多{value}。", ("1次", "3次"), "服装", "鞋靴"),
    Rule("押金", "租用{thing}的押金为{value}。", "{thing}租用押金是{value}。", ("200元", "500元"), "相机", "帐篷"),
    Rule("Returns", "{thing} can be returned within {value} of delivery.", "Within {value} of delivery, {thing} can be returned.", ("14 days", "30 days"), "Teapots", "Lamps"),
    Rule("Refunds", "We pay refunds for {thing} within {value} of approval.", "Refunds for {thing} are paid within {value} of approval.", ("5 business days", "10 business days"), "tickets", "courses"),
    Rule("Shipping", "Shipping of {thing} is free for orders above {value}.", "For orders above {value}, shipping of {thing} is free.", ("$50", "$80"), "books", "furniture"),
    Rule("Warranty", "The warranty for {thing} lasts {value} from purchase.", "From purchase, the warranty for {thing} lasts {value}.", ("12 months", "24 months"), "kettles", "fans"),
    Rule("Cancellation", "You can cancel a {thing} free of charge up to {value} before it starts.", "Up to {value} before it starts, you can cancel a {thing} free of charge.", ("24 hours", "48 hours"), "tour", "class"),
    Rule("Late fees", "A late fee of {value} is added to an unpaid {thing} bill.", "To an unpaid {thing} bill, a late fee of {value} is added.", ("$10", "$25"), "phone", "water"),
    Rule("Deposits", "A deposit of {value} is due when you book a {thing}.", "When you book a {thing}, a deposit of {value} is due.", ("20%", "50%"), "hall", "garden"),
    Rule("Data", "We delete {thing} from our servers {value} after cancellation.", "{thing} are deleted from our servers {value} after cancellation.", ("30 days", "90 days"), "files", "messages"),
    Rule("Gift cards", "{thing} gift cards expire {value} after they were bought.", "Gift cards for {thing} expire {value} after they were bought.", ("1 year", "3 years"), "Museum", "Cinema"),
    Rule("Complaints", "We answer complaints about {thing} within {value}.", "Complaints about {thing} are answered within {value}.", ("2 business days", "7 business days"), "couriers", "repairs"),
    Rule("Exchanges", "A {thing} can be exchanged {value} per order.", "Per order, a {thing} can be exchanged {value}.", ("one time", "three times"), "shirt", "shoe"),
    Rule("Baggage", "An extra {thing} costs {value} on every flight.", "On every flight, an extra {thing} costs {value}.", ("$40", "$60"), "bag", "bicycle"),
)  # fmt: skip
_YES_AND_NO: Final = (
    ("退货", "刻字的茶具可以退货。", "刻字的茶具不可以退货。"),
    ("发票", "积分兑换的商品可以开具发票。", "积分兑换的商品不可以开具发票。"),
    ("改签", "特价机票支持免费改签。", "特价机票不支持免费改签。"),
    ("优惠券", "优惠券可以与满减活动叠加使用。", "优惠券不能与满减活动叠加使用。"),
    ("保修", "进水造成的损坏属于保修范围。", "进水造成的损坏不属于保修范围。"),
    ("退订", "试用期内退订收取费用。", "试用期内退订不收取费用。"),
    ("Returns", "Opened software can be returned.", "Opened software cannot be returned."),
    ("Refunds", "We refund shipping costs for cancelled orders.", "We do not refund shipping costs for cancelled orders."),
    ("Plans", "Unused months of a yearly plan are refunded.", "Unused months of a yearly plan are not refunded."),
    ("Pets", "Pets are allowed in the cabin on short flights.", "Pets are not allowed in the cabin on short flights."),
    ("Vouchers", "Vouchers may be combined with sale prices.", "Vouchers may not be combined with sale prices."),
    ("Trials", "A card is needed to start a trial.", "A card is not needed to start a trial."),
)  # fmt: skip


def constructed() -> Iterator[Pair]:
    """Give all pairs: those that disagree, and those that only look like it."""
    for rule in _RULES:
        said = _fill(rule.wording, rule.thing, rule.values[0])
        differs = _fill(rule.wording, rule.thing, rule.values[1])
        reworded = _fill(rule.reworded, rule.thing, rule.values[1])
        same = _fill(rule.reworded, rule.thing, rule.values[0])
        elsewhere = _fill(rule.reworded, rule.other_thing, rule.values[1])
        yield Pair("same words", rule.heading, said, differs, is_conflict=True)
        yield Pair("other words", rule.heading, said, reworded, is_conflict=True)
        yield Pair("same value", rule.heading, said, same, is_conflict=False)
        yield Pair("other subject", rule.heading, said, elsewhere, is_conflict=False)
    for heading, yes, no in _YES_AND_NO:
        yield Pair("yes and no", heading, yes, no, is_conflict=True)


def _fill(wording: str, thing: str, value: str) -> str:
    return wording.replace("{thing}", thing).replace("{value}", value)
