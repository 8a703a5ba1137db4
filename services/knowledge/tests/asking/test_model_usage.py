"""What a model was paid for is kept, and what it says of itself only as far as it can be."""

from decimal import Decimal

import pytest

from contracts.reasons import FailureCode
from tests.support.answering import make_asked
from tests.support.model_asking import QUESTION, SLOW, Asking

pytestmark = pytest.mark.unit


async def test_tokens_and_cost_of_every_try_are_kept(asking: Asking) -> None:
    _, closing, _ = await asking.ask(asking.writer("swapped number"), make_asked(QUESTION))

    costs = [draft.usage.cost for draft in closing.drafts if draft.usage]
    assert costs == [Decimal("0.001140"), Decimal("0.001140"), Decimal(0)]
    assert closing.spent is not None
    assert (closing.spent.cost, closing.spent.input_tokens) == (Decimal("0.002280"), 1_800)


@pytest.mark.parametrize("behaviour", ["silent", "counts nothing", "counts beyond reason"])
async def test_what_a_model_does_not_count_is_estimated_and_kept(asking: Asking, behaviour: str) -> None:
    patience_seconds = 0.2 if behaviour in SLOW else 60.0
    _, closing, _ = await asking.ask(asking.writer(behaviour, patience_seconds=patience_seconds), make_asked(QUESTION))

    usage = closing.drafts[0].usage
    assert usage is not None
    assert 500 < usage.input_tokens < 10_000
    assert usage.cost is not None
    assert usage.cost > 0


async def test_why_a_reply_ended_is_kept_in_letters_that_can_be_stored(asking: Asking) -> None:
    _, closing, _ = await asking.ask(asking.writer("ends in no word"), make_asked(QUESTION))

    usage = closing.drafts[0].usage
    assert usage is not None
    assert usage.finish_reason == "??"


async def test_what_a_model_was_paid_for_stands_in_the_log_of_an_attempt_that_was_ended(asking: Asking) -> None:
    attempts = asking.attempts(asking.writer("silent"))
    asked = make_asked(QUESTION)
    await attempts.take_up(asked, seconds=1_000_000_000.0)
    await asking.model.was_asked.wait()

    await attempts.close(patience_seconds=0.0)

    closing = asking.log.closed[asked.attempt_id]
    assert closing.failure is FailureCode.ABANDONED
    assert [draft.trouble for draft in closing.drafts] == ["cancelled"]
    assert closing.spent is not None
    assert closing.spent.input_tokens > 100
    assert closing.spent.cost is not None
    assert closing.spent.cost > 0
