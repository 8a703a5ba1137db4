"""Ask like a customer and write down everything a customer can see of the attempt."""

import time
from typing import Final

import httpx

from contracts.answers import CitationView, CitedPassage
from contracts.customer import Attempt, Conversation, Problem
from knowledge.evaluation.observed import Observed, ObservedCitation, ObservedPart
from youju.http import parsed

_TOO_MANY: Final = 429
_DEADLINE_SECONDS: Final = 90
_POLL_SECONDS: Final = 0.2


def observe(client: httpx.Client, question: str) -> Observed:
    """Ask in a conversation of its own and open every citation.

    A failed attempt is an observation too. Errors: Trouble when bff does not even open a conversation.
    """
    opened = parsed(client.post("/v1/conversations"), Conversation)
    place = f"/v1/conversations/{opened.conversation_id}/attempts"
    response, seconds = _ask(client, place, question)
    if not response.is_success:
        return _failed(Problem.model_validate_json(response.content).code, seconds)
    attempt = _finished(client, place, parsed(response, Attempt))
    if attempt.status != "COMPLETED":
        return _failed(str(attempt.failure_code or "KNOWLEDGE_TIMEOUT"), seconds)
    return _observed(client, attempt, seconds)


def _ask(client: httpx.Client, place: str, question: str) -> tuple[httpx.Response, float]:
    while True:
        started = time.perf_counter()
        response = client.post(place, json={"question": question})
        if response.status_code != _TOO_MANY:
            return response, time.perf_counter() - started
        time.sleep(float(response.headers.get("Retry-After", "1")))


def _finished(client: httpx.Client, place: str, attempt: Attempt) -> Attempt:
    deadline = time.monotonic() + _DEADLINE_SECONDS
    while attempt.status == "PENDING" and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
        attempt = parsed(client.get(f"{place}/{attempt.attempt_id}"), Attempt)
    return attempt


def _failed(code: str, seconds: float) -> Observed:
    return Observed(
        failure=code,
        refused=False,
        reason=None,
        handoff="none",
        answer="",
        parts=(),
        citations=(),
        seconds=seconds,
    )


def _observed(client: httpx.Client, attempt: Attempt, seconds: float) -> Observed:
    return Observed(
        failure=None,
        refused=attempt.refused,
        reason=attempt.reason_code,
        handoff=attempt.handoff,
        answer=attempt.answer or "",
        parts=tuple(ObservedPart(part.kind, part.text, part.citations) for part in attempt.parts),
        citations=tuple(_opened(client, citation) for citation in attempt.citations),
        seconds=seconds,
    )


def _opened(client: httpx.Client, citation: CitationView) -> ObservedCitation:
    response = client.get(citation.detail_url)
    detail = CitedPassage.model_validate_json(response.content) if response.is_success else None
    return ObservedCitation(
        index=citation.index,
        title=citation.title,
        revision=citation.revision,
        quote=citation.quote,
        passage=detail.passage if detail is not None else None,
    )
