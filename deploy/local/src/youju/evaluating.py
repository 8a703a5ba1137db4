"""Run golden questions through the real HTTP path and score what comes back."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Final

from knowledge.evaluation.golden import Golden
from knowledge.evaluation.scoring import Library, score
from knowledge.evaluation.summary import Scored
from knowledge.versions.routing_policy import Thresholds
from youju.addresses import customer_url
from youju.asking import guest
from youju.observing import observe

# Questions that belong to no company in particular are asked at one that exists.
_ANY_SCOPE: Final = "37signals"


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
            client = clients[golden.scope or scopes[0]]
            observed = observe(client.http, golden.question)
            show(number)
            yield Scored(golden, observed, score(golden, observed, library=library, claim_overlap=floor))
