"""Masks personal data before anything is stored, indexed or embedded. What may stay: docs/decisions, records 0011, 0015."""

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from personal_data.finding import Found

MASKER: Final = "presidio-3"
"""Names the rules: when they change, a text that was read before is read again."""

# Nobody sees these, and between two digits they hide a number from every rule: soft hyphens, marks without width, marks of
# direction and variants, tags. The two joiners make one sign of several, or part letters of other scripts: there they stay.
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
    "|(?<=[0-9A-Za-z@.+_-])[\u200c\u200d\ufe00-\ufe0f]+(?=[0-9A-Za-z@.+_-])"
)
_PARAGRAPH_END: Final = re.compile(r"\n[ \t]*\n")
# The rules look at the words around a place, and a mask may bring a word nearer to the next number.
_MOST_ROUNDS: Final = 4

HashOf = Callable[[str, str], str]
"""Names a value by its kind and itself."""


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


def _unnamed(kind: str, value: str) -> str:
    del kind, value
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """Which kinds are masked (None: all), how a value is named, and which names stay."""

    kinds: frozenset[str] | None = None
    hash_of: HashOf = _unnamed
    allowed: frozenset[str] = frozenset()


def mask(text: str, *, kinds: frozenset[str] | None = None) -> str:
    """Replace personal data by what kind it was: all kinds, or those alone.

    Repeat: a masked text has nothing more to mask.
    """
    return _masked(text, _Rules(kinds=kinds)).text


def mask_source(text: str, *, key: bytes, allowed: frozenset[str]) -> MaskedText:
    """Mask as `mask` does, but leave what is allowed, and say what was masked where.

    `allowed` holds hashes under the same key. Repeat: a masked text has nothing more to mask.
    """
    return _masked(text, _Rules(hash_of=partial(_value_hash, key), allowed=allowed))


def without_unseen(text: str) -> str:
    """Take out characters that nobody sees and that part what belongs together. Repeat: no further change."""
    return text if text.isascii() else _UNSEEN.sub("", text)


def tenant_key(key: bytes, tenant: str) -> bytes:
    """Derive the key of one tenant, so that equal values of two tenants have unlike hashes."""
    return hmac.digest(key, b"tenant\0" + tenant.encode(), hashlib.sha256)


def load_recognizers() -> None:
    """Load what masking needs, so that the first text does not wait for it. Repeat: nothing happens."""
    _find("")


def paragraphs(text: str) -> Iterator[str]:
    """Split a text at its empty lines; together the parts are the text. No rule looks beyond one."""
    start = 0
    for end in _PARAGRAPH_END.finditer(text):
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def _masked(text: str, rules: _Rules) -> MaskedText:
    pieces: list[str] = []
    masks: list[Mask] = []
    length = 0
    for paragraph in paragraphs(without_unseen(text)):
        part = _masked_paragraph(paragraph, rules)
        pieces.append(part.text)
        masks += (replace(each, start=each.start + length, end=each.end + length) for each in part.masks)
        length += len(part.text)
    return MaskedText("".join(pieces), tuple(masks))


def _masked_paragraph(text: str, rules: _Rules) -> MaskedText:
    done = MaskedText(text, ())
    for _ in range(_MOST_ROUNDS):
        found = [each for each in _find(done.text) if rules.kinds is None or each.kind in rules.kinds]
        named = [(each, rules.hash_of(each.kind, done.text[each.start : each.end])) for each in found]
        fresh = [(each, value_hash) for each, value_hash in named if value_hash not in rules.allowed]
        if not fresh:
            break
        done = _with_masks(done, fresh)
    return done


def _with_masks(before: MaskedText, fresh: list[tuple["Found", str]]) -> MaskedText:
    old = [(each.start, each.end, each.kind, each.value_hash) for each in before.masks]
    new = [(each.start, each.end, each.kind, value_hash) for each, value_hash in fresh]
    pieces: list[str] = []
    masks: list[Mask] = []
    done = length = 0
    for start, end, kind, value_hash in sorted([*old, *new]):
        shown = f"[{kind}]"
        pieces += (before.text[done:start], shown)
        length += start - done
        masks.append(Mask(kind, length, length + len(shown), value_hash))
        length, done = length + len(shown), end
    return MaskedText("".join((*pieces, before.text[done:])), tuple(masks))


def _find(text: str) -> list["Found"]:
    # Presidio brings spaCy: a second and 75 MB that a process does not pay for importing a neighbour of this module.
    from personal_data.finding import find_personal_data  # noqa: PLC0415  # said above

    return find_personal_data(text)


def _value_hash(key: bytes, kind: str, value: str) -> str:
    # However it is grouped or written, the same value has the same hash.
    normalised = re.sub(r"[^\w@.+]", "", unicodedata.normalize("NFKC", value).lower())
    return hmac.digest(key, f"{kind}\0{normalised}".encode(), hashlib.sha256).hex()
