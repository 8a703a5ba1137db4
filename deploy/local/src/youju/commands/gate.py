"""Run the stored golden cases on a version, and say what came of it and whether it may be published."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import httpx

from youju.gating import ROLES, Measure, Run, Summary, follow_run, read_gate, read_page, read_run, start_run
from youju.home import find_home
from youju.importing import staff
from youju.releasing import current_version, newest_waiting
from youju.settings import settings_of
from youju.tenants import of_tenant
from youju.terminal import CROSS, TICK, show_table
from youju.trouble import Trouble

_WIDTH: Final = 20
# 1 is a miss, 2 a call that makes no sense.
_NOT_GATED: Final = 3


def run_stored(  # noqa: PLR0913 - one argument an option
    *,
    tenant: str,
    version: int | None,
    case_sets: Sequence[str],
    as_json: Path | None,
    page: Path | None,
    gate: bool,
    curve: bool = False,
) -> int:
    """Ask a version every stored case and print what came of it; with `gate`, 1 when it misses the thresholds, 3 without any.

    With `curve` also what it would come to if evidence had to be stronger or could be weaker.
    """
    with staff(settings_of(find_home()), tenant, roles=ROLES) as client:
        number = version or newest_waiting(client) or current_version(client)
        run = follow_run(client, start_run(client, number, case_sets=case_sets).run_id, _show_progress)
        _show(run)
        if curve and run.summary is not None:
            show_table(curve_table(run.summary))
        _keep(client, run, as_json=as_json, page=page)
        standing = read_gate(client, number)
    for sentence in standing.sentences:
        print(f"  {TICK if standing.open else CROSS} {sentence}")
    return _status(run, tenant) if gate else 0


def _status(run: Run, tenant: str) -> int:
    """Say how it ends for CI: what was held to nothing has not passed."""
    if run.verdict == "NOT_GATED":
        print(
            f"  {CROSS} No thresholds were set when the run began, so it was held to nothing."
            f" Set some first: `youju thresholds set{of_tenant(tenant)} 'routeAccuracy>=0.85'`",
            file=sys.stderr,
        )
        return _NOT_GATED
    return 1 if run.verdict == "MISSED" else 0


def curve_table(summary: Summary) -> list[tuple[str, ...]]:
    """Draw wrong answers against needless refusals, from refusing everything on; the last row is where it stands now."""
    rows = [("all refused" if each.strength is None else f"{each.strength:.2f}", each) for each in summary.curve]
    return [
        ("evidence from", "wrong", "", "needless", ""),
        *((name, *_drawn(at.wrong, at.wrong_out_of), *_drawn(at.needless, at.needless_out_of)) for name, at in rows),
        (
            "now",
            *_drawn(summary.point.wrong, summary.point.wrong_out_of),
            *_drawn(summary.point.needless, summary.point.needless_out_of),
        ),
    ]


def _drawn(number: int, out_of: int) -> tuple[str, str]:
    return f"{number}/{out_of}", "█" * round(_WIDTH * number / out_of) if out_of else ""


def _keep(client: httpx.Client, run: Run, *, as_json: Path | None, page: Path | None) -> None:
    for file, read in ((as_json, read_run), (page, read_page)):
        if file is not None:
            _write(file, read(client, run.run_id))
            print(f"  {TICK} {file} is written.")


def _show(run: Run) -> None:
    if run.summary is None:
        raise Trouble("The run ended without a summary.")
    comparison = run.summary.comparison
    before = {} if comparison is None else {each.metric: each for each in comparison.differences}
    rows = [
        (each.title, *_figures(each), _figure(before[each.metric].published) if each.metric in before else "")
        for each in run.summary.measures
        if each.value is not None
    ]
    print(f"  Version {run.version}, {run.summary.questions} questions, settings {run.fingerprint}")
    show_table([("metric", "value", "95 %", "count", "published"), *rows])
    if comparison is not None:
        told = f"{comparison.won} won, {comparison.lost} lost, {comparison.unchanged} unchanged"
        print(f"  Against version {run.published}: {told} (p = {comparison.probability:.3f})")


def _figures(measure: Measure) -> tuple[str, str, str]:
    interval = f"{_figure(measure.low)} to {_figure(measure.high)}"
    return _figure(measure.value), interval, f"{measure.number}/{measure.out_of}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _show_progress(run: Run) -> None:
    if sys.stdout.isatty() and run.state == "RUNNING":
        print(f"  … {run.done} of {run.total} questions", end="\r", flush=True)


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as refused:
        raise Trouble(f"{file} cannot be written: {refused.strerror}.") from refused
