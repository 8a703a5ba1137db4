"""Writes the questions of a run, those first that a person has to look at."""

from collections.abc import Mapping, Sequence
from typing import Final

from knowledge.evaluation.golden import Golden
from knowledge.evaluation.measuring import CaseResult
from knowledge.evaluation.page.markup import Markup, element, foreign, joined

_ORDER: Final = ("lost", "won", "wrong", "changed")


def write_rows(
    cases: Mapping[str, Golden], candidate: Sequence[CaseResult], published: Mapping[str, CaseResult]
) -> Markup:
    """Write every question that was lost, won, is wrong or changed; the others are only counted."""
    marked = [(mark_of(each, published.get(each.case_id)), each) for each in candidate]
    shown = sorted((row for row in marked if row[0] is not None), key=lambda row: _ORDER.index(row[0] or "changed"))
    rows = [_row(mark or "changed", cases[each.case_id], each, published.get(each.case_id)) for mark, each in shown]
    rest = len(candidate) - len(shown)
    return joined(*rows, element("p", f"{rest} more are right, and as before where they were compared.", class_="soft"))


def mark_of(result: CaseResult, before: CaseResult | None) -> str | None:
    """Say why a question is to be looked at; None when it is not."""
    if before is not None and before.right != result.right:
        return "won" if result.right else "lost"
    if not result.right:
        return "wrong"
    is_same = before is None or (before.routes, before.answer) == (result.routes, result.answer)
    return None if is_same else "changed"


def _row(mark: str, golden: Golden, result: CaseResult, before: CaseResult | None) -> Markup:
    return element(
        "details",
        element("summary", element("b", mark), foreign(golden.question)),
        element("p", f"{golden.id} · {golden.set} · {golden.category} · {golden.lang}", class_="soft"),
        element("p", f"Expected: {' or '.join(golden.acceptable_routes)}."),
        foreign_list(result.why),
        _side("This version", result),
        _side("Published", before) if before is not None else Markup(),
    )


def foreign_list(sentences: Sequence[str]) -> Markup:
    """Write sentences that may hold foreign text as a list; nothing for none."""
    return element("ul", *(element("li", foreign(each)) for each in sentences)) if sentences else Markup()


def _side(name: str, result: CaseResult) -> Markup:
    said = element("blockquote", foreign(result.answer)) if result.answer else Markup()
    cited = [f"{each.document} ({each.revision}): {each.quote}" for each in result.citations]
    return joined(
        element("p", f"{name}: {' / '.join(result.routes)}, {result.seconds:.2f} s"), said, foreign_list(cited)
    )
