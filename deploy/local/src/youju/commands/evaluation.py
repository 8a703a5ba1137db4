"""Measure the answers against golden questions."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from knowledge.evaluation.golden import Golden
from knowledge.evaluation.scoring import Library
from knowledge.evaluation.summary import Scored, missed_bars, summarise
from runtime.clock import utc_now
from youju.corpora import publish_scope, read_library
from youju.evaluating import evaluate, scopes_of
from youju.evaluation_report import faults, report, table
from youju.golden_files import of_tenant, read_questions
from youju.home import find_home
from youju.importing import staff
from youju.published import published_library
from youju.releasing import attach_evaluation, current_version
from youju.settings import settings_of
from youju.terminal import CROSS, TICK, show_table
from youju.trouble import Trouble


def run_evaluation(golden: Path, *, tenant: str, manifest: Path | None, as_json: Path | None, attach: bool) -> int:
    """Ask everything, print the table; 1 when a bar that must hold is missed.

    A manifest says what the tenants of the questions' scopes hold, and that is imported where it is not there yet. Without
    one the questions are put to what `tenant` has published. With `attach` each version that was asked gets what was
    measured.
    """
    settings = settings_of(find_home())
    questions = read_questions(golden)
    beside = golden.resolve().parent.parent / "corpora" / "manifest.jsonl"
    documents = manifest or (beside if beside.exists() else None)
    if documents is None:
        questions = tuple(each.model_copy(update={"scope": tenant}) for each in of_tenant(questions, tenant))
        with staff(settings, tenant) as client:
            library = published_library(client, today=utc_now().date())
    else:
        library = _imported(questions, documents, settings)
    rows = tuple(evaluate(settings, questions, library=library, show=lambda n: _show_progress(n, len(questions))))
    if as_json is not None:
        _write(as_json, rows)
    if attach:
        _attach(settings, rows)
    return _print(rows)


def _imported(questions: Sequence[Golden], documents: Path, settings: Mapping[str, str]) -> Library:
    for scope in scopes_of(questions):
        publish_scope(
            find_home(), settings, scope=scope, manifest=documents, show=lambda text: print(f"  … {text}", flush=True)
        )
    return read_library(documents, today=utc_now().date())


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
