"""Show an evaluation as a table for people and as JSON for programs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from knowledge.evaluation.intervals import Rate
from knowledge.evaluation.summary import Scored, Summary, grouped, missed_bars, summarise

_HEAD: Final = (
    "category",
    "lang",
    "n",
    "route",
    "evidence",
    "quotes",
    "unsupported",
    "wrong",
    "needless",
    "stale",
    "failed",
    "p50 ms",
    "p95 ms",
)


def table(rows: Sequence[Scored]) -> list[tuple[str, ...]]:
    """Write one line for each category and language and one for all; every count beside what it is out of."""
    lines = [_line(category, lang, summarise(members)) for (category, lang), members in grouped(rows).items()]
    return [_HEAD, *lines, _line("all", "", summarise(rows))]


def faults(rows: Sequence[Scored]) -> list[str]:
    """Write one line for every question that went wrong, with the reason."""
    return [f"{row.golden.id}: {why}" for row in rows for why in _faults(row)]


def report(rows: Sequence[Scored]) -> dict[str, object]:
    """Give everything that was measured, question by question."""
    total = summarise(rows)
    return {
        "total": _summary(total),
        "missedBars": missed_bars(total),
        "groups": [
            {"category": category, "lang": lang, **_summary(summarise(members))}
            for (category, lang), members in grouped(rows).items()
        ],
        "questions": [_question(row) for row in rows],
    }


def _line(category: str, lang: str, summary: Summary) -> tuple[str, ...]:
    return (
        category,
        lang,
        str(summary.questions),
        _rate(summary.routes_right),
        _rate(summary.evidence_hits),
        _rate(summary.quotes_verbatim),
        _rate(summary.unsupported_claims),
        _rate(summary.wrong_answers),
        _rate(summary.needless_refusals),
        _rate(summary.stale_citations),
        str(summary.failures),
        _milliseconds(summary.seconds_p50),
        _milliseconds(summary.seconds_p95),
    )


def _rate(rate: Rate) -> str:
    return f"{rate.number}/{rate.out_of}" if rate.out_of else "-"


def _milliseconds(seconds: float | None) -> str:
    return f"{seconds * 1000:.0f}" if seconds is not None else "-"


def _faults(row: Scored) -> list[str]:
    score, observed = row.score, row.observed
    shown = "/".join(sorted(observed.routes))
    found = [f"wrong answer: {reason}" for reason in score.wrong_because]
    found += [f"unsupported claim: {claim}" for claim in score.unsupported_claims]
    if observed.failure is not None:
        found.append(f"failed: {observed.failure}")
    elif score.needless_refusal:
        found.append(f"needless refusal: {shown}")
    elif not score.route_right and observed.refused:
        found.append(f"wrong route: {shown}, acceptable {', '.join(row.golden.acceptable_routes)}")
    if score.stale_citations:
        found.append("stale evidence is cited")
    return found


def _summary(summary: Summary) -> dict[str, object]:
    return {
        "questions": summary.questions,
        "failures": summary.failures,
        "routesRight": summary.routes_right._asdict(),
        "evidenceHits": summary.evidence_hits._asdict(),
        "quotesVerbatim": summary.quotes_verbatim._asdict(),
        "unsupportedClaims": summary.unsupported_claims._asdict(),
        "wrongAnswers": summary.wrong_answers._asdict(),
        "needlessRefusals": summary.needless_refusals._asdict(),
        "staleCitations": summary.stale_citations._asdict(),
        "escalationsAnswered": summary.escalations_answered,
        "secondsP50": summary.seconds_p50,
        "secondsP95": summary.seconds_p95,
    }


def _question(row: Scored) -> dict[str, object]:
    golden, observed = row.golden, row.observed
    return {
        "id": golden.id,
        "category": golden.category,
        "lang": golden.lang,
        "scope": golden.scope,
        "question": golden.question,
        "acceptableRoutes": golden.acceptable_routes,
        "routes": sorted(observed.routes),
        "answer": observed.answer,
        "citations": [asdict(citation) for citation in observed.citations],
        "seconds": observed.seconds,
        "score": asdict(row.score),
    }
