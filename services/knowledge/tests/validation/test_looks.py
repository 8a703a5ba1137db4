"""What a look at a text rules out, reading the text does not find: the looks spare work and change no reading."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from knowledge.validation.denials import HARMLESS
from knowledge.validation.lexicon import split_alternatives
from knowledge.validation.quantities import find_figures, name_figures
from knowledge.validation.stances import CUES, is_negative, may_deny, may_undo, read_pieces
from knowledge.validation.words import normalise

pytestmark = pytest.mark.unit

_RULES: Final = yaml.safe_load(Path(__file__).with_name("rewordings.yaml").read_text(encoding="utf-8"))


def texts() -> Iterator[str]:
    for rule in _RULES:
        yield from map(
            normalise, (rule["quote"], *rule.get("follows", ()), *(said for _, said in rule.get("changed", ())))
        )


NEGATIONS: Final = [each for stance, cue in CUES if is_negative(stance) for each in split_alternatives(cue)]


@given(text=st.sampled_from(NEGATIONS).flatmap(lambda negation: st.from_regex(negation, fullmatch=True)))
def test_every_wording_of_a_negation_is_seen_at_a_look(text: str) -> None:
    assert may_deny(text)


def test_what_no_look_sees_is_read_nowhere() -> None:
    read = [(text, read_pieces(text), read_pieces(HARMLESS.sub(" ", text))) for text in texts()]
    denying = [
        text for text, *both in read if any(p.stance and is_negative(p.stance) for pieces in both for p in pieces)
    ]
    undoing = [text for text, pieces, _ in read if any(piece.sign < 0 for piece in pieces)]
    assert denying
    assert undoing
    assert all(map(may_deny, denying))
    assert all(map(may_undo, undoing))


def test_figures_have_the_same_names_with_and_without_their_bounds() -> None:
    for text in texts():
        assert name_figures(text) == {
            f"{each.base} {each.value}" for each in find_figures(text).quantities if not each.is_loose
        }
