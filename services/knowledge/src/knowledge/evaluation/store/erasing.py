"""What becomes of golden cases when the attempts they were made from are erased."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, func, literal, select, update
from sqlalchemy.dialects.postgresql import JSONB

from knowledge.evaluation.case import ERASED, erased_case
from knowledge.evaluation.golden import Golden
from knowledge.tables.evaluation import evaluation_result, golden_case

_CASE: Final = golden_case.c
_RESULT: Final = evaluation_result.c
# A reason that somebody wrote before may tell of the customer.
_RETIRED: Final = {
    "retired_by": func.coalesce(_CASE.retired_by, "erasure"),
    "retired_at": func.coalesce(_CASE.retired_at, func.clock_timestamp()),
    "retired_reason": ERASED,
}
# An answer may repeat the question it answers, and a reason the words that were expected.
_WORDLESS: Final = literal({"answer": "", "why": []}, JSONB)


def erase(connection: Connection, *, attempt_ids: Sequence[UUID]) -> int:
    """Empty and retire the cases that were made from attempts, and empty what runs came to on them; give how many.

    What was measured stays, so that past runs add up as they did. Repeat: nothing is left to empty.
    """
    made = select(_CASE.id, _CASE.content).where(_CASE.attempt.in_(attempt_ids)).order_by(_CASE.id).with_for_update()
    cases = connection.execute(made).all()
    for row in cases:
        content = erased_case(Golden.model_validate(row.content)).model_dump(mode="json")
        connection.execute(update(golden_case).where(_CASE.id == row.id).values(content=content, **_RETIRED))
    ids = [row.id for row in cases]
    told = update(evaluation_result).where(_RESULT.case_id.in_(ids), _RESULT.result.is_not(None))
    connection.execute(told.values(result=_RESULT.result.op("||")(_WORDLESS)))
    return len(ids)
