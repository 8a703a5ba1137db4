"""Finds the rule of a question that names no more than an act, where words and their meaning do not tell it."""

from collections.abc import Sequence

from knowledge.answering.bare_questions import goods_in, is_bare, speaks_of_all_goods
from knowledge.answering.choosing import Chosen
from knowledge.answering.folding import fold
from knowledge.answering.matters import Matter, matter_of, treats
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.things import things_in
from knowledge.answering.wording import terms_of
from knowledge.retrieval.passage import Found, Passage


def is_told_by_act(part: QuestionPart, found: Sequence[Found]) -> bool:
    """Tell whether the act alone says which rule is asked for: no word does, and the goods have no rule of their own."""
    if not is_bare(part):
        return False
    goods = terms_of(goods_in(part) or "")
    naming = [each for each in found if goods and goods <= terms_of(each.passage.text)]
    return not treating_as_a_whole(naming, matter_of(part))


def treating_as_a_whole(found: Sequence[Found], matter: Matter) -> tuple[Found, ...]:
    """Give the passages that treat a matter, whichever of their sentences would be quoted."""
    return tuple(each for each in found if treats(_whole(each.passage), matter))


def of_no_other_thing(found: Sequence[Found]) -> tuple[Found, ...]:
    """Leave out what speaks of things, which a bare question does not: how points are transferred says nothing of orders."""
    return tuple(each for each in found if not things_in(fold(_under_its_heading(each.passage))))


def under_no_other_thing(found: Sequence[Found]) -> tuple[Found, ...]:
    """Leave out what stands under a heading that names a thing, however strong it is."""
    return tuple(each for each in found if not things_in(fold(_own_heading(each.passage))))


def holds_for_goods(part: QuestionPart, text: str) -> bool:
    """Tell whether a text holds for the goods that are named, as one for all goods does."""
    return goods_in(part) is None or speaks_of_all_goods(text)


def _whole(passage: Passage) -> Chosen:
    return Chosen(passage=passage, sentences=passage.sentences, score=0.0)


def _own_heading(passage: Passage) -> str:
    return (passage.title, *passage.heading_path)[-1]


def _under_its_heading(passage: Passage) -> str:
    return "\n".join((*passage.heading_path[-1:], passage.text))
