"""A question in, a checked answer out: over HTTP, as JSON and as a stream."""

import asyncio
import json
from datetime import date
from http import HTTPStatus

import pytest

from contracts.answers import CitedPassage
from contracts.customer import Attempt, Conversation
from contracts.ids import uuid7
from contracts.stream import grammar_fault
from tests.support.customer import Customer, new_customer, path_of
from tests.support.system import System

pytestmark = pytest.mark.journey

REFUND = "退款多久到账？"
TWO_PARTS = "能退吗，运费谁承担？"


async def cited_passages(customer: Customer, attempt: Attempt) -> list[CitedPassage]:
    answers = [await customer.http.get(citation.detail_url) for citation in attempt.citations]
    return [CitedPassage.model_validate_json(answer.raise_for_status().content) for answer in answers]


async def test_an_answer_quotes_what_its_sources_say(customer: Customer) -> None:
    attempt = await customer.ask(REFUND)

    passages = await cited_passages(customer, attempt)
    assert (attempt.status, attempt.refused, attempt.coverage) == ("COMPLETED", False, "full")
    assert attempt.answer == "".join(part.text for part in attempt.parts)
    assert [c.index for c in attempt.citations] == list(range(1, len(attempt.citations) + 1))
    for citation, cited in zip(attempt.citations, passages, strict=True):
        assert cited.passage[cited.quote_start : cited.quote_end] == citation.quote == cited.quote
    assert all(part.citations for part in attempt.parts if part.kind == "statement")


async def test_both_parts_of_a_question_are_answered_with_their_own_citation(customer: Customer) -> None:
    attempt = await customer.ask(TWO_PARTS)

    statements = [part for part in attempt.parts if part.kind == "statement"]
    assert attempt.coverage == "full"
    assert len({part.question_part for part in statements}) == 2
    assert "运费" in (attempt.answer or "")


async def test_a_part_without_evidence_is_named(customer: Customer) -> None:
    attempt = await customer.ask("退款多久到账？火星基地的重力是多少？")

    uncovered = [part for part in attempt.parts if part.kind == "not_covered"]
    assert (attempt.coverage, attempt.refused) == ("partial", False)
    assert [part.question_part for part in uncovered] == ["火星基地的重力是多少？"]


async def test_the_stream_says_what_the_json_says(customer: Customer) -> None:
    heard = await customer.listen(REFUND, conversation=await customer.open_conversation())
    attempt = await customer.ask(REFUND)

    outcome = json.loads(heard.events[-1].data)
    deltas = [json.loads(event.data) for event in heard.events if event.event == "delta"]
    citations = [json.loads(event.data) for event in heard.events if event.event == "citation"]
    assert grammar_fault(heard.names, closed=True) is None
    assert "".join(delta["text"] for delta in deltas) == outcome["answer"] == attempt.answer
    assert [c["quote"] for c in citations] == [c.quote for c in attempt.citations]
    assert set(citations[0]) == set(json.loads(attempt.citations[0].model_dump_json()))


async def test_a_refusal_is_a_completed_attempt_with_a_next_step(customer: Customer) -> None:
    conversation = await customer.open_conversation()

    heard = await customer.listen("火星基地的重力是多少？", conversation=conversation)

    outcome = json.loads(heard.events[-1].data)
    assert grammar_fault(heard.names, closed=True) is None
    assert (outcome["refused"], outcome["coverage"]) == (True, "none")
    assert (outcome["reasonCode"], outcome["handoff"]) == ("NO_AUTHORIZED_EVIDENCE", "offered")
    assert outcome["answer"]
    assert outcome["refusalReason"]
    assert "citation" not in heard.names


async def test_reattaching_gives_equal_events_from_any_place(customer: Customer) -> None:
    conversation = await customer.open_conversation()
    heard = await customer.listen(REFUND, conversation=conversation)
    attempt_id = json.loads(heard.events[0].data)["attemptId"]
    stored = await customer.http.get(f"/v1/conversations/{conversation}/attempts/{attempt_id}")
    attempt = Attempt.model_validate_json(stored.content)

    whole = await customer.reattach(attempt)
    rest = await customer.reattach(attempt, after=heard.logged[1][0])
    past_the_end = await customer.http.get(f"{path_of(attempt)}/events", headers={"Last-Event-ID": heard.logged[-1][0]})

    assert whole.logged == heard.logged
    assert rest.logged == heard.logged[2:]
    assert past_the_end.status_code == HTTPStatus.NO_CONTENT


async def test_ids_count_up_from_one(customer: Customer) -> None:
    heard = await customer.listen(REFUND, conversation=await customer.open_conversation())

    assert [number for number, _, _ in heard.logged] == [str(n) for n in range(1, len(heard.logged) + 1)]


async def test_reading_the_conversation_equals_what_was_streamed(customer: Customer) -> None:
    conversation = await customer.open_conversation()
    heard = await customer.listen(TWO_PARTS, conversation=conversation)

    answer = await customer.http.get(f"/v1/conversations/{conversation}")

    (attempt,) = Conversation.model_validate_json(answer.content).attempts
    outcome = json.loads(heard.events[-1].data)
    assert json.loads(attempt.model_dump_json(include=set(type(attempt).model_fields)))["parts"] == outcome["parts"]
    assert attempt.answer == outcome["answer"]


async def test_one_attempt_of_a_conversation_is_pending_at_a_time(customer: Customer) -> None:
    conversation = await customer.open_conversation()
    path = f"/v1/conversations/{conversation}/attempts"

    answers = await asyncio.gather(*(customer.http.post(path, json={"question": REFUND}) for _ in range(10)))

    codes = {answer.json()["code"] for answer in answers if answer.status_code != HTTPStatus.OK}
    stored = Conversation.model_validate_json((await customer.http.get(f"/v1/conversations/{conversation}")).content)
    assert codes <= {"ATTEMPT_PENDING"}
    assert len(stored.attempts) == sum(answer.status_code == HTTPStatus.OK for answer in answers) >= 1


async def test_the_same_key_is_the_same_attempt(customer: Customer) -> None:
    conversation = await customer.open_conversation()
    path, headers = f"/v1/conversations/{conversation}/attempts", {"Idempotency-Key": uuid7().hex}

    first = await customer.http.post(path, json={"question": REFUND}, headers=headers)
    second = await customer.http.post(path, json={"question": REFUND}, headers=headers)
    other = await customer.http.post(path, json={"question": TWO_PARTS}, headers=headers)

    assert second.headers["idempotent-replayed"] == "true"
    assert first.json() == second.json()
    assert other.status_code == HTTPStatus.CONFLICT


async def test_the_question_is_kept_as_it_was_typed(customer: Customer) -> None:
    typed = "  退款多久到账？\n谢谢 😀  "

    assert (await customer.ask(typed)).question == typed


async def test_what_a_guest_hears_never_names_the_vip_document(system: System) -> None:
    async with new_customer(system.bff) as guest:
        attempt = await guest.ask("青竹会的会员有专属的退货期限吗？")

    assert "青竹会" not in " ".join(citation.title for citation in attempt.citations)


async def test_only_revisions_in_force_are_cited(customer: Customer) -> None:
    questions = ("普通商品签收后几天内能退？", "How many days do I have to return an ordinary item?", "积分多久过期？")

    for question in questions:
        attempt = await customer.ask(question)
        for citation in attempt.citations:
            assert citation.effective_from is None or citation.effective_from <= date.today()  # noqa: DTZ011 - the tenant's day, give or take one
            assert citation.effective_to is None or citation.effective_to >= date.today()  # noqa: DTZ011 - as above
        assert "七天能退" not in (attempt.answer or "")


async def test_nothing_of_the_model_reaches_a_customer(customer: Customer) -> None:
    heard = await customer.listen(REFUND, conversation=await customer.open_conversation())

    text = " ".join(event.data for event in heard.events).lower()
    assert "usage" not in heard.names
    for word in ("writer", "model", "token", "score", "finishreason", "cause", "passage_id"):
        assert word not in text
