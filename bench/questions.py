"""Questions in both languages for measuring how long a search takes."""

import itertools
import json
from pathlib import Path
from typing import Final

_SETS: Final = (("cmrc2018_dev", "question"), ("drcd_dev", "question"), ("squad2_dev", "question"))


def mixed_questions(data: Path, count: int) -> list[str]:
    """Take questions from sets of three scripts in turn, evenly spread over each."""
    share = -(-count // len(_SETS))
    columns = [_questions(data, name, field, share) for name, field in _SETS]
    return list(itertools.chain.from_iterable(zip(*columns, strict=False)))[:count]


def _questions(data: Path, name: str, field: str, count: int) -> list[str]:
    lines = (data / "qa" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line)[field] for line in lines]
    return [each for each in asked if each][:: max(1, len(asked) // count)][:count]
