import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import httpx
import pytest

from knowledge.evaluation.golden import Golden
from knowledge.evaluation.observed import Observed
from knowledge.evaluation.scoring import Library, score
from knowledge.evaluation.summary import Scored
from youju.corpora import read_library
from youju.evaluating import scopes_of
from youju.evaluation_report import faults, report, table
from youju.golden_files import of_tenant, read_questions, write_questions
from youju.observing import observe
from youju.trouble import Trouble

pytestmark = pytest.mark.unit

CONVERSATION = "cnv_" + "1" * 32
ATTEMPT = f"/v1/conversations/{CONVERSATION}/attempts"
QUOTE = "退款一般在三个工作日内到账。"

Answer = Callable[[httpx.Request], httpx.Response]


def attempt(**changes: object) -> dict[str, object]:
    whole: dict[str, object] = {
        "attemptId": "att_" + "2" * 32,
        "conversationId": CONVERSATION,
        "retryOfAttemptId": None,
        "status": "COMPLETED",
        "question": "退款多久到账？",
        "answer": QUOTE,
        "parts": [{"kind": "statement", "text": QUOTE, "citations": [1], "questionPart": None}],
        "coverage": "full",
        "citations": [citation()],
        "refused": False,
        "reasonCode": None,
        "refusalReason": None,
        "missingFacts": [],
        "handoff": "none",
        "suggestions": [],
        "failureCode": None,
        "retryable": False,
        "knowledgeVersion": 1,
        "asOf": "2026-03-01",
        "language": "zh",
        "traceId": "3" * 32,
        "feedback": None,
        "createdAt": "2026-03-01T00:00:00Z",
        "completedAt": "2026-03-01T00:00:01Z",
    }
    return whole | changes


def citation(**changes: object) -> dict[str, object]:
    whole: dict[str, object] = {
        "index": 1,
        "title": "退款",
        "section": "到账时间",
        "revision": "2",
        "effectiveFrom": None,
        "effectiveTo": None,
        "updatedAt": "2026-01-01T00:00:00Z",
        "quote": QUOTE,
        "detailUrl": f"{ATTEMPT}/att_{'2' * 32}/citations/1",
        "sourceUrl": None,
    }
    return whole | changes


def passage() -> dict[str, object]:
    shown = {name: value for name, value in citation().items() if name != "detailUrl"}
    more = {"headingPath": ["退款"], "passage": f"## 到账时间\n{QUOTE}", "quoteStart": 8, "quoteEnd": 8 + len(QUOTE)}
    return {**shown, **more, "replacedBy": None, "withdrawnAt": None}


def api(answer: Answer) -> httpx.Client:
    """Open a client of a customer API that answers asks as told."""

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/conversations":
            return httpx.Response(200, json={"conversationId": CONVERSATION, "attempts": [], "escalation": None})
        if "/citations/" in request.url.path:
            return httpx.Response(200, json=passage())
        return answer(request)

    return httpx.Client(base_url="http://bff", transport=httpx.MockTransport(handle))


def golden(**changes: object) -> Golden:
    row = Golden(
        id="g-1",
        lang="zh",
        category="answerable",
        scope="shop",
        question="退款多久到账？",
        acceptable_routes=("answer",),
    )
    return row.model_copy(update=changes)


def test_an_answer_is_observed_with_the_passages_behind_its_citations() -> None:
    observed = observe(api(lambda _: httpx.Response(200, json=attempt())), "退款多久到账？")

    assert (observed.answered, observed.answer) == (True, QUOTE)
    assert [each.passage for each in observed.citations] == [f"## 到账时间\n{QUOTE}"]


def test_an_attempt_that_is_still_pending_is_waited_for() -> None:
    pending = attempt(status="PENDING", answer=None, parts=[], citations=[], coverage=None)

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(202, json=pending) if request.method == "POST" else httpx.Response(200, json=attempt())

    assert observe(api(answer), "退款多久到账？").answer == QUOTE


def test_a_limit_is_waited_for() -> None:
    answers = [httpx.Response(429, headers={"Retry-After": "0"}), httpx.Response(200, json=attempt())]

    assert observe(api(lambda _: answers.pop(0)), "退款多久到账？").answer == QUOTE


def test_a_failure_is_observed_under_its_code() -> None:
    problem = {
        "type": "urn:youju:problem:knowledge-timeout",
        "title": "Gateway Timeout",
        "status": 504,
        "detail": "It took too long.",
        "instance": None,
        "code": "KNOWLEDGE_TIMEOUT",
        "attemptId": None,
        "traceId": None,
    }

    assert observe(api(lambda _: httpx.Response(504, json=problem)), "?").failure == "KNOWLEDGE_TIMEOUT"


def test_questions_of_no_company_go_to_the_first_one() -> None:
    assert scopes_of([golden(scope=None), golden(scope="b"), golden(scope="a"), golden(scope="b")]) == ("b", "a")
    assert scopes_of([golden(scope=None)]) == ("37signals",)


def test_a_malformed_question_is_named_by_line_and_field(tmp_path: Path) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_text('\n{"id": "g"}\n', encoding="utf-8")

    with pytest.raises(Trouble, match=r"golden\.jsonl line 2: lang: "):
        read_questions(file)


def test_only_the_revision_in_force_today_is_no_stale_evidence(tmp_path: Path) -> None:
    spans = [
        {"valid_to": "2026-01-01"},
        {"valid_from": "2026-01-01", "valid_to": "2026-06-01"},
        {"valid_from": "2026-06-01"},
    ]
    rows = [
        {"doc_id": "a", "version": version, "title": "A", "lang": "en", "path": "a.md", **span}
        for version, span in enumerate(spans, 1)
    ]
    file = tmp_path / "manifest.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")

    library = read_library(file, today=date(2026, 5, 31))

    assert library.not_in_force == {("A", "1"), ("A", "3")}
    assert library.revisions[("a", 2)] == ("A", "2")


def _scored(row: Golden, observed: Observed) -> Scored:
    library = Library(revisions={}, not_in_force=frozenset())
    return Scored(row, observed, score(row, observed, library=library, claim_overlap=0.6))


def test_the_table_has_a_line_for_each_group_and_one_for_all() -> None:
    observed = observe(api(lambda _: httpx.Response(200, json=attempt())), "?")
    rows = [
        _scored(golden(), observed),
        _scored(golden(category="escalate", acceptable_routes=("escalate",)), observed),
    ]

    lines = table(rows)

    assert [line[:4] for line in lines[1:]] == [
        ("answerable", "zh", "1", "1/1"),
        ("escalate", "zh", "1", "0/1"),
        ("all", "", "2", "1/2"),
    ]
    assert faults(rows) == ["g-1: wrong answer: an answer is not acceptable"]
    assert report(rows)["missedBars"] == ("1 escalation topics are answered",)


def _case(case_id: str, scope: str | None) -> Golden:
    known = {"id": case_id, "lang": "zh", "category": "c", "question": "能退吗？", "acceptable_routes": ["answer"]}
    return Golden.model_validate({**known, "scope": scope, "as_of": "2026-07-01", "set": "safety"})


def test_a_golden_file_comes_back_as_it_was_written(tmp_path: Path) -> None:
    cases = (_case("a", "shop"), _case("b", None))

    assert write_questions(tmp_path / "cases.jsonl", cases) == 2
    assert read_questions(tmp_path / "cases.jsonl") == cases


def test_a_golden_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="cannot be written"):
        write_questions(tmp_path / "no" / "cases.jsonl", ())


@pytest.mark.parametrize(("tenant", "taken"), [("shop", ["a", "c"]), ("other", ["a", "b", "c"])])
def test_a_tenant_takes_the_questions_of_its_scope_or_all(tenant: str, taken: list[str]) -> None:
    cases = (_case("a", "shop"), _case("b", "airline"), _case("c", None))

    assert [each.id for each in of_tenant(cases, tenant)] == taken
