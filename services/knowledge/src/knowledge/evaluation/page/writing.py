"""Writes the page of a run."""

from collections.abc import Mapping, Sequence
from typing import Final

from knowledge.evaluation.golden import Golden
from knowledge.evaluation.measuring import CaseResult
from knowledge.evaluation.page.drawing import draw_changes, draw_curve, draw_measures
from knowledge.evaluation.page.markup import Markup, element, joined, table
from knowledge.evaluation.page.rows import foreign_list, write_rows
from knowledge.evaluation.page.style import STYLE
from knowledge.evaluation.run import Run
from knowledge.evaluation.summing import ComparisonView, DifferenceView, MeasureView, RunSummary

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_SLICED: Final = ("routeAccuracy", "answerCorrectness", "wrongAnswers", "needlessRefusals", "evidenceHit", "recallAt3")
_VERDICTS: Final = {
    "PASSED": "✓ Passed: every threshold is reached.",
    "MISSED": "✗ Missed: it cannot be published.",
    "NOT_GATED": "○ Not gated: no thresholds were set when it began.",
}


def write_page(
    run: Run, cases: Mapping[str, Golden], *, candidate: Sequence[CaseResult], published: Sequence[CaseResult]
) -> str:
    """Write a run as a whole HTML document; of one that is not done, what there is so far."""
    summary = None if run.summary is None else RunSummary.model_validate(run.summary)
    before = {each.case_id: each for each in published}
    title = f"Evaluation of version {run.version}"
    body = joined(
        _head(run, title),
        *(_plots(summary) if summary is not None else ()),
        element("h2", "Questions"),
        write_rows(cases, candidate, before),
        _settings(run),
    )
    head = joined(
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(STYLE)),
    )
    return f"<!doctype html>\n{element('html', element('head', head), element('body', body), lang='en')}\n"


def _head(run: Run, title: str) -> Markup:
    against = f", compared with version {run.published}" if run.published is not None else ""
    when = f"{run.started_at:%Y-%m-%d %H:%M} UTC"
    verdict = _VERDICTS.get(run.verdict or "", f"… {run.state.lower()}: {run.done} of {run.total} questions asked.")
    return joined(
        element("h1", title),
        element("p", f"Started by {run.started_by} on {when}{against}. Sets: {', '.join(run.case_sets)}.", class_="soft"),
        element("div", element("strong", verdict), foreign_list([each["sentence"] for each in run.missed]), class_="verdict"),
    )  # fmt: skip


def _plots(summary: RunSummary) -> list[Markup]:
    comparison = summary.comparison
    published = {each.metric: each.published for each in comparison.differences} if comparison is not None else {}
    return [
        element("h2", f"Metrics over {summary.questions} questions"),
        _key(comparison),
        element("div", draw_measures(summary.measures, published), class_="wide"),
        *([] if comparison is None else _comparison(comparison)),
        element("h2", "Trade-off: wrong answers against needless refusals"),
        element("p", "Each dot is what would happen if evidence had to be at least so strong.", class_="soft"),
        draw_curve(summary.curve, summary.point),
        element("h2", "By set, category and language"),
        element("div", _slices(summary), class_="wide"),
    ]


def _key(comparison: ComparisonView | None) -> Markup:
    parts = ["● this version, with its 95 % interval", "↑ higher is better", "↓ lower is better"]
    if comparison is not None:
        parts.insert(1, "◇ published version")
    return element("p", *(element("span", each) for each in parts), class_="soft key")


def _comparison(comparison: ComparisonView) -> list[Markup]:
    told = (
        f"{comparison.won} questions are won, {comparison.lost} lost and {comparison.unchanged} unchanged; "
        f"{comparison.differing} of {comparison.questions} end differently. So uneven a split has a probability of "
        f"{comparison.probability:.3f} (McNemar, exact, two-sided)."
    )
    rows = [_difference(each) for each in comparison.differences]
    head = ("metric", "this version", "published", "chance", "worse")
    return [
        element("h2", "Against the published version"),
        element("p", told),
        draw_changes(comparison),
        element("div", table(head, rows), class_="wide"),
    ]


def _difference(each: DifferenceView) -> tuple[str | Markup, ...]:
    if each.probability is not None:
        chance = f"p = {each.probability:.3f}"
    else:
        chance = "too few differ" if each.low is None else f"[{each.low:+.3f}, {each.high or 0:+.3f}]"
    return (each.metric, _figure(each.candidate), _figure(each.published), chance, "✗ worse" if each.worse else "–")


def _slices(summary: RunSummary) -> Markup:
    titles = {each.metric: each.title for each in summary.measures}
    rows = [
        (each.name, str(each.questions), *(_measured(each.measures, metric) for metric in _SLICED))
        for each in summary.slices
    ]
    return table(("slice", "n", *(titles[metric] for metric in _SLICED)), [(*row,) for row in rows])


def _measured(measures: Sequence[MeasureView], metric: str) -> str:
    found = next(each for each in measures if each.metric == metric)
    if found.value is None:
        return "–"
    return f"{found.value:.2f} [{found.low or 0:.2f}, {found.high or 0:.2f}]"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _settings(run: Run) -> Markup:
    rows: list[tuple[str | Markup, ...]] = [(name, digest) for name, digest in sorted(run.settings.items())]
    listed = table(("setting", "digest"), rows)
    return element("details", element("summary", f"Settings {run.fingerprint}"), listed)
