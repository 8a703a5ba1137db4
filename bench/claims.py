"""Measure the claim check on the claim sets: how many true claims pass and false ones fail, by kind and language.

The sets are read from `shared/data/claims` beside the repository. `--missed` lists the rows it gets wrong, `--embed`
measures agreement across languages with the built-in embedder (without it such claims are refused, as in the
product), `--curve` prints acceptance and rejection of the reworded claims over the floor of common content.
"""

import argparse
import functools
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from knowledge.adapters.embedder import UseEmbedder
from knowledge.validation.claims import ClaimFault, check_claim

SETS = Path(__file__).resolve().parents[2] / "shared" / "data" / "claims"
GROUPS = {
    "figures": ("number", "unit", "bound", "range", "percentage", "currency", "date"),
    "stances": ("polarity", "modality", "party", "commitment"),
}
NAMES = ("derived_perturbed", "stale_versions", "paraphrased", "fever_symmetric")


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled claim of a set."""

    row_id: str
    claim: str
    quotes: tuple[str, ...]
    is_supported: bool
    kind: str
    language: str


Agree = Callable[[Row], float | None]


def main() -> int:
    """Print the table of every set, then the cost of a claim."""
    options = _options()
    if not SETS.is_dir():
        print(f"The claim sets are missing: {SETS} is no folder.", file=sys.stderr)
        return 1
    costs: list[float] = []
    agree = _embedded if options.embed else _refused
    for name in NAMES:
        _measure(name, options=options, agree=agree, costs=costs)
    if options.curve:
        _print_curve(agree)
    print(
        f"\nmilliseconds a claim: median {statistics.median(costs):.3f}, 99th {statistics.quantiles(costs, n=100)[98]:.3f}"
    )
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--overlap", type=float, default=0.2, help="floor of common content")
    parser.add_argument("--embed", action="store_true", help="compare across languages with the built-in embedder")
    parser.add_argument("--curve", action="store_true", help="print the trade-off over the floor")
    parser.add_argument(
        "--half", choices=("all", "even", "odd"), default="all", help="rows by the parity of their number"
    )
    parser.add_argument("--missed", action="store_true", help="list the rows judged wrongly")
    return parser.parse_args()


def _measure(name: str, *, options: argparse.Namespace, agree: Agree, costs: list[float]) -> None:
    tallies: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row in _rows(SETS / f"{name}.jsonl", half=options.half):
        agreement = agree(row)
        started = time.perf_counter()
        faults = check_claim(row.claim, row.quotes, claim_overlap=options.overlap, agreement=agreement)
        costs.append((time.perf_counter() - started) * 1000)
        is_right = row.is_supported != bool(faults)
        for key in ((row.kind, row.language), (row.kind, "all"), ("true" if row.is_supported else "false", "all")):
            tallies[key].append(is_right)
        if options.missed and not is_right:
            _print_missed(row, faults)
    print(f"\n{name}\n{'kind':20}{'language':10}{'right':>7}{'rows':>6}{'share':>8}")
    for (kind, language), outcomes in sorted(tallies.items()):
        print(f"{kind:20}{language:10}{sum(outcomes):7}{len(outcomes):6}{sum(outcomes) / len(outcomes):8.1%}")


def _print_curve(agree: Agree) -> None:
    rows = [(row, agree(row)) for row in _rows(SETS / "paraphrased.jsonl", half="all")]
    print("\nparaphrased over the floor\nfloor   true accepted   false rejected   " + "   ".join(GROUPS))
    for floor in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        right = [
            (
                row,
                row.is_supported != bool(check_claim(row.claim, row.quotes, claim_overlap=floor, agreement=agreement)),
            )
            for row, agreement in rows
        ]
        shares = [
            _share([ok for row, ok in right if row.is_supported]),
            _share([ok for row, ok in right if not row.is_supported]),
            *(_share([ok for row, ok in right if row.kind in kinds]) for kinds in GROUPS.values()),
        ]
        print(f"{floor:5.1f}   " + "   ".join(f"{share:.1%}" for share in shares))


def _share(outcomes: list[bool]) -> float:
    return sum(outcomes) / max(len(outcomes), 1)


def _refused(_row: Row) -> float | None:
    return None


def _embedded(row: Row) -> float | None:
    claim, *quotes = _embedder().embed([row.claim, *row.quotes])
    return max(float(claim @ quote) for quote in quotes)


@functools.cache
def _embedder() -> UseEmbedder:
    return UseEmbedder()


def _print_missed(row: Row, faults: tuple[ClaimFault, ...]) -> None:
    reasons = "; ".join(f"{fault.code} {fault.detail}" for fault in faults)
    print(f"{row.row_id} {row.kind}: {row.claim} <- {' || '.join(row.quotes)} [{reasons}]")


def _rows(path: Path, *, half: str) -> Iterator[Row]:
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = json.loads(line)
        number = int("".join(character for character in fields["id"] if character.isdigit()) or 0)
        if half != "all" and (number % 2 == 0) != (half == "even"):
            continue
        is_supported = fields["label"] == "supported"
        yield Row(
            row_id=fields["id"],
            claim=fields["claim"],
            quotes=tuple(fields.get("quotes") or [fields["source"]]),
            is_supported=is_supported,
            kind="supported" if is_supported else _kind(fields),
            language=fields["lang"],
        )


def _kind(fields: dict[str, str]) -> str:
    spans = fields.get("spans")
    changed = json.loads(json.dumps(spans))[0]["type"] if spans else None
    return str(changed or fields.get("fault") or fields["label"])


if __name__ == "__main__":
    sys.exit(main())
