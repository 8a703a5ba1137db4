"""Who may say what was wrong with an attempt."""

from collections.abc import Sequence

from knowledge.review.item import Finding, Item, ItemClosedError, NotHeldError, Verdict, VerdictMeanwhileError


def check_may_judge(item: Item, *, reviewer: str) -> None:
    """Let the holder of an open item judge it, and any reviewer correct a closed one.

    Errors: NotHeldError, ItemClosedError for an item that was erased.
    """
    if item.state == "ERASED":
        raise ItemClosedError("This item was erased with its customer.")
    if item.state == "OPEN" and item.held_by != reviewer:
        raise NotHeldError


def check_has_seen(verdicts: Sequence[Verdict], finding: Finding) -> None:
    """Let nobody override a verdict that they have not read. Errors: VerdictMeanwhileError."""
    if finding.seen != len(verdicts):
        raise VerdictMeanwhileError(verdicts[-1] if verdicts else None)


def repeated(verdicts: Sequence[Verdict], finding: Finding, *, reviewer: str) -> Verdict | None:
    """Find the verdict that a request which is sent twice has added already: the one right after what was seen."""
    for verdict in verdicts[finding.seen : finding.seen + 1]:
        if (verdict.layer, verdict.note, verdict.reviewer) == (finding.layer, finding.note, reviewer):
            return verdict
    return None
