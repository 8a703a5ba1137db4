"""Read every file of a folder of formats: right text out of the good ones, a clear reason for each broken one.

`manifest.jsonl` in the folder names the files; where it says which Markdown text a file was made from, the words of
both are compared. Ends with 1 when a file is read wrongly, or the folder is missing.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from knowledge.ingestion.formats.reading import read_content
from knowledge.ingestion.front_matter import split_front_matter
from knowledge.ingestion.importing import FaultyFile, SourceFile, read_file
from knowledge.ingestion.markdown import plain
from knowledge.ingestion.normal_form import without_comments
from knowledge.ingestion.splitting import split_passages

COMPANION = re.compile(r"corpora/\S+\.md")
WORD = re.compile(r"[A-Za-z0-9]+|[\u3400-\u9fff]")
# What the folder's broken files are refused for; every other file has to be read.
BROKEN = {"bad_truncated.pdf": "DAMAGED", "derived_scanned_no_text_layer.pdf": "NO_TEXT_LAYER"}
# A companion may hold more than the file that it belongs to, such as a guide around a directive.
FEWEST_RIGHT = 0.95


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file was read; `fault` says what is wrong with it."""

    said: str
    fault: str | None


def main() -> int:
    """Print a line for each file and tell how many are read wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds formats/ and corpora/")
    data: Path = parser.parse_args().data
    manifest = data / "formats" / "manifest.jsonl"
    if not manifest.is_file():
        print(f"✗ There is no {manifest}; name the folder that holds formats/ with --data.", file=sys.stderr)
        return 1
    faults = 0
    for line in manifest.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        reading = read(data, data / row["file"], COMPANION.search(row["what"]))
        faults += reading.fault is not None
        print(f"{'✗' if reading.fault else '✓'} {Path(row['file']).name:48} {reading.said} {reading.fault or ''}")
    print(f"{faults} file(s) are read wrongly")
    return 1 if faults else 0


def read(data: Path, file: Path, companion: re.Match[str] | None) -> Reading:
    """Read one file as an import does."""
    content = file.read_bytes()
    began = time.perf_counter()
    draft = read_file(SourceFile(path=file.name, content=content, header=None))
    seconds = time.perf_counter() - began
    expected = BROKEN.get(file.name)
    if isinstance(draft, FaultyFile):
        problem = draft.problems[0]
        return Reading(f"{problem.code}: {problem.sentence}", None if problem.code == expected else "is not readable")
    passages = split_passages(draft.source, title=draft.title)
    said = f"{len(draft.source):7,} characters {len(passages):4} passages {seconds:5.2f} s"
    if expected or any(draft.source[each.start : each.end] != each.text for each in passages):
        return Reading(said, "should be refused" if expected else "has a passage that is not at its place")
    return compared(said, content, file, data / companion.group()) if companion else Reading(said, None)


def compared(said: str, content: bytes, file: Path, companion: Path) -> Reading:
    """Compare the words of a file with those of its companion; masks of personal data aside."""
    text = read_content(file.name, content)
    _, body = split_front_matter(companion.read_text(encoding="utf-8"))
    ours, theirs = words(str(text)), words(without_comments(body))
    both = (ours & theirs).total()
    right, found = both / ours.total(), both / theirs.total()
    fault = None if right >= FEWEST_RIGHT else "has words that its companion has not"
    return Reading(f"{said}  right {right:.3f} of its words, found {found:.3f} of its companion's", fault)


def words(markdown: str) -> Counter[str]:
    """Count the words of a text, a Chinese character being one."""
    return Counter(word.lower() for word in WORD.findall(plain(markdown)))


if __name__ == "__main__":
    sys.exit(main())
