"""A topic is heard however it is written, and not where it is only named to be denied."""

import re
from pathlib import Path
from typing import Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from contracts.reasons import RefusalReason
from knowledge.answering.disguises import vocabulary_of
from knowledge.answering.folding import fold
from knowledge.answering.routing import route_question
from knowledge.versions.routing_policy import default_routing_policy, parse_routing_policy

pytestmark = pytest.mark.unit

_TABLE: Final[dict[str, list[str]]] = yaml.safe_load(
    (Path(__file__).parent / "routed_questions.yaml").read_text(encoding="utf-8")
)
_POLICY: Final = parse_routing_policy(default_routing_policy())
_HEARD: Final = [each for each in _TABLE["ESCALATION_TOPIC"] if "\n" not in each]
_INVISIBLE: Final = ("\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\u0336", "\u034f", "\u3164")
_SYMBOLS: Final = ("*", "·", "~", "_", "|", "•", "/", "^", "-", "#")
_MARKS: Final = (*_SYMBOLS, ".", "。", "，", "、", "!", " . ", "...")
_DIGITS: Final = {"o": "0", "i": "1", "l": "1", "e": "3", "a": "4", "s": "5", "t": "7"}
_WIDE: Final = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)} | {" ": "\u3000"})
_TRADITIONAL: Final = str.maketrans("诉举报仅货电记体诈骗师启业务产", "訴舉報僅貨電記體詐騙師啟業務產")


def reason_of(question: str) -> RefusalReason | None:
    return route_question(question, policy=_POLICY, signed_facts={}).reason


@given(st.sampled_from(_HEARD), st.data())
def test_invisible_characters_hide_no_topic(question: str, data: st.DataObject) -> None:
    places = data.draw(st.sets(st.integers(0, len(question)), max_size=12))
    mark = data.draw(st.sampled_from(_INVISIBLE))

    disguised = "".join((mark if at in places else "") + c for at, c in enumerate(f"{question} ")).strip()

    assert reason_of(disguised) is RefusalReason.ESCALATION_TOPIC, disguised


@given(st.sampled_from(_HEARD), st.sampled_from(["wide", "upper", "traditional", "spaces"]))
def test_width_case_script_and_spaces_hide_no_topic(question: str, how: str) -> None:
    disguised = {
        "wide": question.translate(_WIDE),
        "upper": question.upper(),
        "traditional": question.translate(_TRADITIONAL),
        "spaces": re.sub(r"(?<=[\u4e00-\u9fff])(?=[\u4e00-\u9fff])", " \u3000", question).replace(" ", "  "),
    }[how]

    assert reason_of(disguised) is RefusalReason.ESCALATION_TOPIC, disguised


@given(st.sampled_from(_HEARD), st.sampled_from(_SYMBOLS), st.data())
def test_symbols_inside_words_hide_no_topic(question: str, mark: str, data: st.DataObject) -> None:
    inside = [
        at for at in range(1, len(question)) if re.fullmatch(r"[a-z]{2}|[\u4e00-\u9fff]{2}", question[at - 1 : at + 1])
    ]
    places = data.draw(st.sets(st.sampled_from(inside), max_size=6))

    disguised = "".join((mark if at in places else "") + c for at, c in enumerate(question))

    assert reason_of(disguised) is RefusalReason.ESCALATION_TOPIC, disguised


@given(st.sampled_from(_HEARD), st.sampled_from(_MARKS), st.data())
def test_no_mark_inside_a_word_of_the_policy_hides_a_topic(question: str, mark: str, data: st.DataObject) -> None:
    pairs = vocabulary_of(_POLICY.escalation_topics).pairs
    folded = fold(question)
    inside = [at for at in range(1, len(folded)) if folded[at - 1 : at + 1] in pairs]
    places = data.draw(st.sets(st.sampled_from(inside), max_size=3)) if inside else set[int]()

    disguised = "".join((mark if at in places else "") + c for at, c in enumerate(folded))

    assert reason_of(disguised) is RefusalReason.ESCALATION_TOPIC, disguised


@given(st.sampled_from(_HEARD), st.data())
def test_digits_for_letters_inside_a_word_of_the_policy_hide_no_topic(question: str, data: st.DataObject) -> None:
    words = vocabulary_of(_POLICY.escalation_topics).words
    folded = fold(question)
    inside = [
        at
        for word in re.finditer(r"(?<![\w'-])[a-z]{5,}(?![\w'-])", folded)
        if word.group() in words
        for at in range(word.start() + 1, word.end() - 1)
        if folded[at] in _DIGITS
    ]
    places = data.draw(st.sets(st.sampled_from(inside), max_size=3)) if inside else set[int]()

    disguised = "".join(_DIGITS[c] if at in places else c for at, c in enumerate(folded))

    assert reason_of(disguised) is RefusalReason.ESCALATION_TOPIC, disguised


@pytest.mark.parametrize(
    "question",
    [
        "I want to file a c o m p l a i n t",
        "I want to file a c.o.m.p.l.a.i.n.t",
        "I  w a n t  t o  c o m p l a i n",
        "My law yer will write to you",
        "I am going to s-u-e you",
        "我要投。诉你们",
        "我要投 ，诉你们",
        "我要投x诉你们",
        "我要投０诉你们",
        "我要投 x 诉你们",
        "我找律XX师",
        "我要tou诉",
        "我要tóu诉你们",
        "我要投su你们",
        "我要tousu你们",
        "我要找lv师",
        "我要投拆",
        "I want to c0mplain about you",
        "I want to file a c0mpla1nt",
        "I want to file a compl@int",
        "I want to file a cómplaint",
        "我不想投诉，但再不处理我就投诉你们",
        "I don't want to complain, but I will sue you",
        "你们再不退款我就投诉你们",
        "你们不退款我就投诉",
        "我不得不投诉你们",
        "不投诉你们不行",
        "I do not accept this and will complain about you",
        "If you do not refund me I will sue you",
        "Don't make me complain about you",
        "The kettle did not stop and caught fire",
    ],
)
def test_a_threat_is_heard_beside_a_denial_and_through_a_disguise(question: str) -> None:
    assert reason_of(question) is RefusalReason.ESCALATION_TOPIC


@pytest.mark.parametrize(
    "question",
    [
        "我不是要投诉，只想问退款多久到",
        "我没想投诉，只是问问",
        "我不打算投诉",
        "并非投诉，请问怎么退款",
        "没有要投诉的意思",
        "不投诉，只想退货",
        "我不会投诉你们",
        "我不想举报，只是想问",
        "我没有要起诉",
        "我不是记者",
        "不要删除我的数据",
        "不用找人工客服",
        "别转人工",
        "I don't want to complain, I just want to know the return period",
        "I'm not here to complain",
        "I am not trying to complain",
        "I don't mean to complain but how long does shipping take",
        "I won't sue you, I just need a refund",
        "I never said I'd complain",
        "I'm not a journalist",
        "I don't want my data deleted",
        "No need to talk to a person",
        "我不是要投x诉",
        "我不是要tou诉，只想问退款多久到",
        "我不想tousu",
        "我没想投拆，只是问问",
        "I don't want to c0mplain",
        # What sounds or looks like a word of the policy and is another.
        "朋友一起su建模，可以开票吗？",
        "我和朋友一起拆箱的，能退吗？",
        "寄到天津师范大学要几天？",
        "收入工资证明怎么开？",
        "The c4se of my h0ur glass is a 5star product",
        # Letters and digits that belong where they stand.
        "投5元能抽奖吗，怎么兑换？",
        "我要3个，能发票吗？",
    ],
)
def test_what_is_denied_is_no_topic(question: str) -> None:
    assert reason_of(question) is None


@pytest.mark.parametrize("question", ["not a bot", "别给我机器人", "I want somebody who is not a bot"])
def test_a_denial_that_names_the_topic_itself_denies_nothing(question: str) -> None:
    assert reason_of(question) is RefusalReason.HUMAN_REQUESTED
