"""Ask knowledge: one fresh token a call, the deadline in a header, its events checked, its errors in our words."""

import json
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from datetime import timedelta
from http import HTTPStatus
from typing import Final
from uuid import UUID

import httpx
from httpx_sse import EventSource, ServerSentEvent, SSEError
from pydantic import ValidationError

from bff.attempts.attempt import Assignment, Attempt, Completed, Failed, Turn
from bff.attempts.failures import (
    AbandonedError,
    AttemptFailedError,
    EmptyStreamError,
    KnowledgeFaultError,
    KnowledgeTimeoutError,
    KnowledgeUnavailableError,
    failed,
    failure_of,
)
from bff.attempts.reading import BrokenStreamError, check_consistent, linked
from contracts.answers import AnswerRequest, CitedPassage, EarlierTurn, LoggedAnswer
from contracts.errors import NotFoundError, UnavailableError
from contracts.ids import printed
from contracts.service_token import (
    AUDIENCE_KNOWLEDGE,
    DEADLINE_HEADER,
    LIFETIME_SECONDS,
    ServiceClaims,
)
from contracts.stream import KNOWLEDGE_EVENT, KnowledgeEvent
from runtime.clock import Clock
from runtime.http import CONNECT_SECONDS
from runtime.tokens import Keys, sign

_ANSWERS: Final = "/v1/answers"
# Knowledge ends in time to say so itself: then both logs hold the same failure.
_MARGIN_SECONDS: Final = 0.5
_UNAVAILABLE: Final = frozenset({429, 503})


class HttpKnowledge:
    """Knowledge behind HTTP."""

    def __init__(self, client: httpx.AsyncClient, *, keys: Keys, clock: Clock) -> None:
        """Use a client bound to knowledge's address and the key set that signs service tokens."""
        self._client = client
        self._keys = keys
        self._clock = clock

    async def answer(self, assignment: Assignment, *, seconds: float) -> AsyncGenerator[KnowledgeEvent]:
        """Ask, and give the events as they come.

        Repeat: knowledge answers the same attempt id with its first result.
        Errors: AttemptFailedError.
        """
        attempt = assignment.attempt
        headers = self._headers(attempt, segments=attempt.segments, method="POST", path=_ANSWERS)
        left = max(seconds - _MARGIN_SECONDS, 0.0)
        headers |= {DEADLINE_HEADER: str(int(left * 1000)), "Accept": "text/event-stream"}
        body = _request(attempt, assignment.history).model_dump(mode="json")
        with _failures():
            timeout = httpx.Timeout(seconds, connect=CONNECT_SECONDS)
            async with self._client.stream("POST", _ANSWERS, json=body, headers=headers, timeout=timeout) as response:
                _check_status(response)
                async for event in EventSource(response).aiter_sse():
                    yield _event(event)

    async def logged_answer(self, attempt: Attempt) -> Completed | Failed:
        """Give how knowledge's own log says the attempt ended; ABANDONED when it never began or did not finish.

        Errors: AttemptFailedError when knowledge cannot be asked.
        """
        path = f"/v1/attempts/{printed('att', attempt.attempt_id)}"
        with _failures():
            headers = self._headers(attempt, segments=attempt.segments, method="GET", path=path)
            response = await self._client.get(path, headers=headers)
            if response.status_code == HTTPStatus.NOT_FOUND:
                return failed(AbandonedError())
            _check_status(response)
            return _logged(attempt, LoggedAnswer.model_validate_json(response.content))

    async def cited_passage(self, attempt: Attempt, index: int, *, segments: tuple[str, ...]) -> CitedPassage:
        """Give the whole passage behind a citation, if the segments of whoever reads it now may still see it.

        Errors: NotFoundError, UnavailableError.
        """
        path = f"/v1/attempts/{printed('att', attempt.attempt_id)}/citations/{index}"
        headers = self._headers(attempt, segments=segments, method="GET", path=path)
        try:
            response = await self._client.get(path, headers=headers)
            if response.status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.FORBIDDEN):
                raise NotFoundError
            response.raise_for_status()
            return _passage(response)
        except (httpx.HTTPError, ValidationError) as lost:
            raise UnavailableError from lost

    def _headers(self, attempt: Attempt, *, segments: tuple[str, ...], method: str, path: str) -> dict[str, str]:
        claims = ServiceClaims(
            tenant=attempt.tenant,
            actor=attempt.customer,
            segments=segments,
            attempt_id=printed("att", attempt.attempt_id),
            method=method,
            path=path,
        )
        token = sign(
            self._keys,
            claims.model_dump(mode="json"),
            audience=AUDIENCE_KNOWLEDGE,
            now=self._clock(),
            lifetime=timedelta(seconds=LIFETIME_SECONDS),
        )
        return {"Authorization": f"Bearer {token}"}


def _request(attempt: Attempt, history: tuple[Turn, ...]) -> AnswerRequest:
    retried: UUID | None = attempt.retry_of_attempt_id
    return AnswerRequest(
        attempt_id=printed("att", attempt.attempt_id),
        conversation_id=printed("cnv", attempt.conversation_id),
        retry_of_attempt_id=None if retried is None else printed("att", retried),
        question=attempt.question,
        language=attempt.language,
        as_of=attempt.as_of,
        asked_at=attempt.asked_at,
        facts=attempt.facts,
        typed_facts=attempt.typed_facts,
        earlier_turns=tuple(
            EarlierTurn(question=turn.question, answered=not turn.refused and turn.failure_code is None)
            for turn in reversed(history)
        ),
        channel=attempt.channel,
    )


@contextmanager
def _failures() -> Generator[None]:
    try:
        yield
    except httpx.TimeoutException as late:
        raise _timed_out(late) from late
    except (SSEError, ValidationError, ValueError) as invalid:
        raise BrokenStreamError from invalid
    except (httpx.ConnectError, httpx.PoolTimeout) as absent:
        raise KnowledgeUnavailableError from absent
    except httpx.HTTPError as cut:
        raise KnowledgeFaultError from cut


def _timed_out(late: httpx.TimeoutException) -> AttemptFailedError:
    connecting = isinstance(late, httpx.ConnectTimeout | httpx.PoolTimeout)
    return KnowledgeUnavailableError() if connecting else KnowledgeTimeoutError()


def _check_status(response: httpx.Response) -> None:
    if response.status_code in _UNAVAILABLE:
        raise KnowledgeUnavailableError
    if response.status_code == HTTPStatus.GATEWAY_TIMEOUT:
        raise KnowledgeTimeoutError
    if response.status_code == HTTPStatus.NO_CONTENT:
        raise EmptyStreamError
    if response.status_code != HTTPStatus.OK:
        raise KnowledgeFaultError


def _event(event: ServerSentEvent) -> KnowledgeEvent:
    # The name comes in front of what the data holds already, which spares it a second reading.
    if not event.data.startswith("{"):
        raise BrokenStreamError
    rest = event.data[1:].lstrip()
    name = json.dumps(event.event)
    return KNOWLEDGE_EVENT.validate_json(f'{{"event":{name}{"" if rest.startswith("}") else ","}{rest}')


def _logged(attempt: Attempt, answer: LoggedAnswer) -> Completed | Failed:
    if answer.failure_code is not None:
        return failed(failure_of(answer.failure_code))
    if answer.outcome is None:
        return failed(AbandonedError())
    completed = Completed(
        outcome=answer.outcome,
        citations=tuple(linked(attempt, citation) for citation in answer.citations),
        knowledge_version=answer.knowledge_version,
        documents=answer.documents,
        areas=answer.areas,
    )
    check_consistent(completed)
    return completed


def _passage(response: httpx.Response) -> CitedPassage:
    return CitedPassage.model_validate_json(response.content)
