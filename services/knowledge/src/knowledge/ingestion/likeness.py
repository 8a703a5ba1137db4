"""How alike two passages are, and a few numbers that alike passages have in common.

Source: Broder, "On the resemblance and containment of documents" (MinHash, whose least values of two sets are equal as
often as the sets overlap), and Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", 3.4 (banding).
"""

from collections.abc import Collection
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

from knowledge.ingestion.analyser import ANALYSER, terms
from knowledge.ingestion.markdown import plain

# Eight bands of four find two passages that share nine tenths of their terms practically always, such that share half
# of them one time in ten; what is found is then measured.
BANDS: Final = 8
_ROWS: Final = 4
# Below this a passage is a heading or a row, and many are alike by chance.
_FEWEST_TERMS: Final = 8
ALIKE: Final = 0.8
# What was measured under another name is measured anew.
MEASURE: Final = f"shared terms 1/{ANALYSER}"


def _constants(name: str, count: int) -> NDArray[np.uint64]:
    """Draw odd numbers that stay the same whatever the library: stored numbers are compared with new ones."""
    digests = (blake2b(f"{name} {place}".encode(), digest_size=8).digest() for place in range(count))
    return np.array([int.from_bytes(digest, "big") | 1 for digest in digests], dtype=np.uint64)


_FACTORS: Final = _constants("factor", BANDS * _ROWS)
_SHIFTS: Final = _constants("shift", BANDS * _ROWS)
_MIXERS: Final = _constants("mixer", _ROWS)
_UPPER: Final = np.uint64(32)


def bands_of(term_ids: Collection[int]) -> tuple[int, ...]:
    """Give one number a band for the distinct terms of a passage, in any order.

    Shapes: eight 64-bit numbers; empty for a passage of few terms.
    """
    if len(term_ids) < _FEWEST_TERMS:
        return ()
    members = np.array([*term_ids], dtype=np.int64).view(np.uint64)
    # Products wrap around: the upper half of each is the hash.
    least = ((members[:, None] * _FACTORS + _SHIFTS) >> _UPPER).min(axis=0)
    return tuple(int(band) for band in (least.reshape(BANDS, _ROWS) * _MIXERS).sum(axis=1).view(np.int64))


def likeness(one: str, other: str) -> float:
    """Give the share of terms that two texts have in common. Shapes: from 0 to 1, which equal texts have."""
    return 1.0 if one == other else _overlap(set(terms(plain(one))), set(terms(plain(other))))


def _overlap(one: Collection[str], other: Collection[str]) -> float:
    union = len({*one, *other})
    return (len(one) + len(other) - union) / union if union else 0.0
