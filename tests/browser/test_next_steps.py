import pytest
from playwright.async_api import expect

from contracts.customer import Feedback
from contracts.reasons import FeedbackReason, RefusalReason
from tests.browser.chat_page import ChatPage
from tests.browser.fake_bff import FakeBff
from tests.browser.scripts import FULL_ANSWER, refusal

pytestmark = pytest.mark.browser
QUESTION = "能退吗，运费谁承担？"
COMPLAINT = refusal(RefusalReason.ESCALATION_TOPIC, "投诉由专人处理。", handoff="required")


def recorded(bff: FakeBff) -> list[Feedback | None]:
    return [running.attempt.feedback for attempts in bff.conversations.values() for running in attempts]


async def test_helpful_is_recorded_and_shown_also_after_reload(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)
    turn = await chat.ask(QUESTION)

    await turn.get_by_role("button", name="有帮助", exact=True).click()

    await expect(turn.get_by_text("已记录：有帮助")).to_be_visible()
    assert recorded(bff) == [Feedback(rating="HELPFUL")]
    await chat.page.reload()
    await expect(turn.get_by_text("已记录：有帮助")).to_be_visible()


async def test_not_helpful_needs_a_reason_and_can_be_corrected(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)
    turn = await chat.ask(QUESTION)
    await turn.get_by_role("button", name="没有帮助").click()
    await expect(turn.get_by_label("哪里不好")).to_be_focused()
    await expect(turn.get_by_role("button", name="提交")).to_be_disabled()

    await turn.get_by_label("哪里不好").select_option("引用与问题无关")
    await turn.get_by_label("补充说明").fill("第二条说的是运费")
    await turn.get_by_role("button", name="提交").click()

    await expect(turn.get_by_text("已记录：没有帮助，引用与问题无关")).to_be_visible()
    await expect(turn.get_by_text("第二条说的是运费")).to_be_visible()
    reason = FeedbackReason.CITATION_IRRELEVANT
    assert recorded(bff) == [Feedback(rating="NOT_HELPFUL", reason_code=reason, comment="第二条说的是运费")]

    await turn.get_by_role("button", name="更改").click()
    await turn.get_by_role("button", name="有帮助", exact=True).click()

    await expect(turn.get_by_text("已记录：有帮助")).to_be_visible()
    assert recorded(bff) == [Feedback(rating="HELPFUL")]


async def test_comment_of_five_hundred_characters_fits_and_one_more_does_not(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)
    turn = await chat.ask(QUESTION)
    await turn.get_by_role("button", name="没有帮助").click()
    await turn.get_by_label("哪里不好").select_option("看不明白")

    await turn.get_by_label("补充说明").fill("𠮷" * 501)
    await expect(turn.get_by_role("button", name="提交")).to_be_disabled()
    await turn.get_by_label("补充说明").fill("𠮷" * 500)
    await turn.get_by_role("button", name="提交").click()

    await expect(turn.get_by_text("已记录：没有帮助，看不明白")).to_be_visible()


async def test_wish_for_a_person_is_confirmed_and_the_ticket_number_arrives(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)
    turn = await chat.ask(QUESTION)

    await turn.get_by_role("button", name="找人工").click()

    confirmation = chat.page.get_by_role("status").filter(has_text="已为您转给人工")
    await expect(confirmation).to_be_focused()
    bff.move_escalation("TICKET_CREATED", "YJ-7")
    await expect(confirmation).to_contain_text("YJ-7")
    await expect(chat.page.get_by_role("button", name="找人工")).to_have_count(0)
    await expect(chat.page.get_by_role("button", name="重新回答")).to_have_count(0)
    await chat.page.reload()
    await expect(confirmation).to_contain_text("YJ-7")


async def test_solved_ticket_gives_the_conversation_back(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)
    turn = await chat.ask(QUESTION)
    await turn.get_by_role("button", name="找人工").click()
    await expect(chat.page.get_by_role("status").filter(has_text="已为您转给人工")).to_be_visible()

    bff.move_escalation("SOLVED", "YJ-9")

    await expect(chat.page.get_by_role("status").filter(has_text="人工处理已完成")).to_contain_text("YJ-9")
    await expect(turn.get_by_role("button", name="重新回答")).to_be_visible()
    await expect(turn.get_by_role("button", name="找人工")).to_be_visible()


async def test_required_handoff_is_prominent(chat: ChatPage, bff: FakeBff) -> None:
    bff.on("我要投诉", COMPLAINT)
    turn = await chat.ask("我要投诉")

    await turn.get_by_role("group", name="找人工").get_by_role("button", name="转人工").click()

    await expect(chat.page.get_by_role("status").filter(has_text="已为您转给人工")).to_be_visible()
    await expect(turn.get_by_role("group", name="找人工")).to_have_count(0)


async def test_ticket_that_a_rule_opened_is_shown_without_a_click(chat: ChatPage, bff: FakeBff) -> None:
    bff.on("我要投诉", COMPLAINT)
    bff.escalate("att_of_the_rule")
    bff.move_escalation("TICKET_CREATED", "YJ-8")

    await chat.ask("我要投诉")

    await expect(chat.page.get_by_role("status").filter(has_text="YJ-8")).to_be_visible()


async def test_slow_ticket_system_is_said_calmly(chat: ChatPage, bff: FakeBff) -> None:
    bff.on(QUESTION, FULL_ANSWER)
    turn = await chat.ask(QUESTION)
    await turn.get_by_role("button", name="找人工").click()

    bff.move_escalation("DELAYED", None)

    await expect(chat.page.get_by_role("status").filter(has_text="您的请求已保存")).to_be_visible()
