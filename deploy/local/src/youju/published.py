"""Reads what a tenant has published as golden evidence names it: documents by slug, revisions by label."""

from datetime import date

import httpx

from knowledge.evaluation.scoring import Library
from youju.releasing import RevisionSummary, list_documents, list_revisions


def published_library(client: httpx.Client, *, today: date) -> Library:
    """Say which title and label every revision of the current documents bears, and which are not in force today."""
    held = [
        (document, revision)
        for document in list_documents(client)
        for revision in list_revisions(client, document.slug)
    ]
    return Library(
        revisions={(document.slug, each.label): (document.title, each.label) for document, each in held},
        not_in_force=frozenset((document.title, each.label) for document, each in held if not _in_force(each, today)),
    )


def _in_force(revision: RevisionSummary, today: date) -> bool:
    return (revision.effective_from or date.min) <= today <= (revision.effective_to or date.max)
