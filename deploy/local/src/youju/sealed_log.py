"""Check the answer log over the staff API and run attempts of it again."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Final

import httpx

from youju.http import Body, parsed
from youju.trouble import Trouble

_PATH: Final = "/v1/staff/audit/log"
_LONGEST_CELL: Final = 40
_HEAD: Final = re.compile(r"(\d{1,15}):([0-9a-f]{64})")


class Head(Body):
    """The end of a chain."""

    number: int
    head: str
    sealed_at: datetime | None = None

    def __str__(self) -> str:
        """Spell it as `--head` takes it."""
        return f"{self.number}:{self.head}"


class Fault(Body):
    """The first thing that is not as it was sealed."""

    finding: str
    batch: int | None = None
    row: str | None = None
    attempt_id: str | None = None
    field: str | None = None


class _Piece(Body):
    follows: str | None
    batches: int
    rows: int
    erased: int
    head: Head | None
    heads: tuple[Head, ...] = ()
    waiting: int
    fault: Fault | None
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What the whole log came to. `lost` is the oldest saved head that the chain does not hold."""

    batches: int
    rows: int
    erased: int
    waiting: int
    head: Head | None
    fault: Fault | None
    lost: Head | None = None


class Difference(Body):
    """Something that came out otherwise than the log says."""

    field: str
    logged: str
    now: str


class JudgedDraft(Body):
    """A logged draft, with the codes of its faults then and now; None where it was not judged."""

    writer: str
    logged: tuple[str, ...] | None
    now: tuple[str, ...] | None


class WithdrawnPassage(Body):
    """A passage of the attempt that was withdrawn since."""

    passage_id: str
    document: str
    withdrawn_at: datetime


class Replay(Body):
    """What a replay came to."""

    attempt_id: str
    version: int | None
    as_of: date
    asked_at: datetime
    question: str | None
    erased_at: datetime | None
    settings_differ: bool
    agrees: bool
    differences: tuple[Difference, ...]
    drafts: tuple[JudgedDraft, ...]
    withdrawn: tuple[WithdrawnPassage, ...]


def verify_log(
    client: httpx.Client, show: Callable[[int], None] = lambda _: None, *, saved: Iterable[Head] = ()
) -> Verified:
    """Check a tenant's whole log, piece by piece; `show` hears how many rows were checked.

    The pieces are held together here: each must follow the head on which the one before ended, and every saved head
    must be that of its batch. A newer one proves nothing about an older: a chain may have been cut and gone on since.
    """
    missing = {(each.number, each.head): each for each in saved}
    batches = rows = erased = waiting = 0
    head: Head | None = None
    fault: Fault | None = None
    cursor: str | None = "batch-0"
    while cursor is not None and fault is None:
        piece = parsed(client.get(_PATH, params={"cursor": cursor}), _Piece)
        fault = piece.fault
        if fault is None and head is not None and piece.follows not in (None, head.head):
            fault = Fault(finding="CHAIN_BROKEN", batch=head.number + 1)
        batches, rows, erased = batches + piece.batches, rows + piece.rows, erased + piece.erased
        waiting, head, cursor = waiting + piece.waiting, piece.head or head, piece.next_cursor
        for each in piece.heads:
            missing.pop((each.number, each.head), None)
        show(rows)
    lost = missing[min(missing)] if missing else None
    return Verified(batches=batches, rows=rows, erased=erased, waiting=waiting, head=head, fault=fault, lost=lost)


def read_heads(given: str, *, tenant: str) -> tuple[Head, ...]:
    """Read saved heads: one as `number:hash`, or those of a tenant in a file of lines as knowledge writes them.

    Errors: Trouble when it is neither, or the file holds none of the tenant.
    """
    if spelled := _HEAD.fullmatch(given):
        return (Head(number=int(spelled[1]), head=spelled[2]),)
    try:
        lines = [json.loads(line) for line in Path(given).read_text(encoding="utf-8").splitlines() if line.strip()]
        heads = tuple(Head(number=line["batch"], head=line["head"]) for line in lines if line["tenant"] == tenant)
    except OSError as missing:
        raise Trouble(f"{given} is neither number:hash nor a file that can be read.") from missing
    except (ValueError, KeyError, TypeError) as strange:
        raise Trouble(f"{given} holds lines that are no heads.") from strange
    if not heads:
        raise Trouble(f"{given} holds no head of tenant {tenant}.")
    return heads


def replay_attempt(client: httpx.Client, attempt_id: str) -> Replay:
    """Run an attempt again. Errors: Trouble when there is no such attempt, or it has not ended."""
    return parsed(client.get(f"/v1/staff/attempts/{attempt_id}/replay"), Replay)


def is_short(difference: Difference) -> bool:
    """Tell whether both sides of a difference fit into the row of a table."""
    return all(len(each) <= _LONGEST_CELL and "\n" not in each for each in (difference.logged, difference.now))


def told(difference: Difference) -> list[str]:
    """Write a difference whose sides are long: what was logged, and below it what it is now."""
    return [difference.field, *_side("logged", difference.logged), *_side("now", difference.now)]


def _side(name: str, value: str) -> list[str]:
    lines = value.splitlines() or ["—"]
    return [f"  {name if place == 0 else '':<8}{line}" for place, line in enumerate(lines)]
