"""Measure the claim check on the claim sets: how many true claims pass and false ones fail, by kind and language.

The sets are read from `shared/data/claims` beside the repository; run with `--missed` to list the rows it gets wrong.
"""

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from knowledge.validation.claims import ClaimFault, check_claim

SETS = Path(__file__).resolve().parents[2] / "shared" / "data" / "claims"
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


def main() -> int:
    """Print the table of every set, then the cost of a claim."""
    options = _options()
    if not SETS.is_dir():
        print(f"The claim sets are missing: {SETS} is no folder.", file=sys.stderr)
        return 1
    costs: list[float] = []
    for name in NAMES:
        _measure(name, options=options, costs=costs)
    print(
        f"\nmilliseconds a claim: median {statistics.median(costs):.3f}, 99th {statistics.quantiles(costs, n=100)[98]:.3f}"
    )
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--overlap", type=float, default=0.6, help="floor of common content words")
    parser.add_argument("--agreement", type=float, default=None, help="assumed agreement across languages")
    parser.add_argument(
        "--half", choices=("all", "even", "odd"), default="all", help="rows by the parity of their number"
    )
    parser.add_argument("--missed", action="store_true", help="list the rows judged wrongly")
    return parser.parse_args()


def _measure(name: str, *, options: argparse.Namespace, costs: list[float]) -> None:
    tallies: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row in _rows(SETS / f"{name}.jsonl", half=options.half):
        started = time.perf_counter()
        faults = check_claim(row.claim, row.quotes, claim_overlap=options.overlap, agreement=options.agreement)
        costs.append((time.perf_counter() - started) * 1000)
        is_right = row.is_supported != bool(faults)
        for key in ((row.kind, row.language), (row.kind, "all"), ("true" if row.is_supported else "false", "all")):
            tallies[key].append(is_right)
        if options.missed and not is_right:
            _print_missed(row, faults)
    print(f"\n{name}\n{'kind':20}{'language':10}{'right':>7}{'rows':>6}{'share':>8}")
    for (kind, language), outcomes in sorted(tallies.items()):
        print(f"{kind:20}{language:10}{sum(outcomes):7}{len(outcomes):6}{sum(outcomes) / len(outcomes):8.1%}")


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
