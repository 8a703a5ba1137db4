"""Run golden questions through the real HTTP path and score what comes back."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import httpx
from pydantic import ValidationError

from knowledge.evaluation.golden import Golden, read_golden
from knowledge.evaluation.scoring import Library, score
from knowledge.evaluation.summary import Scored
from knowledge.versions.routing_policy import Thresholds
from youju.addresses import customer_url
from youju.asking import guest
from youju.material import read_text
from youju.observing import observe
from youju.trouble import Trouble

# Questions that belong to no company in particular are asked at one that exists.
_ANY_SCOPE: Final = "37signals"


def read_questions(file: Path) -> tuple[Golden, ...]:
    """Read a golden file. Errors: Trouble naming line and field."""
    lines = enumerate(read_text(file).splitlines(), 1)
    questions = tuple(_question(file, number, line) for number, line in lines if line.strip())
    if not questions:
        raise Trouble(f"{file} holds no question.")
    return questions


def scopes_of(questions: Sequence[Golden]) -> tuple[str, ...]:
    """List the scopes of questions in the order of their first appearance; never empty."""
    named = tuple(dict.fromkeys(each.scope for each in questions if each.scope is not None))
    return named or (_ANY_SCOPE,)


def evaluate(
    settings: Mapping[str, str],
    questions: Sequence[Golden],
    *,
    library: Library,
    show: Callable[[int], None],
) -> Iterator[Scored]:
    """Ask one question after the other, each in a fresh conversation of its scope's tenant, and score it."""
    floor = Thresholds().claim_overlap
    scopes = scopes_of(questions)
    with ExitStack() as open_clients:
        clients = {scope: open_clients.enter_context(guest(customer_url(settings), scope)) for scope in scopes}
        for number, golden in enumerate(questions, 1):
            client: httpx.Client = clients[golden.scope or scopes[0]]
            observed = observe(client, golden.question)
            show(number)
            yield Scored(golden, observed, score(golden, observed, library=library, claim_overlap=floor))


def _question(file: Path, number: int, line: str) -> Golden:
    try:
        return read_golden(line)
    except ValidationError as malformed:
        first = malformed.errors()[0]
        field = ".".join(str(member) for member in first["loc"]) or "the line"
        raise Trouble(f"{file.name} line {number}: {field}: {first['msg']}.") from malformed
