"""Measure the answers against golden questions."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from knowledge.evaluation.summary import Scored, missed_bars, summarise
from runtime.clock import utc_now
from youju.corpora import publish_scope, read_library
from youju.evaluating import evaluate, scopes_of
from youju.evaluation_report import faults, report, table
from youju.golden_files import read_questions
from youju.home import find_home
from youju.importing import staff
from youju.releasing import attach_evaluation, current_version
from youju.settings import settings_of
from youju.terminal import CROSS, TICK, show_table
from youju.trouble import Trouble


def run_evaluation(golden: Path, *, manifest: Path | None, as_json: Path | None, attach: bool) -> int:
    """Import what is needed, ask everything, print the table; 1 when a bar that must hold is missed.

    With `attach` each scope's version gets what was measured over the questions of the scope.
    """
    home = find_home()
    settings = settings_of(home)
    questions = read_questions(golden)
    documents = manifest or golden.resolve().parent.parent / "corpora" / "manifest.jsonl"
    library = read_library(documents, today=utc_now().date())
    for scope in scopes_of(questions):
        publish_scope(
            home, settings, scope=scope, manifest=documents, show=lambda text: print(f"  … {text}", flush=True)
        )
    rows = tuple(evaluate(settings, questions, library=library, show=lambda n: _show_progress(n, len(questions))))
    if as_json is not None:
        _write(as_json, rows)
    if attach:
        _attach(settings, rows)
    return _print(rows)


def _attach(settings: Mapping[str, str], rows: Sequence[Scored]) -> None:
    for scope in scopes_of([row.golden for row in rows]):
        with staff(settings, scope) as client:
            version = current_version(client)
            attach_evaluation(client, version, report([row for row in rows if row.golden.scope in (scope, None)]))
        print(f"  {TICK} Attached to version {version} of {scope}.")


def _print(rows: Sequence[Scored]) -> int:
    for line in faults(rows):
        print(f"  {line}")
    print()
    show_table(table(rows))
    print()
    missed = missed_bars(summarise(rows))
    for sentence in missed:
        print(f"  {CROSS} {sentence}.")
    if not missed:
        print(f"  {TICK} Every quote is verbatim, every claim carried, nothing stale, no escalation topic answered.")
    return 1 if missed else 0


def _write(file: Path, rows: Sequence[Scored]) -> None:
    try:
        file.write_text(json.dumps(report(rows), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as refused:
        raise Trouble(f"{file} cannot be written: {refused.strerror}.") from refused


def _show_progress(number: int, total: int) -> None:
    if sys.stdout.isatty():
        print(f"  … {number} of {total} questions", end="\r" if number < total else "\n", flush=True)
