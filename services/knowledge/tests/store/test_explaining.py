"""Why nothing was strong enough is measured with the scale that decided it."""

from datetime import date

import pytest

from contracts.reasons import RefusalCause
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.answering.evidence import evidence_score
from tests.support.knowledge import Importer, policy

pytestmark = pytest.mark.store

_DAY = date(2026, 7, 15)


async def _strength_for_members(searcher: DatabaseSearcher, tenant: str, question: str) -> tuple[float, float]:
    """Give the strength of the hidden passage for those who may see it, and what it needs."""
    result = await searcher.search(tenant=tenant, segments=("vip",), question=question, as_of=_DAY)
    weights, thresholds = result.serving.routing_policy.weights, result.serving.routing_policy.thresholds
    (found,) = (each for each in result.context.found if each.passage.document == "vip")
    return evidence_score(found.scores, language="zh", question=question, weights=weights), thresholds.answer_from


@pytest.mark.parametrize(
    ("question", "cause"),
    [
        ("会员可以吗", RefusalCause.FILTERED_BY_ACCESS),
        ("会员的箱子颜色", RefusalCause.FILTERED_BY_ACCESS),
        ("箱子里可以放什么", RefusalCause.BELOW_THRESHOLD),
        ("请问一下我们可以把东西带来吗", RefusalCause.BELOW_THRESHOLD),
    ],
)
async def test_access_is_the_cause_only_of_what_members_are_answered(
    importer: Importer, searcher: DatabaseSearcher, tenant: str, question: str, cause: RefusalCause
) -> None:
    others = [policy(f"o{n}", f"第{n}条写明的是别的事情，与颜色和{n}号仓库有关。") for n in range(12)]
    hidden = "请问一下，会员可以在家里等，我们的快递员会来，收走箱子里的东西，再把箱子还给会员。"
    await importer.publish(tenant, [policy("vip", hidden, audience=["vip"]), *others])

    explained = await searcher.explain_refusal(
        tenant=tenant, segments=("public",), question=question, as_of=_DAY, version=1
    )
    strength, needed = await _strength_for_members(searcher, tenant, question)

    assert explained.cause is cause
    assert (strength >= needed) == (cause is RefusalCause.FILTERED_BY_ACCESS)
