"""A text that a reviewer would like to see in the knowledge: a draft for its owners, which nothing publishes by itself."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import yaml

from contracts.errors import ConflictError, NotFoundError
from contracts.reasons import Language
from contracts.service_token import PUBLIC_SEGMENT

ProposalState = Literal["PROPOSED", "ACCEPTED", "DECLINED"]
Decision = Literal["ACCEPTED", "DECLINED"]

_HEADING: Final = "# "


class ProposalNotFoundError(NotFoundError):
    """There is no such proposal."""


class ProposalDecidedError(ConflictError):
    """This proposal was decided differently before."""

    code = "PROPOSAL_DECIDED"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalDraft:
    """What a reviewer proposes, and the masked question it answers."""

    proposal_id: UUID
    attempt_id: UUID
    slug: str
    title: str
    language: Language
    question: str | None
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal(ProposalDraft):
    """A proposal, and what its owners made of it."""

    state: ProposalState
    proposed_by: str
    proposed_at: datetime
    decided_by: str | None
    decided_at: datetime | None
    decision: str | None


def as_markdown(proposal: Proposal) -> str:
    """Write a proposal as a file that an import reads. The import leaves the comment out."""
    header = {
        "slug": proposal.slug,
        "label": f"proposal-{proposal.proposed_at:%Y-%m-%d}",
        "language": proposal.language,
        "title": proposal.title,
        "audience": [PUBLIC_SEGMENT],
    }
    record = yaml.safe_dump(header, allow_unicode=True, sort_keys=False)
    heading = "" if proposal.body.lstrip().startswith(_HEADING) else f"{_HEADING}{proposal.title}\n\n"
    return f"---\n{record}---\n\n{_asked(proposal.question)}{heading}{proposal.body.strip()}\n"


def check_decision(proposal: Proposal, decision: Decision) -> bool:
    """Say whether a decision is new. Errors: ProposalDecidedError when it was decided differently."""
    if proposal.state == "PROPOSED":
        return True
    if proposal.state != decision:
        raise ProposalDecidedError
    return False


def _asked(question: str | None) -> str:
    if question is None:
        return ""
    # Two hyphens could end the comment.
    return f"<!-- Asked: {' '.join(question.split()).replace('--', '- -')} -->\n\n"
