"""What became of a document, and what changed between two versions."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from knowledge.versions.differences import Sides, changed_documents, changed_fields
from knowledge.versions.document import DocumentRevision
from knowledge.versions.timeline import Publication, Removal, timeline

pytestmark = pytest.mark.unit

_START = datetime(2026, 7, 1, tzinfo=UTC)


def _revision(number: int, **given: Any) -> DocumentRevision:  # fields of several types
    fields: dict[str, Any] = {
        "slug": "fee", "label": str(number), "title": "Fee", "language": "en", "owner": None, "area": None,
        "audience": ("public",), "tags": (), "priority": 0, "review_date": None, "effective_from": None,
        "effective_to": None, "declared_to": None, "superseded_by": None, "applies_to": None, "requires_facts": (),
        "decision": "rule", "public": False, "source_url": None, "path": "fee.md", "content_sha256": str(number),
        "created_at": _START + timedelta(days=number), "versions": (number,), "is_current": False,
        "withdrawn_at": None,
    }  # fmt: skip
    fields |= given
    return DocumentRevision(revision_id=UUID(int=number), **fields)


def _published(version: int, before: int | None, day: int) -> Publication:
    return Publication(at=_START + timedelta(days=day), actor="pia", version=version, before=before)


def test_a_timeline_says_which_version_brought_and_dropped_each_text() -> None:
    first, second = _revision(1, versions=(1, 2)), _revision(2, versions=(2, 3))
    moves = [_published(2, 1, 11), _published(1, None, 10), _published(3, 2, 12)]
    removal = Removal(at=_START + timedelta(days=20), actor="olga", kind="WITHDRAWN")

    entries = timeline([first, second], moves, [removal])

    assert [(each.kind, each.label, each.version, each.actor) for each in entries] == [
        ("STORED", "1", None, None),
        ("STORED", "2", None, None),
        ("BROUGHT", "1", 1, "pia"),
        ("BROUGHT", "2", 2, "pia"),
        ("DROPPED", "1", 3, "pia"),
        ("WITHDRAWN", None, None, "olga"),
    ]


def test_changed_fields_are_told_as_text() -> None:
    before = _revision(1, tags=("a", "b"), effective_to=date(2026, 7, 31))
    after = _revision(1, tags=(), owner="olga")

    told = [(each.field, each.before, each.after) for each in changed_fields(before, after)]

    assert told == [("owner", None, "olga"), ("tags", "a, b", None), ("effective_to", "2026-07-31", None)]


def test_a_document_comes_goes_or_changes() -> None:
    old, new = _revision(1), _revision(2, label="1", priority=5)
    sides = {
        "gone": Sides(before=(old,), after=(), was_there=True, is_there=False),
        "come": Sides(before=(), after=(new,), was_there=False, is_there=True),
        "more": Sides(before=(), after=(new,), was_there=True, is_there=True),
        "same label": Sides(before=(old,), after=(new,), was_there=True, is_there=True),
    }

    changes = {each.slug: each for each in changed_documents(sides)}

    assert {slug: change.kind for slug, change in changes.items()} == {
        "come": "added",
        "gone": "removed",
        "more": "changed",
        "same label": "changed",
    }
    (revision,) = changes["same label"].revisions
    assert (revision.kind, revision.text_changed) == ("changed", True)
    assert [each.field for each in revision.fields] == ["priority"]
