"""What a reviewer names as the evidence that a good answer would cite."""

from dataclasses import dataclass

from contracts.errors import InvalidRequestError


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEvidence:
    """A document with a quote from it, or with the heading of the passage that holds it."""

    slug: str
    label: str | None
    quote: str | None
    heading: str | None


class EvidenceNotFoundError(InvalidRequestError):
    """No text of that document holds this evidence."""

    code = "EVIDENCE_NOT_FOUND"

    def __init__(self, slug: str) -> None:
        """Name the document."""
        super().__init__(f"No text of the document {slug} holds this evidence.")
