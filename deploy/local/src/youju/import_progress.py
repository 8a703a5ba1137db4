"""Show in a terminal how far an import is, and how it ended."""

import sys
from collections.abc import Callable
from typing import Final

from youju.importing import ImportState, shown_problem
from youju.terminal import CROSS, TICK

# More of them nobody reads in a terminal; the staff API lists all.
_SHOWN_PROBLEMS: Final = 20
_MINUTE: Final = 60
_WIDTH: Final = 100


def progress() -> Callable[[ImportState], None]:
    """Give a counter that overwrites itself, on a terminal only."""

    def show(state: ImportState) -> None:
        if sys.stdout.isatty():
            print(f"  … {progress_line(state):<{_WIDTH}}", end="\r", flush=True)

    return show


def pending_progress() -> Callable[[int], None]:
    """Give a counter of passages that wait for the vectors of their sentences, on a terminal only."""

    def show(pending: int) -> None:
        if sys.stdout.isatty():
            print(f"  … {f'{pending:,} passages wait for their sentences':<{_WIDTH}}", end="\r", flush=True)

    return show


def progress_line(state: ImportState) -> str:
    """Say how many files were read, how many passages can be found, and how long the present step may take."""
    line = f"{state.files_done:,} of {state.files_total:,} files"
    if state.passages:
        line += f", {state.vectors:,} of {state.passages:,} passages"
    return line if state.seconds_left is None else f"{line}, about {_duration(state.seconds_left)} left in this step"


def show_import(state: ImportState, version: int) -> None:
    """Say what was staged, what changed, and which files were left out."""
    print(f"  {TICK} Version {version}: {state.files_done} files, {state.passages} passages{_changes(state)}.")
    if not state.problems_total:
        return
    print(f"  {CROSS} Faulty files are left out, {state.problems_total} problem(s):")
    for problem in state.problems[:_SHOWN_PROBLEMS]:
        print(f"    {shown_problem(problem)}")
    if (more := state.problems_total - _SHOWN_PROBLEMS) > 0:
        print(f"    … and {more} more; the staff API lists all of them.")


def _changes(state: ImportState) -> str:
    changes = state.changes
    if changes is None:
        return ""
    if not changes.added + changes.changed + changes.removed:
        return "; no document changed"
    counts = {"new": changes.added, "changed": changes.changed, "removed": changes.removed}
    told = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    return f"; documents: {told}, {changes.unchanged} unchanged"


def _duration(seconds: int) -> str:
    return f"{seconds} s" if seconds < 2 * _MINUTE else f"{round(seconds / _MINUTE)} min"
