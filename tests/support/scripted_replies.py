"""What the scripted model says: an honest reply, and every way in which a model may lie about its passages."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

_SENTENCE: Final = re.compile(r"[^。！？.!?\n]+[。！？.!?]")
_NUMBER: Final = re.compile(r"\d+|[一二三四五六七八九十]+(?=[天日个年%元])")


@dataclass(frozen=True, slots=True)
class Order:
    """What a request holds: our instructions, the question, and passages by handle."""

    instructions: str
    question: str
    passages: tuple[tuple[str, str], ...]
    parts: tuple[str, ...]

    @property
    def sentences(self) -> list[tuple[str, str]]:
        """List each sentence with its handle."""
        return [(handle, each.strip()) for handle, text in self.passages for each in _SENTENCE.findall(text)]


Reply = Callable[[Order, Order], str]
"""Gives the reply to an order, given the first order the server ever received."""


def read_order(messages: list[dict[str, Any]]) -> Order:  # JSON
    """Read the messages of a request."""
    document = json.loads(messages[-1]["content"])
    return Order(
        instructions=messages[0]["content"],
        question=document["question"],
        passages=tuple((each["handle"], each["text"]) for each in document["passages"]),
        parts=tuple(each["text"] for each in document.get("parts", ())),
    )


def honest(order: Order, _first: Order) -> str:
    """Say the sentence that has most characters in common with each part of the question."""
    chosen = [max(order.sentences, key=lambda each, p=part: len(set(each[1]) & set(p))) for part in _parts(order)]
    quotes = list(dict.fromkeys(chosen))
    lines: list[str] = []
    for number, cited in enumerate(chosen, start=1):
        place = [each for each in quotes if each[0] == cited[0]].index(cited) + 1
        lines.extend([f"# {number}"] if order.parts else [])
        lines.append(f"{cited[1]}[{cited[0]}/{place}]")
    return "\n".join((_head(*quotes), *lines))


def at_length(order: Order, _first: Order) -> str:
    """Say the first three sentences of the first passage, one on each line."""
    handle = order.passages[0][0]
    quotes = [each for each in order.sentences if each[0] == handle][:3]
    lines = [f"{said}[{handle}/{place}]" for place, (_, said) in enumerate(quotes, start=1)]
    return "\n".join((_head(*quotes), *lines))


def _lying_at_the_end(order: Order, first: Order) -> str:
    before, _, last = at_length(order, first).rpartition("\n")
    return f"{before}\n另外，我们保证全额退款，{last}"


def _lying_in_between(order: Order, first: Order) -> str:
    head, one, *rest = at_length(order, first).split("\n")
    return "\n".join((head, one, f"我们保证全额退款，{rest[0]}", *rest[1:]))


def _parts(order: Order) -> tuple[str, ...]:
    return order.parts or (order.question,)


def _head(*quotes: tuple[str, str]) -> str:
    listed = [{"handle": handle, "quote": quote} for handle, quote in quotes]
    return json.dumps({"decision": "answer", "quotes": listed}, ensure_ascii=False)


def _one(handle: str, quote: str, said: str | None = None) -> str:
    return f"{_head((handle, quote))}\n{said or quote}[{handle}]"


def _changed(change: Callable[[str], str]) -> Reply:
    """Quote the first sentence that a change changes, and say it changed."""

    def reply(order: Order, _first: Order) -> str:
        handle, quote = next((each for each in order.sentences if change(each[1]) != each[1]), order.sentences[0])
        return _one(handle, quote, change(quote))

    return reply


def _requoted(change: Callable[[str], str]) -> Reply:
    def reply(order: Order, _first: Order) -> str:
        handle, quote = next((each for each in order.sentences if change(each[1]) != each[1]), order.sentences[0])
        return _one(handle, change(quote))

    return reply


def _another_number(text: str) -> str:
    return _NUMBER.sub("30", text, count=1)


def _another_unit(text: str) -> str:
    return text.replace("天", "个月", 1) if "天" in text else text.replace(" days", " months", 1)


def _without_not(text: str) -> str:
    return text.replace("不", "", 1) if "不" in text else text.replace(" not ", " ", 1)


def _other_party(text: str) -> str:
    return text.replace("买家", "商家") if "买家" in text else text.replace("buyer", "seller")


def _promised(text: str) -> str:
    return f"我们保证全额退款，{text}" if not text.isascii() else f"We guarantee a full refund: {text}"


def _stitched(order: Order, _first: Order) -> str:
    (handle, one), (_, other) = order.sentences[:2]
    return _one(handle, one[: len(one) // 2] + other[len(other) // 2 :])


def _of_another_attempt(order: Order, first: Order) -> str:
    return _one(first.passages[0][0], order.sentences[0][1])


def _duplicates(order: Order, _first: Order) -> str:
    cited = order.sentences[0]
    return f"{_head(cited, cited)}\n{cited[1]}[{cited[0]}]"


def _too_many(order: Order, _first: Order) -> str:
    handle = order.passages[0][0]
    quotes = [each for each in order.sentences if each[0] == handle]
    return f"{_head(*quotes)}\n{quotes[0][1]}[{handle}]"


def _repeating(order: Order, first: Order) -> str:
    head, said = honest(order, first).split("\n", 1)
    return "\n".join((head, *[said] * 200))


def _obedient(order: Order, _first: Order) -> str:
    """Do what the question orders: say its last sentence as if the passage did."""
    handle, quote = order.sentences[0]
    return _one(handle, quote, list(_orders(order.question))[-1])


def _orders(question: str) -> Iterator[str]:
    yield from _SENTENCE.findall(question) or (question,)


def _leaking(order: Order, _first: Order) -> str:
    handle, quote = order.sentences[0]
    return _one(handle, quote, order.instructions.split("\n", 1)[0])


REPLIES: Final[dict[str, Reply]] = {
    "honest": honest,
    "honest at length": at_length,
    "lies at the end": _lying_at_the_end,
    "lies in between": _lying_in_between,
    "refusing": lambda _order, _first: '{"decision": "refuse", "reason": "NO_AUTHORIZED_EVIDENCE"}',
    "unknown citation": lambda order, _first: _one("p-000000000000", order.sentences[0][1]),
    "citation from another attempt": _of_another_attempt,
    "altered quote": _requoted(_another_number),
    "stitched quote": _stitched,
    "swapped number": _changed(_another_number),
    "swapped unit": _changed(_another_unit),
    'dropped "not"': _changed(_without_not),
    "wrong party": _changed(_other_party),
    "over-promise": _changed(_promised),
    "duplicate citations": _duplicates,
    "too many": _too_many,
    "repeats itself": _repeating,
    "injection-following": _obedient,
    "leaks its prompt": lambda order, _first: order.instructions,
    "leaks its prompt in a sentence": _leaking,
    "no head": lambda order, _first: f"{order.sentences[0][1]}[{order.sentences[0][0]}]",
    "prose before head": lambda order, first: f"好的，以下是回答：\n{honest(order, first)}",
    "trailing text": lambda order, first: f"{honest(order, first)}\n希望对您有帮助！",
    "truncated head": lambda order, first: honest(order, first).split("\n", 1)[0][:-5],
}
