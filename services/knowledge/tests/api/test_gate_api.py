"""Owners see what seems to disagree and let it stand; publishers calibrate evidence with labelled questions."""

from dataclasses import replace
from datetime import date

import pytest

from knowledge.retrieval.searching import Searcher, SearchResult, Serving
from services.knowledge.tests.api.conftest import Premises
from tests.support.office import Office

pytestmark = pytest.mark.store


class _Listening:
    """A searcher that remembers what it was asked."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher
        self.questions: list[str] = []

    async def serving(self, *, tenant: str, version: int | None = None) -> Serving:
        return await self._searcher.serving(tenant=tenant, version=version)

    async def search(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int | None = None
    ) -> SearchResult:
        self.questions.append(question)
        return await self._searcher.search(
            tenant=tenant, segments=segments, question=question, as_of=as_of, version=version
        )


def _rule(slug: str, days: str) -> tuple[str, bytes]:
    front = f"---\nslug: {slug}\nlabel: '1'\nlanguage: zh\n---\n"
    return f"{slug}.md", f"{front}# 退货期限\n\n收到商品后{days}天内可以申请退货。\n".encode()


async def test_a_conflict_is_listed_dismissed_with_a_reason_and_opened_again(office: Office) -> None:
    await office.bring_in(_rule("a", "七"), _rule("b", "十五"))

    (conflict,) = (await office.call("GET", "/versions/1/conflicts", "reviewer")).json()["items"]
    place = f"/conflicts/{conflict['key']}/dismissal"
    forbidden = await office.call("PUT", place, "reviewer", reason="说的是两种商品")
    empty = await office.call("PUT", place, "owner", reason=" ")
    unknown = await office.call("PUT", f"/conflicts/{'0' * 64}/dismissal", "owner", reason="没有")
    dismissed = await office.call("PUT", place, "owner", reason="说的是两种商品")
    (after,) = (await office.call("GET", "/versions/1/conflicts", "owner")).json()["items"]
    restored = await office.call("DELETE", place, "owner")
    (again,) = (await office.call("GET", "/versions/1/conflicts", "owner")).json()["items"]
    acts = (await office.call("GET", "/audit", "owner")).json()["items"]

    assert {conflict["one"]["slug"], conflict["other"]["slug"]} == {"a", "b"}
    assert "退货" in conflict["one"]["sentence"]
    assert [each.status_code for each in (forbidden, empty, unknown)] == [403, 400, 404]
    assert (dismissed.status_code, restored.status_code) == (204, 204)
    assert (after["dismissal"]["reason"], after["dismissal"]["dismissedBy"]) == ("说的是两种商品", "staff-1")
    assert (conflict["dismissal"], again["dismissal"]) == (None, None)
    assert [each["act"] for each in acts if "CONFLICT" in each["act"]] == ["CONFLICT_RESTORED", "CONFLICT_DISMISSED"]


async def test_labelled_questions_stage_a_version_with_its_report(office: Office) -> None:
    await office.bring_in(_rule("a", "七"))
    await office.publish(1)
    asked = [{"question": f"收到商品后几天内可以申请退货{'？' * n}", "answerable": True} for n in range(1, 13)]
    asked += [{"question": f"营业厅第{n}层有没有停车位", "answerable": False} for n in range(1, 13)]

    few = await office.call("POST", "/calibrations", "publisher", questions=[*asked[:12], *asked[:12]])
    forbidden = await office.call("POST", "/calibrations", "reviewer", questions=asked)
    report = (await office.call("POST", "/calibrations", "publisher", questions=asked)).json()
    staged = (await office.call("GET", f"/versions/{report['version']}", "publisher")).json()

    assert (few.status_code, few.json()["code"]) == (400, "TOO_FEW_LABELS")
    assert forbidden.status_code == 403
    assert (report["version"], report["calibratedFrom"], staged["state"]) == (2, 1, "STAGED")
    assert sum(each["questions"] for each in report["reliability"]) == 24
    assert (report["wrongAfter"], report["needlessAfter"]) == (0.0, 0.0)
    assert (await office.publish(2)).json() == {"version": 2}


async def test_labelled_questions_are_searched_for_without_personal_data(premises: Premises, office: Office) -> None:
    await office.bring_in(_rule("a", "七"))
    await office.publish(1)
    resources = premises.app.state.resources
    heard = _Listening(resources.searcher)
    premises.app.state.resources = replace(resources, searcher=heard)
    asked = [
        {"question": f"我的电话是13812345678，第{number}件几天内可以退货", "answerable": number % 2 == 0}
        for number in range(1, 25)
    ]

    answer = await office.call("POST", "/calibrations", "publisher", questions=asked)

    assert answer.status_code == 201, answer.text
    assert len(heard.questions) == 24
    assert not any("13812345678" in each for each in heard.questions)
