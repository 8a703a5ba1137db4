"""Measure conflicts: how many of those written for it are found, and how many answers are refused for a false one.

    python -m bench.conflicts --data ../shared/data

False refusals are counted over the golden questions that must be answered and two hundred questions made of passages
that were sampled over all corpora. Ends with 1 when a bar is missed.
"""

import argparse
import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from uuid import UUID

from sqlalchemy import text

from bench.conflict_pairs import Pair, constructed
from bench.golden import import_scopes
from bench.installation import Knowledge, installation, knowledge
from bench.measures import Bar, at_least, at_most, print_bars
from bench.recording import RecordingSearcher, answer_of
from bench.vectors import CachingEmbedder
from contracts.reasons import RefusalReason
from knowledge.adapters.embedder import UseEmbedder
from knowledge.evaluation.contradictions import Headed, Spoken, contradictions
from youju.database_urls import ServiceDatabase
from youju.evaluating import scopes_of

_SAMPLED: Final = 200
_FEWEST_CHARACTERS: Final = 10
_MOST_CHARACTERS: Final = 120
_SEED: Final = 8_190

_PASSAGES: Final = text("""
    SELECT passage.text, coalesce(passage.heading_path[array_upper(passage.heading_path, 1)], revision.title) AS heading
    FROM tenant_pointer
    JOIN version_revision ON version_revision.version = tenant_pointer.current_version
    JOIN revision ON revision.id = version_revision.revision
    JOIN passage ON passage.revision = revision.id
    WHERE revision.in_force_until > current_date
    ORDER BY passage.id
""")
_STORED: Final = text("SELECT count(*) FROM conflict_hint")


def main() -> int:
    """Print both, and the bars."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder with golden/ and corpora/")
    options = parser.parse_args()
    bars = [_recall()]
    with installation() as opened:
        bars.append(asyncio.run(_false_refusals(opened.urls, options.data)))
    return 0 if print_bars(bars) else 1


def _recall() -> Bar:
    asked: Counter[str] = Counter()
    found: Counter[str] = Counter()
    pairs = tuple(constructed())
    for pair in pairs:
        asked[pair.kind] += 1
        found[pair.kind] += _is_found(pair)
    for kind, number in asked.items():
        print(f"{kind:<16}{found[kind]:>4} of {number} called a conflict")
    true = [_is_found(pair) for pair in pairs if pair.is_conflict]
    return at_least("constructed conflicts found", sum(true) / len(true), 0.8)


def _is_found(pair: Pair) -> bool:
    sides = (_spoken(1, pair.heading, pair.one), _spoken(2, pair.heading, pair.other))
    return bool(contradictions([sides]))


def _spoken(number: int, heading: str, sentence: str) -> Spoken:
    headed = Headed(
        passage_id=UUID(int=number),
        document=UUID(int=number),
        language="en" if sentence.isascii() else "zh",
        priority=0,
        heading=heading,
        is_new=True,
    )
    return Spoken(headed=headed, text=sentence, effective_from=None, effective_to=None)


async def _false_refusals(urls: ServiceDatabase, data: Path) -> Bar:
    async with knowledge(urls, CachingEmbedder(UseEmbedder())) as opened:
        questions = await import_scopes(opened, data)
        scopes = scopes_of(questions)
        golden = [(each.scope or scopes[0], each.question) for each in questions if each.must_be_answered]
        asked = [*golden, *await _sampled(opened, scopes)]
        searcher = RecordingSearcher(opened.searcher)
        ends = [await answer_of(question, tenant=tenant, searcher=searcher) for tenant, question in asked]
    refused = sum(
        end.outcome is not None and end.outcome.reason_code is RefusalReason.CONFLICTING_POLICY for end in ends
    )
    print(f"{refused} of {len(asked)} answerable questions refused for a conflict")
    return at_most("false refusals for a conflict", refused / len(asked), 0.01)


async def _sampled(opened: Knowledge, scopes: Sequence[str]) -> list[tuple[str, str]]:
    """Ask what sampled passages say: heading and first sentence-like stretch of each."""
    chance = random.Random(_SEED)  # noqa: S311 - a sample, not a secret
    found: list[tuple[str, str]] = []
    for scope in scopes:
        async with opened.database.transaction(scope) as connection:
            rows = [(row.heading, row.text) for row in await connection.execute(_PASSAGES)]
            stored = (await connection.execute(_STORED)).scalar_one()
        print(f"{scope:<12}{len(rows):>6} passages in force,{stored:>4} conflicts stored")
        lines = [(heading, line.strip()) for heading, body in rows for line in body.splitlines()]
        fits = [(heading, line) for heading, line in lines if _FEWEST_CHARACTERS <= len(line) <= _MOST_CHARACTERS]
        taken = chance.sample(fits, min(len(fits), -(-_SAMPLED // len(scopes))))
        found.extend((scope, f"{heading}: {line}") for heading, line in taken)
    return found[:_SAMPLED]


if __name__ == "__main__":
    raise SystemExit(main())
