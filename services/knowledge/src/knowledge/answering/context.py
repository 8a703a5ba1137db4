"""Joins what the searches of several question parts found into the one policy context an attempt may cite."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from uuid import UUID

from knowledge.answering.draft import PartEvidence
from knowledge.retrieval.passage import Candidate, Found, PolicyContext
from knowledge.versions.routing_policy import Bounds


def led_by_evidence(context: PolicyContext, evidence: PartEvidence) -> PolicyContext:
    """Put what a part may be answered from first, so that a full context does not lose it."""
    chosen = {found.passage.passage_id for found in evidence.found}
    others = (found for found in context.found if found.passage.passage_id not in chosen)
    return replace(context, found=(*evidence.found, *others))


def join_contexts(contexts: tuple[PolicyContext, ...], *, bounds: Bounds) -> PolicyContext:
    """Join contexts of one version: the best of every part first, each passage once, within the bounds.

    Shapes: `contexts` holds one per question part and is never empty; one context comes back as it is.
    """
    if len(contexts) == 1:
        return contexts[0]
    return PolicyContext(
        version=contexts[0].version,
        found=tuple(_bounded(_in_turn(contexts), bounds)),
        candidates=tuple(_best_candidates(contexts)),
        term_idf={term: idf for context in contexts for term, idf in context.term_idf.items()},
        conflicts=tuple(dict.fromkeys(each for context in contexts for each in context.conflicts)),
    )


def _in_turn(contexts: tuple[PolicyContext, ...]) -> Iterator[Found]:
    longest = max(len(context.found) for context in contexts)
    for rank in range(longest):
        yield from (context.found[rank] for context in contexts if rank < len(context.found))


def _bounded(found: Iterable[Found], bounds: Bounds) -> Iterator[Found]:
    seen: set[UUID] = set()
    characters = 0
    for each in found:
        if each.passage.passage_id in seen:
            continue
        characters += len(each.passage.text)
        if len(seen) == bounds.context_passages or (seen and characters > bounds.context_characters):
            return
        seen.add(each.passage.passage_id)
        yield each


def _best_candidates(contexts: tuple[PolicyContext, ...]) -> Iterable[Candidate]:
    best: dict[UUID, Candidate] = {}
    for candidate in (candidate for context in contexts for candidate in context.candidates):
        known = best.setdefault(candidate.passage_id, candidate)
        if candidate.scores.fused > known.scores.fused:
            best[candidate.passage_id] = candidate
    return sorted(best.values(), key=lambda candidate: -candidate.scores.fused)
