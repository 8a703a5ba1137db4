"""Masks personal data before anything is stored, indexed or embedded. What may stay: docs/decisions, record 0011.

Source: the check digit of a Chinese identity number is ISO 7064 MOD 11-2 (GB 11643), that of a bank card ISO/IEC 7812.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from phonenumbers import Leniency, PhoneNumberMatcher, PhoneNumberType, number_type


@dataclass(frozen=True, slots=True)
class Mask:
    """One place where personal data stood. `start` and `end` are in the masked text; the hash tells nothing without its key."""

    kind: str
    start: int
    end: int
    value_hash: str


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text without personal data, and where it stood, in order."""

    text: str
    masks: tuple[Mask, ...]


@dataclass(frozen=True, slots=True)
class _Find:
    start: int
    end: int
    mask: str


_IDENTITY: Final = re.compile(r"(?<![0-9A-Za-z])[1-9]\d{16}[\dXx](?![0-9A-Za-z])")
_CARD: Final = re.compile(r"(?<![0-9A-Za-z.-])\d(?:[ -]?\d){12,18}(?![0-9A-Za-z-])")
_CARD_ISSUER: Final = re.compile(r"4|5[1-5]|2[2-7]|3[4-7]|30[0-5]|6011|62|65")
_MOBILE: Final = re.compile(r"(?<![0-9A-Za-z.])(?:\+?86[- ]?)?1[3-9]\d(?:[ -]?\d{4}){2}(?![0-9A-Za-z])")
_EMAIL: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}(?![\w@])", re.ASCII
)
_IMAGE_NAME: Final = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"https?://[^\s)>\"'，。；、]+")

# A number with such a word before it names a thing and not a person.
_THING: Final = re.compile(
    r"(?:单号|订单|编号|流水号?|工单|序列号|货号|批次|文号|条码|版本|order|invoice|tracking|serial|sku|isbn|no\.|number|id)"
    r"[\s:：#为是号]{0,3}$",
    re.IGNORECASE,
)
_PERSON: Final = re.compile(
    r"(?:phone|mobile|tel|telephone|call|fax|card|account|contact)\s*(?:number|no\.|id)?[\s:：#]{0,3}$", re.IGNORECASE
)
_LOOK_BACK: Final = 16

# A mailbox named after a task belongs to the company, one named after a person to the person.
_ROLES: Final = frozenset(
    [
        "abuse",
        "accounts",
        "admin",
        "appeals",
        "billing",
        "care",
        "claims",
        "compliance",
        "contact",
        "copyright",
        "customercare",
        "customerservice",
        "customer",
        "desk",
        "dmca",
        "dpo",
        "enquiries",
        "events",
        "feedback",
        "finance",
        "gdpr",
        "hello",
        "help",
        "helpdesk",
        "hr",
        "info",
        "inquiries",
        "invoice",
        "invoices",
        "it",
        "jobs",
        "kefu",
        "legal",
        "mail",
        "marketing",
        "media",
        "member",
        "members",
        "membership",
        "news",
        "noreply",
        "office",
        "orders",
        "order",
        "policy",
        "postmaster",
        "press",
        "privacy",
        "quality",
        "recruiting",
        "recruitment",
        "refund",
        "refunds",
        "report",
        "reports",
        "reply",
        "no",
        "do",
        "not",
        "returns",
        "sales",
        "secret",
        "scanning",
        "security",
        "service",
        "services",
        "shield",
        "shipping",
        "shop",
        "store",
        "subscriptions",
        "support",
        "team",
        "tousu",
        "vip",
        "vipservice",
        "warranty",
        "web",
        "webmaster",
        "website",
    ]
)
_PRIVATE_LINES: Final = frozenset(
    {
        PhoneNumberType.MOBILE,
        PhoneNumberType.FIXED_LINE_OR_MOBILE,
        PhoneNumberType.PERSONAL_NUMBER,
        PhoneNumberType.PAGER,
        PhoneNumberType.VOIP,
    }
)


def mask(text: str) -> str:
    """Replace personal data by what kind it was. Repeat: a masked text has nothing more to mask."""
    pieces: list[str] = []
    done = 0
    for find in _finds(text):
        pieces += (text[done : find.start], find.mask)
        done = find.end
    return "".join((*pieces, text[done:]))


def mask_source(text: str, *, key: bytes, allowed: frozenset[str]) -> MaskedText:
    """Mask as `mask` does, but leave what is allowed, and say what was masked where.

    `allowed` holds hashes under the same key. Repeat: a masked text has nothing more to mask.
    """
    pieces: list[str] = []
    masks: list[Mask] = []
    done = length = 0
    for find in _finds(text):
        kind = find.mask[1:-1]
        value_hash = _value_hash(text[find.start : find.end], kind=kind, key=key)
        if value_hash in allowed:
            continue
        pieces += (text[done : find.start], find.mask)
        length += find.start - done
        masks.append(Mask(kind, length, length + len(find.mask), value_hash))
        length += len(find.mask)
        done = find.end
    return MaskedText("".join((*pieces, text[done:])), tuple(masks))


def tenant_key(key: bytes, tenant: str) -> bytes:
    """Derive the key of one tenant, so that equal values of two tenants have unlike hashes."""
    return hmac.digest(key, b"tenant\0" + tenant.encode(), hashlib.sha256)


def _finds(text: str) -> Iterator[_Find]:
    links = [match.span() for match in _ADDRESS.finditer(text)]
    finds = (find for finder in _FINDERS for find in finder(text))
    kept = [find for find in finds if not any(start <= find.start < end for start, end in links)]
    done = 0
    for find in sorted(kept, key=lambda each: (each.start, -each.end)):
        if find.start >= done:
            yield find
            done = find.end


def _value_hash(value: str, *, kind: str, key: bytes) -> str:
    # However it is grouped or written, the same value has the same hash.
    normalised = re.sub(r"[^0-9a-z@.+_\u3400-\u9fff]", "", value.lower())
    return hmac.new(key, f"{kind}\0{normalised}".encode(), hashlib.sha256).hexdigest()


def _identity_numbers(text: str) -> Iterator[_Find]:
    for match in _IDENTITY.finditer(text):
        if _is_identity_number(match.group()):
            yield _Find(*match.span(), "[id-card]")


def _bank_cards(text: str) -> Iterator[_Find]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if _CARD_ISSUER.match(digits) and _passes_luhn(digits) and not _names_a_thing(text, match.start()):
            yield _Find(*match.span(), "[bank-card]")


def _mobiles(text: str) -> Iterator[_Find]:
    for match in _MOBILE.finditer(text):
        if not _names_a_thing(text, match.start()):
            yield _Find(*match.span(), "[phone]")


def _phones(text: str) -> Iterator[_Find]:
    # Without a country sign only a number in the usual American grouping is taken for one; anything else is a number.
    for region, leniency in ((None, Leniency.VALID), ("US", Leniency.STRICT_GROUPING)):
        for match in PhoneNumberMatcher(text, region, leniency):
            grouped = match.raw_string.startswith("+") or len(re.findall(r"\d+", match.raw_string)) > 1
            private = number_type(match.number) in _PRIVATE_LINES
            if private and grouped and not _names_a_thing(text, match.start):
                yield _Find(match.start, match.end, "[phone]")


def _emails(text: str) -> Iterator[_Find]:
    for match in _EMAIL.finditer(text):
        local = match.group().partition("@")[0].lower()
        if not set(re.split(r"[._+-]+", local)) <= _ROLES and not _IMAGE_NAME.search(match.group()):
            yield _Find(*match.span(), "[email]")


_FINDERS: Final[tuple[Callable[[str], Iterator[_Find]], ...]] = (
    _identity_numbers,
    _bank_cards,
    _mobiles,
    _phones,
    _emails,
)


def _names_a_thing(text: str, start: int) -> bool:
    before = text[max(0, start - _LOOK_BACK) : start]
    return _THING.search(before) is not None and _PERSON.search(before) is None


def _is_identity_number(number: str) -> bool:
    try:
        date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    total = sum(int(digit) * (1 << (17 - place)) for place, digit in enumerate(number[:17]))
    return "10X98765432"[total % 11] == number[17].upper()


def _passes_luhn(digits: str) -> bool:
    weighed = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(sum(divmod(value, 10)) for value in weighed) % 10 == 0
