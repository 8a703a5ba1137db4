"""Hand a writer what it may see, under handles that mean nothing to it."""

from collections.abc import Callable

from contracts.reasons import Language
from knowledge.answering.draft import Brief, PartEvidence
from knowledge.retrieval.passage import PolicyContext

HandleSource = Callable[[], str]


def make_brief(
    question: str,
    *,
    language: Language,
    context: PolicyContext,
    evidence: tuple[PartEvidence, ...],
    new_handle: HandleSource,
) -> Brief:
    """Mint one handle per passage of the context; `new_handle` gives text that nobody can guess or count."""
    handles: dict[str, None] = {}
    while len(handles) < len(context.found):
        handles[new_handle()] = None
    return Brief(
        question=question,
        question_parts=tuple(part.question_part for part in evidence),
        language=language,
        context=context,
        handles=tuple(handles),
        evidence=evidence,
    )
