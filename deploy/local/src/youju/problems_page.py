"""Write the page that lists every problem type, from the code that answers with them."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Final

from bff import main as bff
from bff.api.problems import STATUSES as BFF_STATUSES
from contracts.errors import YoujuError
from contracts.reasons import RETRYABLE_FAILURES, FailureCode
from knowledge import main as knowledge
from runtime.problems import STATUS
from youju.home import CHECKOUT

PAGE: Final = CHECKOUT / "docs" / "problems.md"
_INTRODUCTION: Final = """# Problems

Every error is a problem document ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)), `application/problem+json`. `code` says what went wrong and is stable for
ever; `type` is the same as a URN (`urn:youju:problem:attempt-pending`); `detail` is a sentence for a person and may change. The list grows: treat a code you do not
know by its status. `traceId` is what support asks for. A refusal is no problem: it is a COMPLETED attempt. What a client does: [integrating](integrating.md).
A test holds this page equal to the code; `make openapi` writes it.
"""
# What a client does, where the status alone does not say it.
_TODO: Final[Mapping[int, str]] = {
    400: "Mend the request; `errors` names the fields",
    401: "Open another session, then repeat",
    403: "Nothing; the identity or the page is not allowed",
    404: "Treat it as gone",
    405: "Call what the contract names",
    409: "Read the state again; do not repeat",
    413: "Send less",
    429: "Wait as `Retry-After` says, then repeat with the same key",
    431: "Send a shorter head",
    503: "Wait as `Retry-After` says, then repeat with the same key",
}
_ENDED: Final = "The attempt has failed: offer a retry (`POST …/retry`)"
_TODO_OF_CODE: Final[Mapping[str, str]] = {
    **{code.value: _ENDED for code in RETRYABLE_FAILURES},
    FailureCode.CANCELLED.value: "Read the attempt: the customer, or a person who took over, ended it",
    FailureCode.INTERNAL.value: "Repeat with the same key, ever more slowly; with an `attemptId` offer a retry",
    "CONVERSATION_WITH_PERSON": "Show the ticket and follow the escalation",
    "ATTEMPT_PENDING": "Follow or cancel the attempt that runs",
    "IDEMPOTENCY_CONFLICT": "Mend the client: a wish has one key, a key one wish",
    "RETRY_LIMIT": "Offer a person",
    "NO_PUBLISHED_VERSION": "Publish a version first",
}
# Between our own services and to helpdesks; no client of the HTTP APIs sees them.
_INSIDE: Final = frozenset({"TRY_AGAIN", "GIVE_UP"})
# Their errors are listed, and loading a service declares them.
_SERVICES: Final = tuple(f"{module.__name__.partition('.')[0]}." for module in (bff, knowledge))
# Problems of the HTTP frame itself, which have no error of ours behind them.
_FRAME: Final = {"METHOD_NOT_ALLOWED": 405}


def problems_page() -> str:
    """Give the page: the problems of the customer API first, then those that only staff may meet."""
    customer = {**STATUS, **BFF_STATUSES, **_FRAME}
    others = {code: status for code, status in knowledge.STATUSES.items() if code not in customer}
    return "\n".join(
        (_INTRODUCTION, "## Customer API\n", *_table(customer), "\n## Staff APIs, besides these\n", *_table(others), "")
    )


def _table(statuses: Mapping[str, int]) -> Iterator[str]:
    said = _sentences()
    yield "| code | status | says | a client |"
    yield "|---|---|---|---|"
    for code, status in sorted(statuses.items(), key=lambda each: (each[1], each[0])):
        if code not in _INSIDE:
            sentence = said.get(code, f"{HTTPStatus(status).phrase}.")
            yield f"| `{code}` | {status} | {sentence} | {_TODO_OF_CODE.get(code) or _TODO[status]} |"


def _sentences() -> dict[str, str]:
    """Read the sentence of each code: the first line of its error's docstring, the one nearest to the root first."""
    found: dict[str, str] = {FailureCode.INTERNAL.value: "Something went wrong on our side."}
    classes = [YoujuError]
    while classes:
        error = classes.pop(0)
        classes += sorted(error.__subclasses__(), key=lambda each: (each.__module__, each.__name__))
        if error.__module__.startswith((*_SERVICES, "contracts.", "runtime.")):
            found.setdefault(str(error.code), (error.__doc__ or "").strip().split("\n")[0].replace("|", "\\|"))
    return found
