"""What is done without is not insisted on, what has ended does not go on, and twin rules keep their signs."""

import pytest

from knowledge.validation.claims import check_claim
from knowledge.validation.verdict import FaultCode

pytestmark = pytest.mark.unit

_TWINS = "正式员工培训的假期，如果遇到周六、周日，应当另行补假。试用员工培训的假期，如果遇到周六、周日，则不补假。"
_LAPSE = "The seal lapses if a stranger opens the meter."
_UNANNOUNCED = "Stale drafts will be cleared without notice."


def codes(claim: str, quote: str) -> set[FaultCode]:
    return {fault.code for fault in check_claim(claim, (quote,), claim_overlap=0.0, agreement=0.9)}


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Stale drafts are cleared only after a notice.", _UNANNOUNCED),
        ("A stranger may open the meter and the seal will still stand.", _LAPSE),
        ("寄存的人不肯出示凭条，照样可以取包。", "寄存人拒绝出示凭条的，保管处不得放行行李。"),
        ("试用员工的假期碰上周末，会另行补假。", _TWINS),
        ("正式员工的假期碰上周末，就不补假了。", _TWINS),
    ],
)
def test_what_is_insisted_on_and_a_turned_twin_contradict(claim: str, quote: str) -> None:
    assert FaultCode.POLARITY_DIFFERS in codes(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Stale drafts will be cleared, and nobody is told.", _UNANNOUNCED),
        ("The seal lapses once a stranger opens the meter.", _LAPSE),
        ("凭条丢了，保管处照样要放行行李。", "凭条丢失的，不影响保管处放行行李。"),
        ("试用员工的假期碰上周末，不补假。", _TWINS),
        ("正式员工的假期碰上周末，会另行补假。", _TWINS),
    ],
)
def test_the_same_said_straight_is_supported(claim: str, quote: str) -> None:
    assert FaultCode.POLARITY_DIFFERS not in codes(claim, quote)
