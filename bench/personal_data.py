"""Print how much of the personal data in marked texts is masked, what else is, and what masking costs.

Reads `pii/*.jsonl` below --data: texts with the character spans of what is personal. A span is found when all its letters and
digits are masked as the right kind; a mask is right when it touches a span of that kind. With --corpora it also lists
every mask in the published policies of `corpora/`, where nearly every one is a fault. Ends with 1 when a bar is missed.
"""

import argparse
import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from personal_data.finding import Found, find_personal_data
from personal_data.masking import mask, paragraphs

KINDS = {
    "PHONE": "phone",
    "PHONE_NUMBER": "phone",
    "EMAIL": "email",
    "EMAIL_ADDRESS": "email",
    "ID_CARD": "id-card",
    "US_SSN": "social-security",
    "BANK_CARD": "bank-card",
    "CREDIT_CARD": "bank-card",
    "IBAN_CODE": "iban",
    "US_DRIVER_LICENSE": "driver-licence",
    "PLATE": "plate",
    "ADDRESS": "address",
    "STREET_ADDRESS": "address",
    "PERSON": "name",
}
LOWEST_RECALL = {"phone": 0.95, "email": 0.95, "id-card": 0.95, "social-security": 0.95, "bank-card": 0.95}
MOST_FALSE = 0.02
NUMBER = re.compile(r"\d(?:[\d.,:/-]*\d)?")
ROUNDS = 5
QUESTION = "我昨天买的耳机能退吗，运费谁承担？订单 DD7149776 还没发货。"


@dataclass
class Count:
    """What was counted of one kind in one language."""

    marked: int = 0
    found: int = 0
    masks: int = 0
    right: int = 0


@dataclass
class Tally:
    """What was counted in one file."""

    kinds: dict[str, Count] = field(default_factory=dict[str, Count])
    unmasked_kinds: Counter[str] = field(default_factory=Counter[str])
    numbers: int = 0
    false_numbers: int = 0


def main() -> int:
    """Print the tables and say whether the bars are held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds pii/ and corpora/")
    parser.add_argument("--corpora", action="store_true", help="list the masks in the published policies too")
    given = parser.parse_args()
    files = sorted((given.data / "pii").glob("*.jsonl"))
    if not files:
        print(f"✗ There is no {given.data}/pii/*.jsonl; name the folder that holds pii/ with --data.", file=sys.stderr)
        return 1
    missed = 0
    for file in files:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        missed += show(file.stem, tally(rows))
    print_cost(
        [row["text"] for file in files for row in map(json.loads, file.read_text(encoding="utf-8").splitlines())]
    )
    if given.corpora:
        print_corpora(given.data / "corpora")
    return 1 if missed else 0


def tally(rows: list[dict[str, Any]]) -> Tally:  # rows are JSON
    """Count over the rows of a file."""
    counted = Tally()
    for row in rows:
        spans = [(each["start"], each["end"], each["type"]) for each in row["spans"]]
        count_row(counted, row["text"], spans)
    return counted


def count_row(counted: Tally, text: str, spans: list[tuple[int, int, str]]) -> None:
    """Count the spans, masks and unmarked numbers of one text."""
    found = list(places(text))
    for start, end, type_ in spans:
        kind = KINDS.get(type_)
        if kind is None:
            counted.unmasked_kinds[type_] += 1
            continue
        count = counted.kinds.setdefault(kind, Count())
        count.marked += 1
        masked = {place for each in found if each.kind == kind for place in range(each.start, each.end)}
        count.found += all(place in masked for place in range(start, end) if text[place].isalnum())
    for each in found:
        count = counted.kinds.setdefault(each.kind, Count())
        count.masks += 1
        count.right += any(KINDS.get(t) == each.kind and each.start < e and s < each.end for s, e, t in spans)
    for number in NUMBER.finditer(text):
        if not any(number.start() < end and start < number.end() for start, end, _ in spans):
            counted.numbers += 1
            counted.false_numbers += any(number.start() < each.end and each.start < number.end() for each in found)


def places(text: str) -> Iterator[Found]:
    """Give what is masked, at its places in the text as it came."""
    offset = 0
    for paragraph in paragraphs(text):
        for each in find_personal_data(paragraph):
            yield Found(each.kind, each.start + offset, each.end + offset)
        offset += len(paragraph)


def show(name: str, counted: Tally) -> int:
    """Print the table of a file and say how many bars are missed."""
    print(f"{name:20} {'marked':>7} {'recall':>7} {'masks':>7} {'precision':>9}")
    missed = 0
    for kind, count in sorted(counted.kinds.items()):
        recall = count.found / count.marked if count.marked else None
        precision = count.right / count.masks if count.masks else None
        is_missed = recall is not None and recall < LOWEST_RECALL.get(kind, 0)
        missed += is_missed
        print(
            f"  {kind:18} {count.marked:7} {shown(recall)} {count.masks:7} {shown(precision):>9}{' ✗' if is_missed else ''}"
        )
    share = counted.false_numbers / max(counted.numbers, 1)
    missed += share > MOST_FALSE
    print(f"  unmarked numbers   {counted.numbers:7}   of them masked {counted.false_numbers} = {share:.1%}")
    left = ", ".join(f"{kind} {count}" for kind, count in sorted(counted.unmasked_kinds.items()))
    print(f"  kinds that are not masked: {left or 'none'}\n")
    return missed


def shown(share: float | None) -> str:
    """Print a share, or a dash where there was nothing to count."""
    return f"{share:7.3f}" if share is not None else f"{'–':>7}"


def print_cost(texts: list[str]) -> None:
    """Print the time a question and 200 characters take, on one core."""
    mask(QUESTION)
    took = [timed([QUESTION]) for _ in range(200)]
    print(f"a question: p50 {statistics.median(took) * 1e3:.3f} ms, p99 {sorted(took)[-3] * 1e3:.3f} ms")
    whole = "\n\n".join(texts)
    per_row = min(timed(texts) for _ in range(ROUNDS)) / sum(map(len, texts)) * 200
    at_once = min(timed([whole]) for _ in range(ROUNDS)) / len(whole) * 200
    print(f"200 characters of these texts: {per_row * 1e3:.3f} ms text by text, {at_once * 1e3:.3f} ms as one document")


def timed(texts: list[str]) -> float:
    """Give the processor seconds it takes to mask texts."""
    began = time.process_time()
    for text in texts:
        mask(text)
    return time.process_time() - began


def print_corpora(folder: Path) -> None:
    """List every mask in the policies, and the time they take."""
    kinds: Counter[str] = Counter()
    length, seconds = 0, 0.0
    for file in sorted(folder.rglob("*.md")):
        text = file.read_text(encoding="utf-8")
        seconds += timed([text])
        length += len(text)
        for each in places(text):
            kinds[each.kind] += 1
            around = text[max(0, each.start - 24) : each.end + 12].replace("\n", "⏎")
            print(f"  {each.kind:10} {text[each.start : each.end]!r:40} {file.name[:24]:24} {around}")
    print(f"corpora: {dict(kinds)}, {seconds / length * 200 * 1e3:.3f} ms for 200 characters of {length:,}")


if __name__ == "__main__":
    sys.exit(main())
