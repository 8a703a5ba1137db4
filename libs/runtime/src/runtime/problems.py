"""Errors as RFC 9457 problem documents: the only place where a code becomes an HTTP status."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import Send

from contracts.customer import FieldError, Problem
from contracts.errors import InvalidRequestError, LimitedError, UnavailableError, YoujuError
from contracts.faults import reason_of
from runtime.logging import get_logger
from runtime.telemetry import current_trace_id

MEDIA_TYPE: Final = "application/problem+json"

STATUS: Final[dict[str, int]] = {
    "INVALID_REQUEST": 400,
    "UNAUTHENTICATED": 401,
    "FORBIDDEN": 403,
    "NOT_FOUND": 404,
    "CONFLICT": 409,
    "TOO_LARGE": 413,
    "RATE_LIMITED": 429,
    "UNAVAILABLE": 503,
    "TRY_AGAIN": 503,
    "GIVE_UP": 502,
    "KNOWLEDGE_UNAVAILABLE": 503,
    "KNOWLEDGE_TIMEOUT": 504,
    "KNOWLEDGE_ERROR": 502,
    "VALIDATION_FAILED": 502,
    "EMPTY_STREAM": 502,
    "ABANDONED": 503,
    "CANCELLED": 409,
    "INTERNAL": 500,
}
_SERVER_ERROR: Final = 500
_METHODS: Final = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
_RETRY_AFTER_SECONDS: Final = 2

_log = get_logger("problems")


def install_problems(app: FastAPI, *, statuses: Mapping[str, int] | None = None) -> None:
    """Answer every error of an application with a problem document. `statuses` adds a service's own codes."""
    table = STATUS | dict(statuses or {})

    async def known(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, YoujuError)  # noqa: S101 - the handler is registered for this class
        return _answer(request, error, status=table.get(error.code, _SERVER_ERROR))

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - as above
        faults = tuple(_fault(each["loc"], reason_of(each)) for each in error.errors())
        return _answer(request, InvalidRequestError(_first_fault(faults)), status=400, errors=faults)

    async def routed(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)  # noqa: S101 - as above
        plain = YoujuError(HTTPStatus(error.status_code).phrase + ".")
        answer = _answer(request, plain, status=error.status_code, code=_code_of(error.status_code))
        answer.headers.update(error.headers or {})
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            answer.headers["Allow"] = ", ".join(_methods_of(request))
        return answer

    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        _log.error("request_failed", path=request.url.path, exc_info=error)
        return _answer(request, YoujuError("Something went wrong on our side."), status=_SERVER_ERROR)

    app.add_exception_handler(YoujuError, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, routed)
    app.add_exception_handler(Exception, unexpected)


async def send_problem(send: Send, error: YoujuError, *, status: int) -> None:
    """Answer with a problem document from outside the application: for what no handler may see."""
    problem = Problem(
        type=_type_of(error.code),
        title=HTTPStatus(status).phrase,
        status=status,
        detail=error.detail,
        instance=None,
        code=error.code,
        attempt_id=None,
        trace_id=None,
    )
    body = problem.model_dump_json().encode()
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _methods_of(request: Request) -> list[str]:
    """List what all routes of a path accept together; Starlette names those of the first alone."""
    scopes = ((method, {**request.scope, "method": method}) for method in _METHODS)
    routes: list[BaseRoute] = request.app.router.routes
    return [method for method, scope in scopes if any(route.matches(dict(scope))[0] is Match.FULL for route in routes)]


def _type_of(code: str) -> str:
    return f"urn:youju:problem:{code.lower().replace('_', '-')}"


def _code_of(status: int) -> str:
    own = (code for code, known in STATUS.items() if known == status)
    return next(own, HTTPStatus(status).name)


def _fault(place: tuple[str | int, ...], message: str) -> FieldError:
    return FieldError(field=".".join(str(step) for step in place), message=message)


def _first_fault(faults: tuple[FieldError, ...]) -> str:
    return f"{faults[0].field}: {faults[0].message}." if faults else "The request is not valid."


def _answer(
    request: Request,
    error: YoujuError,
    *,
    status: int,
    code: str | None = None,
    errors: tuple[FieldError, ...] = (),
) -> JSONResponse:
    code = code or error.code
    problem = Problem(
        type=_type_of(code),
        title=HTTPStatus(status).phrase,
        status=status,
        detail=error.detail,
        instance=request.url.path,
        code=code,
        attempt_id=error.attempt_id or request.path_params.get("attempt_id"),
        trace_id=current_trace_id(),
        ticket_number=error.ticket_number,
        errors=errors,
    )
    return JSONResponse(problem.model_dump(mode="json"), status, _headers(error, status), MEDIA_TYPE)


def _headers(error: YoujuError, status: int) -> dict[str, str]:
    headers = {"Cache-Control": "no-store"}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, LimitedError):
        headers["Retry-After"] = str(error.retry_after_seconds)
    elif isinstance(error, UnavailableError):
        headers["Retry-After"] = str(_RETRY_AFTER_SECONDS)
    return headers
