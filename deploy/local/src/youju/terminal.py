"""Print for people: ticks, crosses, step lists that stay short."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

from youju.progress import Event
from youju.trouble import Trouble

TICK: Final = "✓"
CROSS: Final = "✗"
_STEP_WIDTH: Final = 44
Item = TypeVar("Item")


def show_step(event: Event) -> None:
    """Print a step when it is done; on a terminal also while it runs."""
    if event.kind == "begin" and sys.stdout.isatty():
        print(f"  … {event.text}", end="\r", flush=True)
    if event.kind == "done":
        print(f"  {TICK} {event.text:<{_STEP_WIDTH}}{event.seconds:6.1f} s", flush=True)


def show_trouble(trouble: Trouble) -> None:
    """Print one sentence, and the lines that explain it."""
    print(f"{CROSS} {trouble.sentence}", file=sys.stderr)
    for line in trouble.details:
        print(f"    {line}", file=sys.stderr)


def or_say(nothing: str, listed: Iterable[Item]) -> Iterator[Item]:
    """Give what is listed; where there is none, print a sentence instead of nothing at all."""
    is_empty = True
    for each in listed:
        is_empty = False
        yield each
    if is_empty:
        print(f"  {nothing}")


def show_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows with columns as wide as their widest cell."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
