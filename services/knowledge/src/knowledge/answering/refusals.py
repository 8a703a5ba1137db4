"""Holds what we say when we do not answer: one reviewed text per reason and language.

A text says what *we* could not find or lack and what the customer can do next. It never says that a rule does not
exist, and NO_AUTHORIZED_EVIDENCE reads the same whatever lies behind it.
"""

from dataclasses import dataclass
from typing import Final

from contracts.reasons import Language, RefusalReason


@dataclass(frozen=True, slots=True)
class RefusalText:
    """`reason` says in one sentence why; `answer` is all the customer reads."""

    reason: str
    answer: str


_REASONS: Final[dict[RefusalReason, dict[Language, str]]] = {
    RefusalReason.NO_AUTHORIZED_EVIDENCE: {
        "zh": "我们没有找到足以回答这个问题的政策依据。",
        "en": "We could not find a policy text that is sufficient to answer this question.",
    },
    RefusalReason.MISSING_BUSINESS_FACT: {
        "zh": "回答取决于{facts}，我们无法查到这项信息。",
        "en": "The answer depends on {facts}, which we do not have.",
    },
    RefusalReason.CONFLICTING_POLICY: {
        "zh": "我们找到的两处现行政策说法不一致，无法确定以哪一处为准。",
        "en": "Two policies in force that we found disagree, and we cannot tell which one applies.",
    },
    RefusalReason.HUMAN_DECISION_REQUIRED: {
        "zh": "这个问题需要由工作人员根据具体情况决定，我们不能代为决定。",
        "en": "A person has to decide this case by case; we cannot decide it for them.",
    },
    RefusalReason.ESCALATION_TOPIC: {
        "zh": "这件事需要由工作人员直接处理，我们不自动回答。",
        "en": "A person has to deal with this directly, so we do not answer automatically.",
    },
    RefusalReason.HUMAN_REQUESTED: {
        "zh": "您希望由工作人员处理。",
        "en": "You asked for a person.",
    },
}
_NEXT_STEPS: Final[dict[RefusalReason, dict[Language, str]]] = {
    RefusalReason.NO_AUTHORIZED_EVIDENCE: {
        "zh": "您可以换一种说法或者补充细节再问，也可以请人工客服协助。",
        "en": "You can ask again in other words or with more detail, or ask for a person.",
    },
    RefusalReason.MISSING_BUSINESS_FACT: {
        "zh": "您可以在账户里查看，补充后再问，也可以请人工客服查询。",
        "en": "You can look it up in your account and ask again with it, or ask a person to check.",
    },
    RefusalReason.CONFLICTING_POLICY: {
        "zh": "您可以请人工客服确认以哪一处为准。",
        "en": "You can ask a person to confirm which one applies to you.",
    },
    RefusalReason.HUMAN_DECISION_REQUIRED: {
        "zh": "您可以请人工客服受理。",
        "en": "You can ask a person to take up your request.",
    },
    RefusalReason.ESCALATION_TOPIC: {
        "zh": "请转接人工客服，您的问题会一并转交。",
        "en": "Please continue with a person; your question is passed on with it.",
    },
    RefusalReason.HUMAN_REQUESTED: {
        "zh": "请转接人工客服，您的问题会一并转交。",
        "en": "Please continue with a person; your question is passed on with it.",
    },
}
_FACTS: Final[dict[str, dict[Language, str]]] = {
    "orderStatus": {"zh": "订单的状态", "en": "the status of your order"},
    "refundStatus": {"zh": "退款的处理状态", "en": "the status of your refund"},
    "deliveryStatus": {"zh": "包裹的物流状态", "en": "the status of your delivery"},
    "paymentStatus": {"zh": "付款或扣款的记录", "en": "the record of your payment"},
    "accountBalance": {"zh": "账户的余额", "en": "the balance of your account"},
    "accountStatus": {"zh": "账户的状态", "en": "the status of your account"},
    "productKind": {"zh": "商品的种类", "en": "the kind of product"},
}
_UNNAMED_FACT: Final[dict[Language, str]] = {"zh": "您的具体情况", "en": "the details of your case"}
_AND: Final[dict[Language, str]] = {"zh": "和", "en": " and "}
_SPACE: Final[dict[Language, str]] = {"zh": "", "en": " "}


def refusal_text(reason: RefusalReason, language: Language, *, missing_facts: tuple[str, ...] = ()) -> RefusalText:
    """Give the reviewed text of a refusal; missing facts are named in the customer's words."""
    said = _REASONS[reason][language].format(facts=_named(missing_facts, language))
    return RefusalText(said, f"{said}{_SPACE[language]}{_NEXT_STEPS[reason][language]}")


def _named(facts: tuple[str, ...], language: Language) -> str:
    names = (_FACTS[fact][language] if fact in _FACTS else _UNNAMED_FACT[language] for fact in facts)
    return _AND[language].join(dict.fromkeys(names)) or _UNNAMED_FACT[language]
