"""What is erased is kept nowhere: in no table and in no key of any service. What may be taken along is whole."""

import asyncio
import base64
import json
import re
import secrets
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from contracts.customer import Attempt
from contracts.ids import uuid7
from contracts.messages import ATTEMPT_JUDGED, CREATE_TICKET, KNOWLEDGE_QUEUE, TICKET_CHANGED, Envelope
from contracts.reading import later_versions
from runtime.http import trust
from runtime.queue import make_celery, publish
from tests.support.customer import Customer, new_customer, path_of
from tests.support.everything import kept_in_postgres, kept_in_valkey, superuser_url
from tests.support.system import System

pytestmark = pytest.mark.journey


# Where what a customer said comes to stand, in clear text.
HOLDS_WORDS: Final = {
    "bff.attempt",
    "bff.feedback",
    "bff.escalation",
    "bff.outbox",
    "bff.parked_message",
    "knowledge.answer_opening",
    "knowledge.answer_log",
    "knowledge.review_judgement",
    "knowledge.review_escalation",
    "knowledge.review_verdict",
    "knowledge.knowledge_proposal",
    "knowledge.golden_case",
    "knowledge.evaluation_result",
    "ticketing.ticket",
    "ticketing.desk_ticket",
    "ticketing.parked_message",
}
# What holds documents, ids, states, counts and keys of ours; or the words of customers, but encrypted under a key that
# nobody but an operator uses (`answer_original`, `original`, `draft_original`).
HOLDS_NONE: Final = {
    "bff": {"alembic_version", "conversation", "failed_delivery"},
    "knowledge": {
        "alembic_version",
        "analyser_build",
        "answer_batch",
        "answer_cause",
        "answer_chain",
        "answer_check",
        "answer_citation",
        "answer_erasure",
        "answer_judgement",
        "answer_open",
        "answer_original",
        "answer_seal",
        "answer_unsealed",
        "archive_part",
        "audience",
        "audience_segment",
        "audit_event",
        "conflict_dismissal",
        "conflict_hint",
        "conflict_omitted",
        "document",
        "draft_original",
        "evaluation_run",
        "evaluation_threshold",
        "failed_delivery",
        "import_file",
        "import_job",
        "import_problem",
        "mask",
        "mask_allowance",
        "notice",
        "notice_delivery",
        "original",
        "parked_message",
        "passage",
        "passage_duplicate",
        "passage_likeness",
        "passage_pair",
        "passage_vector",
        "posting",
        "read_draft",
        "review_item",
        "revision",
        "sentence",
        "sentence_backlog",
        "tenant_pointer",
        "term_frequency",
        "vector_cache",
        "version",
        "version_audience",
        "version_revision",
        "withdrawal",
    },
    "ticketing": {
        "alembic_version",
        "desk_counter",
        "erased_attempt",
        "failed_delivery",
        "helpdesk_gate",
        "inbox",
        "outbox",
        "ticket_try",
    },
}


def test_every_table_is_known_to_hold_words_or_to_hold_none(system: System) -> None:
    tables = {f"{service}.{_whole(table)}" for service in HOLDS_NONE for table in tables_of(system, service)}
    without = {f"{service}.{table}" for service, names in HOLDS_NONE.items() for table in names}

    assert tables - HOLDS_WORDS == without


def _whole(table: str) -> str:
    """Name the table of which this is a partition."""
    return re.sub(r"(_\d+)?_p\d+$", "", table)


async def test_an_erased_conversation_is_kept_nowhere(customer: Customer, system: System) -> None:
    words = made_up_words()
    attempt = await say_everywhere(customer, system, words)
    work_through(system, attempt, words)
    await put_aside(system, attempt, words)
    before = {place for place in places(system, words) if not place.startswith("valkey.")}
    assert before == HOLDS_WORDS

    (await customer.http.delete(f"/v1/conversations/{attempt.conversation_id}")).raise_for_status()

    system.wait(lambda: not places(system, words), f"{words} to be kept nowhere")
    logs = "".join(log.read_text(encoding="utf-8") for log in (system.home / "logs").glob("*.log"))
    assert words not in logs


async def test_an_erased_customer_is_kept_nowhere_and_was_exported_whole(system: System, tmp_path: Path) -> None:
    words, kept = made_up_words(), made_up_words()
    async with new_customer(system.bff) as customer, new_customer(system.bff) as neighbour:
        attempts = [await say_everywhere(customer, system, words) for _ in range(2)]
        await neighbour.ask(f"退款多久到账？{kept}")
        name = subject_of(customer)

        system.command("customers", "export", name, "--to", str(tmp_path / "export.json"))
        system.command("customers", "erase", name, "--yes")

        system.wait(lambda: not places(system, words), f"{words} to be kept nowhere")
    exported = json.loads((tmp_path / "export.json").read_text(encoding="utf-8"))
    assert [each["conversationId"] for each in exported["conversations"]] == [a.conversation_id for a in attempts]
    assert (tmp_path / "export.json").read_text(encoding="utf-8").count(words) >= 6
    assert "bff.attempt" in places(system, kept)


async def say_everywhere(customer: Customer, system: System, words: str) -> Attempt:
    """Leave words wherever a customer can leave them, until all services hold them."""
    attempt = await customer.ask(f"退款多久到账？{words}", facts={"channel": words})
    judgement = {"rating": "NOT_HELPFUL", "reasonCode": "OUTDATED", "comment": words}
    (await customer.http.put(f"{path_of(attempt)}/feedback", json=judgement)).raise_for_status()
    wish = await customer.http.post(
        f"{path_of(attempt)}/escalations",
        json={"note": words},
        headers={"Idempotency-Key": f"{words}-{secrets.token_hex(4)}"},
    )
    escalation_id = wish.raise_for_status().json()["escalationId"]
    system.wait(lambda: is_told(system, escalation_id), "the ticket and the judgement to be told")
    return attempt


def work_through(system: System, attempt: Attempt, words: str) -> None:
    """Let staff make of the attempt whatever they can: a verdict, a text for the knowledge, a golden case, a run."""
    token = system.command(
        "token", "--tenant", "demo", "--role", "reviewer", "--role", "operator", "--role", "publisher"
    ).stdout.strip()
    with httpx.Client(
        base_url=f"{system.knowledge}/v1/staff",
        headers={"Authorization": f"Bearer {token}"},
        trust_env=False,
        verify=trust(),
    ) as staff:

        def send(path: str, **body: object) -> Any:  # JSON
            return staff.post(path, json=body).raise_for_status().json()

        item = f"/review/items/{attempt.attempt_id}"
        system.wait(lambda: staff.get(item).is_success, "the judgement to reach the reviewers")
        send(f"{item}/take")
        send(f"{item}/proposals", slug="journey/erased", title="退款", body="退款的时间。")
        send(f"{item}/cases", category="journey", routes=["answer"], mustIncludeAny=[[words]])
        send(f"{item}/verdicts", layer="CORRECT", note=words)
        versions = staff.get("/versions").raise_for_status().json()["items"]
        current = next(each["number"] for each in versions if each["state"] == "PUBLISHED")
        run = send(f"/versions/{current}/evaluations")["runId"]

        def is_over() -> bool:
            return staff.get(f"/evaluations/{run}").raise_for_status().json()["state"] not in ("WAITING", "RUNNING")

        system.wait(is_over, "the run to end")


async def put_aside(system: System, attempt: Attempt, words: str) -> None:
    """Send each service a message about the attempt that nobody can follow."""
    celery = make_celery("journey", redis_url=system.state.environment["YOUJU_REDIS_URL"])
    later = {"bff": TICKET_CHANGED, "ticketing": CREATE_TICKET, KNOWLEDGE_QUEUE: ATTEMPT_JUDGED}
    for queue, name in later.items():
        envelope = Envelope(
            id=str(uuid7()),
            source="journey",
            type=later_versions(name)[0],
            subject=attempt.attempt_id,
            time=attempt.created_at,
            tenant="demo",
            attemptid=attempt.attempt_id,
            data={"said": words},
        )
        await asyncio.to_thread(publish, celery, queue=queue, envelope=envelope)

    def are_parked() -> bool:
        return all(
            attempt.attempt_id in tables_of(system, service)["parked_message"]
            for service in ("bff", "knowledge", "ticketing")
        )

    system.wait(are_parked, "the messages to be put aside")


def is_told(system: System, escalation_id: str) -> bool:
    tables = tables_of(system, "bff")
    return not any(escalation_id in line and "ACKNOWLEDGED" not in line for line in tables["outbox"].splitlines())


def places(system: System, words: str) -> set[str]:
    """Name every table and key that holds words."""
    held = {
        f"{service}.{table}"
        for service in ("bff", "knowledge", "ticketing")
        for table, rows in tables_of(system, service).items()
        if words in rows
    }
    keys = kept_in_valkey(system.state.environment["YOUJU_REDIS_URL"])
    return held | {f"valkey.{key}" for key, content in keys.items() if words in content}


def tables_of(system: System, service: str) -> dict[str, str]:
    owner_url = system.state.environment[f"YOUJU_{service.upper()}_OWNER_DATABASE_URL"]
    return kept_in_postgres(superuser_url(owner_url, service))


def subject_of(customer: Customer) -> str:
    """Read the customer's name from their own token."""
    body = customer.http.headers["Authorization"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))["sub"]


def made_up_words() -> str:
    # Letters only: digits could be masked on their way.
    return "".join(secrets.choice("bcdfghjklmnpqrstvwxz") for _ in range(16))
