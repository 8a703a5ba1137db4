"""Print for people: ticks, crosses, step lists that stay short."""

import sys
from collections.abc import Sequence
from typing import Final

from youju.progress import Event
from youju.trouble import Trouble

TICK: Final = "✓"
CROSS: Final = "✗"
_STEP_WIDTH: Final = 44


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


def show_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows with columns as wide as their widest cell."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
