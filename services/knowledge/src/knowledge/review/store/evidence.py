"""What customers said about attempts after they were answered: kept once, in whatever order it comes."""

from typing import Any, Final

from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert

from knowledge.review.item import ReviewReason
from knowledge.review.receiving import Judgement, Wish
from knowledge.review.store.queue import hold_off, opening, reopening
from knowledge.tables.answers import answer_opening
from knowledge.tables.review import review_escalation, review_item, review_judgement

_JUDGED: Final = review_judgement.c


def take_judgement(connection: Connection, judgement: Judgement) -> bool:
    """Keep the latest judgement of an attempt and bring one that is no praise before a person; say whether it is news.

    Repeat: a judgement that is not later than the one kept is no news; that there was one that is no praise counts all the
    same, so that the order in which they come decides nothing. One of an unknown or erased attempt is not kept.
    """
    if not _is_open_to_news(connection, judgement):
        return False
    adding = insert(review_judgement).values(
        tenant=judgement.tenant,
        attempt=judgement.attempt_id,
        rating=judgement.rating,
        reason_code=judgement.reason_code,
        comment=judgement.comment,
        is_correction=judgement.is_correction,
        judged_at=judgement.judged_at,
    )
    said = ("rating", "reason_code", "comment", "is_correction", "judged_at")
    later = adding.on_conflict_do_update(
        index_elements=[_JUDGED.tenant, _JUDGED.attempt],
        set_={name: adding.excluded[name] for name in said},
        where=_JUDGED.judged_at < adding.excluded.judged_at,
    )
    is_news = _added(connection, later.returning(_JUDGED.attempt))
    if judgement.rating == "NOT_HELPFUL":
        raising = reopening if is_news else opening
        connection.execute(
            raising(
                tenant=judgement.tenant,
                attempt_id=judgement.attempt_id,
                reason=ReviewReason.NOT_HELPFUL,
                at=judgement.judged_at,
            )
        )
    return is_news


def take_wish(connection: Connection, wish: Wish) -> bool:
    """Keep a wish for a person and bring its attempt before a reviewer; say whether it is news.

    Repeat: an escalation is kept once. One of an unknown or erased attempt is not kept.
    """
    if not _is_open_to_news(connection, wish):
        return False
    adding = insert(review_escalation).values(
        tenant=wish.tenant,
        escalation=wish.escalation_id,
        attempt=wish.attempt_id,
        origin=wish.origin,
        note=wish.note,
        requested_at=wish.requested_at,
    )
    is_news = _added(connection, adding.on_conflict_do_nothing().returning(review_escalation.c.attempt))
    if is_news:
        connection.execute(
            reopening(
                tenant=wish.tenant,
                attempt_id=wish.attempt_id,
                reason=ReviewReason.ESCALATED,
                at=wish.requested_at,
            )
        )
    return is_news


def _is_open_to_news(connection: Connection, news: Judgement | Wish) -> bool:
    hold_off(connection, (news.attempt_id,))
    known = select(answer_opening.c.attempt).where(answer_opening.c.attempt == news.attempt_id)
    state = select(review_item.c.state).where(review_item.c.attempt == news.attempt_id)
    if connection.execute(known).first() is None:
        return False
    return connection.execute(state).scalar_one_or_none() != "ERASED"


def _added(connection: Connection, adding: Any) -> bool:  # an INSERT with RETURNING
    return connection.execute(adding).first() is not None
