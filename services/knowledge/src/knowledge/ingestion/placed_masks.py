"""Masks by the field of a revision's record in which they stand."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from personal_data.masking import Mask, MaskedText

MaskedField = Literal["text", "title", "applies_to", "area", "tags"]

# Between two tags where they are shown as one text; the places of their masks count it.
BETWEEN_TAGS: Final = ", "


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedMask:
    """One place where personal data stood: `start` and `end` are in the masked text of the field."""

    field: MaskedField
    kind: str
    start: int
    end: int
    value_hash: str


def placed(field: MaskedField, masks: Iterable[Mask], *, offset: int = 0) -> tuple[PlacedMask, ...]:
    """Say in which field masks stand, so far behind their own places."""
    return tuple(
        PlacedMask(
            field=field, kind=each.kind, start=each.start + offset, end=each.end + offset, value_hash=each.value_hash
        )
        for each in masks
    )


def placed_in_tags(tags: Iterable[MaskedText]) -> tuple[PlacedMask, ...]:
    """Say where masks of tags stand when the tags are shown as one text."""
    found: list[PlacedMask] = []
    offset = 0
    for tag in tags:
        found += placed("tags", tag.masks, offset=offset)
        offset += len(tag.text) + len(BETWEEN_TAGS)
    return tuple(found)
