"""Cut every document of a folder of corpora into passages and print what comes out, corpus by corpus.

    python -m bench.passages --data ../shared/data --samples 3
    python -m bench.passages --data ../shared/data --only cn-law --dump out.txt

The table says how many passages there are, how long they are, which of them cannot stand alone, how much of the text
is in none of them, and how many are cut and analysed in a second by one process. Ends with 1 when the folder is
missing, a passage is not at its place, or a letter stands in two of them.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import quantiles

from knowledge.ingestion.importing import FaultyFile, RevisionDraft, SourceFile, read_file
from knowledge.ingestion.indexing import passage_terms
from knowledge.ingestion.markdown import plain
from knowledge.ingestion.sentences import limits_previous
from knowledge.ingestion.splitting import PassageDraft, split_passages

SHORT = 40
COLUMNS = (
    ("corpus", 20), ("files", 6), ("passages", 9), ("p5", 5), ("p50", 5), ("p95", 6), ("max", 6), ("short", 7),
    ("torn", 7), ("no path", 8), ("scoped", 7), ("left out", 9), ("a second", 9),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cut:
    """One document, its passages, and how long cutting and analysing them took."""

    draft: RevisionDraft
    passages: tuple[PassageDraft, ...]
    seconds: float


def main() -> int:
    """Print the table and the samples."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds corpora/")
    parser.add_argument("--only", default="", help="the corpora whose name begins so")
    parser.add_argument("--samples", type=int, default=0, help="passages to print of each corpus")
    parser.add_argument("--dump", type=Path, help="a file for all passages")
    given = parser.parse_args()
    corpora = given.data / "corpora"
    if not (corpora / "manifest.jsonl").is_file():
        print(f"✗ There is no manifest.jsonl in {corpora}; name the folder that holds corpora/ with --data.")
        return 1
    print("".join(f"{name:>{width}}" for name, width in COLUMNS))
    wrong = 0
    for folder in sorted(each for each in corpora.iterdir() if each.is_dir() and each.name.startswith(given.only)):
        cuts = list(cut_all(corpora, folder.name))
        wrong += sum(not is_exact(cut) for cut in cuts)
        print(row(folder.name, cuts))
        show(cuts, given.samples)
        if given.dump:
            with given.dump.open("a", encoding="utf-8") as file:
                file.writelines(f"{shown(cut.draft, each)}\n" for cut in cuts for each in cut.passages)
    print(f"{wrong} document(s) are cut wrongly")
    return 1 if wrong else 0


def cut_all(corpora: Path, name: str) -> Iterator[Cut]:
    """Read and cut every document of a corpus that the manifest names."""
    for line in (corpora / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        if not said["path"].startswith(f"corpora/{name}/"):
            continue
        header = {
            "slug": said["doc_id"],
            "label": str(said["version"]),
            "title": said["title"],
            "language": said["lang"],
        }
        content = (corpora.parent / said["path"]).read_bytes()
        draft = read_file(SourceFile(path=said["path"], content=content, header=header))
        if isinstance(draft, FaultyFile):
            print(*(f"  {problem.path}: {problem.sentence}" for problem in draft.problems), sep="\n")
        else:
            yield cut(draft)


def cut(draft: RevisionDraft) -> Cut:
    """Cut one document and analyse its passages, as the first step of an import does."""
    began = time.process_time()
    passages = split_passages(draft.source, title=draft.title)
    for each in passages:
        passage_terms(draft.title, each.heading_path, each.text)
    return Cut(draft, passages, time.process_time() - began)


def is_exact(cut: Cut) -> bool:
    """Tell whether every passage is at its place and none overlaps another."""
    placed = all(cut.draft.source[each.start : each.end] == each.text for each in cut.passages)
    return placed and all(one.end <= two.start for one, two in pairwise(cut.passages))


def row(name: str, cuts: Sequence[Cut]) -> str:
    """Put the figures of a corpus into one line."""
    pairs = [(cut.draft, each) for cut in cuts for each in cut.passages]
    lengths = sorted(len(each.text) for _, each in pairs)
    marks = quantiles(lengths, n=20, method="inclusive")
    letters = sum(count(cut.draft.source) for cut in cuts)
    torn = sum(limits_previous(two.text) for cut in cuts for one, two in pairwise(cut.passages) if follows(one, two))
    said = (
        name, len(cuts), len(pairs), round(marks[0]), round(marks[9]), round(marks[18]), lengths[-1],
        share(len(each.text) < SHORT for _, each in pairs),
        f"{torn / len(pairs):.1%}",
        share(each.heading_path == (draft.title,) for draft, each in pairs),
        share(each.applies_to is not None for _, each in pairs),
        f"{1 - sum(count(each.text) for _, each in pairs) / letters:.1%}",
        round(len(pairs) / sum(cut.seconds for cut in cuts)),
    )  # fmt: skip
    return "".join(f"{each:>{width}}" for each, (_, width) in zip(said, COLUMNS, strict=True))


def share(flags: Iterable[bool]) -> str:
    """Give the share of what is true in per cent."""
    counted = Counter(flags)
    return f"{counted[True] / max(counted.total(), 1):.1%}"


def follows(one: PassageDraft, two: PassageDraft) -> bool:
    """Tell whether a passage goes on with the section of the one before."""
    return two.heading_path[: len(one.heading_path)] == one.heading_path


def count(markdown: str) -> int:
    """Count the letters and digits that a reader sees."""
    return sum(map(str.isalnum, plain(markdown)))


def show(cuts: Sequence[Cut], samples: int) -> None:
    """Print some passages, the same at every run."""
    pairs = [(cut.draft, each) for cut in cuts for each in cut.passages]
    for draft, each in random.Random(1).sample(pairs, min(samples, len(pairs))):  # noqa: S311 - a choice that comes again
        print(shown(draft, each))


def shown(draft: RevisionDraft, passage: PassageDraft) -> str:
    """Print a passage with where it stands."""
    scope = f" [{passage.applies_to}]" if passage.applies_to else ""
    head = f"--- {draft.slug} {draft.label} {passage.start}: {' > '.join(passage.heading_path)}{scope}"
    return f"{head}\n{passage.text}"


if __name__ == "__main__":
    sys.exit(main())
