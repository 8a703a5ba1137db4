"""Keep what a text reads as: policies are quoted again and again, so that in a running service only the claim is new."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, ParamSpec, TypeVar, cast

# A claim or a quote is read as one to five texts (itself, its sentences, clauses and cases): some hundreds of quotes stay
# known. With all readers full that is some 50 MB.
_KEPT: Final = 4096

_Given = ParamSpec("_Given")
_Read = TypeVar("_Read")


def read_once(read: Callable[_Given, _Read]) -> Callable[_Given, _Read]:
    """Let a reader of single texts remember what it read last."""
    # The library's types forget what a kept function is given.
    return cast("Callable[_Given, _Read]", lru_cache(maxsize=_KEPT)(read))
