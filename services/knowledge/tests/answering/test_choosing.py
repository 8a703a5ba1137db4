"""What is quoted is what the question asks for: a row of a table or all of it, and the best sentence of other passages."""

from dataclasses import replace

import pytest

from contracts.reasons import Language
from knowledge.answering.choosing import Limits, choose_rival, choose_sentences
from knowledge.answering.sufficiency import holder_of
from knowledge.answering.wording import terms_of
from knowledge.retrieval.passage import Passage
from tests.support.answering import make_passage

pytestmark = pytest.mark.unit

ROOM = Limits(quotes=8, quote_characters=600)

ZH = "| 商品种类 | 保修期 |\n|---|---|\n| 小家电 | 24 个月 |\n| 竹木家具 | 36 个月 |\n| 锅具 | 12 个月 |\n\n保修期从签收次日开始计算，不需要保修卡。"
EN = (
    "| Kind of product | Warranty period |\n|---|---|\n| Kettles and lamps | 24 months |\n| Bamboo furniture | 36 months |\n"
    "\nThe warranty starts on the day after delivery, and no warranty card is needed."
)


def table(text: str, heading: str, language: Language) -> Passage:
    made = make_passage(text, heading=heading, language=language)
    return replace(made, sentences=tuple(replace(each, similarity=0.3) for each in made.sentences))


def quoted(question: str, passage: Passage, limits: Limits = ROOM) -> list[str]:
    idf = dict.fromkeys(terms_of(question), 1.0)
    chosen = choose_sentences(question, passage, idf=idf, limits=limits, holds=holder_of(question))
    return [] if chosen is None else list(chosen.texts)


@pytest.mark.parametrize(
    ("question", "passage", "rows"),
    [
        ("保修多久？", table(ZH, "保修期多长", "zh"), ZH.splitlines()[:1] + ZH.splitlines()[2:5]),
        (
            "How long is the warranty?",
            table(EN, "How long the warranty lasts", "en"),
            EN.splitlines()[:1] + EN.splitlines()[2:4],
        ),
    ],
)
def test_a_question_that_names_no_row_gets_the_whole_table(question: str, passage: Passage, rows: list[str]) -> None:
    assert quoted(question, passage)[: len(rows)] == rows


@pytest.mark.parametrize(
    ("question", "passage", "row"),
    [
        ("竹木家具的保修期多长？", table(ZH, "保修期多长", "zh"), "| 竹木家具 | 36 个月 |"),
        (
            "How long is the warranty on bamboo furniture?",
            table(EN, "How long the warranty lasts", "en"),
            "| Bamboo furniture | 36 months |",
        ),
    ],
)
def test_a_question_that_names_a_row_gets_it_with_the_header(question: str, passage: Passage, row: str) -> None:
    assert quoted(question, passage) == [passage.text.splitlines()[0], row]


def test_a_row_that_is_quoted_beside_a_sentence_brings_its_table() -> None:
    passage = table(ZH, "保修期多长", "zh")
    *rows, sentence = passage.sentences
    near = replace(passage, sentences=(*rows, replace(sentence, similarity=0.6)))

    assert quoted("保修期多长？", near) == [*quoted("保修多久？", passage)[:4], ZH.splitlines()[-1]]


def test_a_table_without_room_is_quoted_in_part_as_before() -> None:
    rows = "\n".join(f"| 商品{number} | {number} 个月 |" for number in range(1, 12))
    passage = table(f"| 商品 | 保修期 |\n|---|---|\n{rows}", "保修期多长", "zh")

    assert 1 < len(quoted("保修多久？", passage)) <= ROOM.quotes


def test_the_rival_is_the_best_sentence_of_all_further_passages() -> None:
    question = "茶壶几天内可以退？"
    idf = dict.fromkeys(terms_of(question), 1.0)
    first, near, best = (
        replace(make_passage(text, about=question, document=name))
        for name, text in (
            ("first", "茶壶九天内可以退。"),
            ("near", "茶壶内有茶可以退。"),
            ("best", "打开的茶壶几天内可以退，由店里说。"),
        )
    )
    chosen = choose_sentences(question, first, idf=idf, limits=ROOM)

    assert chosen is not None
    rivals = [choose_rival(question, chosen, order, idf=idf, limits=ROOM) for order in ((near, best), (best, near))]
    assert [rival and rival.passage.document for rival in rivals] == ["best", "best"]
