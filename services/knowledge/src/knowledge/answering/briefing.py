"""Hand a writer what it may see, under handles that mean nothing to it."""

from collections.abc import Callable
from dataclasses import replace

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
    """Mint one handle per passage of the context; `new_handle` gives text that nobody can guess or count.

    Evidence that did not fit into the context is left out: what has no handle cannot be cited.
    """
    held = {found.passage.passage_id for found in context.found}
    handles: dict[str, None] = {}
    while len(handles) < len(context.found):
        handles[new_handle()] = None
    return Brief(
        question=question,
        question_parts=tuple(part.question_part for part in evidence),
        language=language,
        context=context,
        handles=tuple(handles),
        evidence=tuple(
            replace(part, found=tuple(found for found in part.found if found.passage.passage_id in held))
            for part in evidence
        ),
    )
