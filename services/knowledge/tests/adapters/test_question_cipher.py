"""A question opens for its own attempt alone, and for any key of the ring."""

from uuid import UUID

import pytest

from knowledge.adapters.question_cipher import QuestionCipher
from runtime.sealing import KeyRing, UnopenedError

pytestmark = pytest.mark.unit

_OLD, _NEW = b"o" * 32, b"n" * 32
_ONE, _OTHER = UUID(int=1), UUID(int=2)
_QUESTION = "我叫王小明，电话 13800138000，能退吗？"


def test_a_question_opens_for_its_attempt() -> None:
    cipher = QuestionCipher(KeyRing([_OLD]))

    kept = cipher.seal(_QUESTION, tenant="demo", attempt_id=_ONE)

    assert cipher.open(kept, tenant="demo", attempt_id=_ONE) == _QUESTION
    assert _QUESTION.encode() not in kept.ciphertext


@pytest.mark.parametrize(("tenant", "attempt_id"), [("demo", _OTHER), ("other", _ONE)])
def test_a_question_opens_for_no_other_row(tenant: str, attempt_id: UUID) -> None:
    cipher = QuestionCipher(KeyRing([_OLD]))
    kept = cipher.seal(_QUESTION, tenant="demo", attempt_id=_ONE)

    with pytest.raises(UnopenedError):
        cipher.open(kept, tenant=tenant, attempt_id=attempt_id)


def test_a_key_is_exchanged_without_a_gap() -> None:
    kept = QuestionCipher(KeyRing([_OLD])).seal(_QUESTION, tenant="demo", attempt_id=_ONE)
    both, alone = QuestionCipher(KeyRing([_NEW, _OLD])), QuestionCipher(KeyRing([_NEW]))

    before = both.open(kept, tenant="demo", attempt_id=_ONE)
    wrapped = both.wrap_anew(kept, tenant="demo", attempt_id=_ONE)

    assert before == alone.open(wrapped, tenant="demo", attempt_id=_ONE) == _QUESTION
    assert wrapped.ciphertext == kept.ciphertext
    assert both.older == (kept.key_id,)
