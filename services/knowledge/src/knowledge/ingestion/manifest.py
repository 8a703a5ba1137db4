"""Reads a `manifest.jsonl` row as the header of the file it names."""

from collections.abc import Mapping
from datetime import date, timedelta

_LANGUAGES = {"zh": "zh", "en": "en", "zh-hant": "zh", "zh-cn": "zh"}


def header_of_row(row: Mapping[str, object]) -> dict[str, object]:
    """Turn a row into the keys of a header.

    The label is the version; a revision begins on the later of `valid_from` and `effective_date` (neither: open) and
    ends the day before `valid_to`.
    """
    begins = max((str(row[key]) for key in ("valid_from", "effective_date") if row.get(key)), default=None)
    ends = row.get("valid_to")
    return {
        "slug": row["doc_id"],
        "label": str(row["version"]),
        "title": row["title"],
        "language": _LANGUAGES.get(str(row["lang"]).lower(), row["lang"]),
        "effective_from": begins,
        "effective_to": str(date.fromisoformat(str(ends)) - timedelta(days=1)) if ends else None,
    }
