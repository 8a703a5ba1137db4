from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.ids import MalformedIdError, parsed, printed, uuid7


@given(st.uuids())
def test_a_printed_id_reads_back(value: UUID) -> None:
    assert parsed("att", printed("att", value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "att_",
        "cnv_" + "0" * 32,
        "att_" + "0" * 31,
        "att_" + "g" * 32,
        "att_" + "A" * 32,
        "att_" + "0" * 33,
        "0" * 32,
    ],
)
def test_anything_else_is_malformed(text: str) -> None:
    with pytest.raises(MalformedIdError):
        parsed("att", text)


def test_ids_are_version_seven_and_ordered_by_time() -> None:
    made = [uuid7() for _ in range(200)]

    assert {(value.version, value.variant) for value in made} == {(7, "specified in RFC 4122")}
    assert [value.int >> 80 for value in made] == sorted(value.int >> 80 for value in made)
