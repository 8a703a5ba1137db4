"""What every helpdesk is put through, against a double that keeps the helpdesk's own rules."""

import logging
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace as changed
from datetime import date, timedelta
from itertools import count
from typing import Any

import pytest

from contracts.messages import CreateTicket, TicketCitation, TicketContact, TranscriptTurn
from services.ticketing.tests.attacks import payloads
from services.ticketing.tests.doubles.benches import Bench, make_benches
from services.ticketing.tests.doubles.double import Fault, Said
from services.ticketing.tests.fakes import MOMENT, order
from ticketing.adapters import connection
from ticketing.tickets.helpdesk import (
    GuaranteeKind,
    Helpdesk,
    HelpdeskError,
    HelpdeskStatus,
    KeyTakenError,
    NotCreatedError,
    OutcomeUnknownError,
    RefusedError,
)
from ticketing.tickets.rendering import key_stamp

pytestmark = pytest.mark.store

BENCHES = make_benches()
# Every tag that we write ourselves.
_OURS = re.compile(r"</?(?:h3|p|br)>")
_AT_ONCE = 25
PAYLOAD = '=HYPERLINK("http://x") <script>alert(1)</script>\r\nBcc: a@b.example {{ticket.requester.email}} {% raw %} \u202e\x00'


@pytest.fixture(scope="module", autouse=True)
def _served() -> Iterator[None]:
    with ExitStack() as stack:
        for bench in BENCHES:
            stack.enter_context(bench.double.served())
        yield


@pytest.fixture(params=BENCHES, ids=lambda bench: bench.kind)
def bench(request: pytest.FixtureRequest) -> Bench:
    found: Bench = request.param
    found.double.reset()
    return found


@pytest.fixture
def helpdesk(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Helpdesk:
    return bench.connect(monkeypatch)


def _order(**fields: Any) -> CreateTicket:  # any field of an order
    citation = TicketCitation(
        index=1,
        title="退货政策",
        section="运费",
        revision="2026-07",
        effective_from=date(2026, 7, 1),
        quote="质量问题退货的运费由商家承担。",
    )
    return order("shop").model_copy(update={"answer": "运费由商家承担。", "citations": (citation,), **fields})


def test_a_ticket_holds_what_the_person_who_takes_over_needs(bench: Bench, helpdesk: Helpdesk) -> None:
    made = helpdesk.create(_order())

    (kept,) = bench.double.tickets
    assert str(kept["id"]) == made.external_id
    for needed in ("能退吗？", "运费由商家承担。", "质量问题退货的运费由商家承担。", "2026-07", "att_" + "1" * 32):
        assert needed in str(kept)


def test_our_key_is_stamped_on_the_ticket(bench: Bench, helpdesk: Helpdesk) -> None:
    helpdesk.create(_order())

    (kept,) = bench.double.tickets
    assert key_stamp("key-1") in str(kept)


def test_a_repeat_or_a_lookup_leads_to_the_first_ticket(bench: Bench, helpdesk: Helpdesk) -> None:
    first = helpdesk.create(_order())

    if helpdesk.guarantee.kind == "native_key":
        assert helpdesk.create(_order()) == first
    else:
        assert helpdesk.find_by_key(tenant="shop", ticket_key="key-1") == first
        assert helpdesk.find_by_key(tenant="shop", ticket_key="key-2") is None
    assert len(bench.double.tickets) == 1


def test_every_kind_of_guarantee_is_declared_and_bounded(bench: Bench, helpdesk: Helpdesk) -> None:
    expected: dict[str, GuaranteeKind] = {
        "zendesk": "native_key",
        "zammad": "lagging_lookup",
        "request_tracker": "strong_lookup",
        "webhook": "native_key",
    }

    assert helpdesk.guarantee.kind == expected[bench.kind]
    assert helpdesk.guarantee.kind == "native_key" or helpdesk.guarantee.lag > timedelta(0)


def test_a_wrong_secret_is_refused_and_told_to_nobody(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = "whsec_" + "d3Jvbmc" * 8 if bench.kind == "webhook" else "a-wrong-secret"
    helpdesk = bench.connect(monkeypatch, **{bench.secret: wrong})

    with caplog.at_level(logging.DEBUG), pytest.raises(RefusedError) as refused:
        helpdesk.create(_order())

    said = caplog.text + str(refused.value) + repr(vars(helpdesk).get("_settings"))
    assert wrong not in said
    assert bench.double.tickets == []


def test_what_the_helpdesk_finds_wrong_is_refused(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    helpdesk = bench.connect(monkeypatch, **bench.spoilt)

    with pytest.raises(RefusedError):
        helpdesk.create(_order())

    assert bench.double.tickets == []


@pytest.mark.parametrize(
    ("fault", "error", "exists"),
    [
        ("lose_reply", OutcomeUnknownError, True),
        ("late", OutcomeUnknownError, True),
        ("fail_after", OutcomeUnknownError, True),
        ("fail_before", OutcomeUnknownError, False),
        ("garbage", OutcomeUnknownError, True),
        ("cut", OutcomeUnknownError, True),
        ("busy", NotCreatedError, False),
    ],
)
def test_what_is_known_after_a_fault(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, fault: Fault, error: type[HelpdeskError], *, exists: bool
) -> None:
    seconds = "0.5" if fault in {"lose_reply", "late"} else "20"
    helpdesk = bench.connect(monkeypatch, seconds=seconds)
    bench.double.faults.append(fault)

    with pytest.raises(error):
        helpdesk.create(_order())

    bench.double.wait_idle()
    assert len(bench.double.tickets) == exists


def test_a_helpdesk_that_is_busy_says_for_how_long(bench: Bench, helpdesk: Helpdesk) -> None:
    bench.double.faults.append("busy")

    with pytest.raises(NotCreatedError) as busy:
        helpdesk.create(_order())

    assert busy.value.retry_after == timedelta(seconds=7)


def test_where_nobody_listens_nothing_is_created(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    helpdesk = bench.connect(monkeypatch, url="http://127.0.0.1:9")

    with pytest.raises(NotCreatedError):
        helpdesk.create(_order())


def test_what_a_customer_wrote_arrives_inert(bench: Bench, helpdesk: Helpdesk) -> None:
    helpdesk.create(_order(question=PAYLOAD, note=PAYLOAD))

    (kept,) = bench.double.tickets
    _is_inert(kept)


def _is_inert(kept: dict[str, Any]) -> None:  # as a double keeps it
    read = {name: str(kept[name]) for name in kept if name in _READ}
    assert read
    for name, text in read.items():
        assert "{{" not in text
        assert "{%" not in text
        assert "\u202e" not in text
        assert not text.startswith(("=", "+", "-", "@"))
        if name in _ONE_LINE:
            assert "\n" not in text
        elif name in {"Content", "textPlain"}:
            assert all(not line or line.startswith("  ") or line[0].isalnum() for line in text.split("\n"))
        else:
            assert _OURS.sub("", text).count("<") == 0


_ONE_LINE = frozenset({"subject", "Subject", "title"})
_READ = _ONE_LINE | {"comment", "article", "Content", "textPlain", "textHtml"}


@pytest.mark.parametrize("letter", ["<", "退"])
def test_a_ticket_longer_than_the_helpdesk_takes_is_cut_and_keeps_its_question(
    bench: Bench, helpdesk: Helpdesk, letter: str
) -> None:
    helpdesk.create(_order(question="能退吗" * 300, note=letter * 200_000))

    (kept,) = bench.double.tickets
    assert "能退吗" in str(kept)
    assert key_stamp("key-1") in str(kept)


def test_a_customer_whose_contact_is_known_is_the_one_who_asks(bench: Bench, helpdesk: Helpdesk) -> None:
    helpdesk.create(_order(contact=TicketContact(name="李", email="li@home.example")))

    assert "li@home.example" in str(bench.double.tickets[0])


def test_every_allowed_way_to_reach_a_customer_is_told(bench: Bench, helpdesk: Helpdesk) -> None:
    helpdesk.create(_order(contact=TicketContact(name="李小龙", email="li@home.example", phone="13800138000")))

    said = str(bench.double.tickets[0])
    assert all(way in said for way in ("李小龙", "li@home.example", "13800138000"))


@pytest.mark.parametrize(
    "contact",
    [
        TicketContact(name="Li\r\nBcc: all@x.example", email="li@home.example\r\nBcc: all@x.example"),
        TicketContact(name="=1+1", email="a@b.example, all@x.example", phone="=cmd|'/c calc'!A1"),
        TicketContact(name="+1+1", email="+1@x.example", phone="+1+1"),
        TicketContact(name="-1-1", email="-1@x.example", phone="-1-1"),
        TicketContact(name="{{ticket.id}} <b>" * 50, email="x" * 400 + "@x.example", phone="1" * 10_000),
    ],
    ids=["headers", "lists", "plus", "minus", "long"],
)
def test_a_hostile_contact_asks_for_nobody_and_is_inert(
    bench: Bench, helpdesk: Helpdesk, contact: TicketContact
) -> None:
    helpdesk.create(_order(contact=contact))

    (kept,) = bench.double.tickets
    asks = str(kept.get("requester") or kept.get("customer_id") or kept.get("Requestor") or "shop@shop.example")
    assert "shop@shop.example" in asks
    assert "x.example" not in asks
    for name in sorted(_READ & set(kept)):
        assert "{{" not in str(kept[name])
        assert not any(line.startswith(("=", "Bcc")) for line in str(kept[name]).splitlines())


@pytest.mark.parametrize("name", ["zh_handmade.jsonl", "garak.jsonl", "bipia_instructions.jsonl"])
def test_known_attacks_arrive_inert(bench: Bench, helpdesk: Helpdesk, name: str) -> None:
    known = payloads(name)
    for start in range(0, len(known), _AT_ONCE):
        bench.double.reset()
        some = known[start : start + _AT_ONCE]
        turns = tuple(TranscriptTurn(question=each, answer=None, asked_at=MOMENT) for each in some)
        helpdesk.create(_order(question=some[0], note=some[-1], transcript=turns, ticket_key=f"key-{start}"))

        (kept,) = bench.double.tickets
        _is_inert(kept)


def test_what_a_person_does_is_read(bench: Bench, helpdesk: Helpdesk) -> None:
    made = helpdesk.create(_order())
    statuses = [helpdesk.read(tenant="shop", external_id=made.external_id)]

    for move in bench.moves.values():
        bench.double.tickets[0].update(move)
        statuses.append(helpdesk.read(tenant="shop", external_id=made.external_id))

    expected = ["TICKET_CREATED", "IN_PROGRESS", "SOLVED"] if helpdesk.is_polled else [None]
    assert [status and status.status for status in statuses] == expected


def _solved(bench: Bench, helpdesk: Helpdesk, *said: Said) -> HelpdeskStatus | None:
    made = helpdesk.create(_order())
    bench.double.tickets[0].update(bench.moves.get("solve", {}))
    bench.double.said += said
    return helpdesk.read(tenant="shop", external_id=made.external_id)


def test_a_solved_ticket_brings_what_the_customer_was_told_last(bench: Bench, helpdesk: Helpdesk) -> None:
    said = (Said("请稍等。"), Said("已退款。"), Said("谢谢！", by="customer"), Said("费用已记", is_internal=True))

    found = _solved(bench, helpdesk, *said)

    assert (found and found.solution) == ("已退款。" if helpdesk.is_polled else None)


@pytest.mark.parametrize("hides", [True, False])
def test_a_ticket_that_was_solved_without_a_word_we_may_see_is_solved(
    bench: Bench, helpdesk: Helpdesk, *, hides: bool
) -> None:
    bench.double.hides_replies = hides

    found = _solved(bench, helpdesk, Said("内部", is_internal=True))

    assert found == (HelpdeskStatus(status="SOLVED") if helpdesk.is_polled else None)


def test_a_webhook_that_knows_the_id_with_other_content_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = BENCHES[3]
    bench.double.reset()
    helpdesk = bench.connect(monkeypatch)
    helpdesk.create(_order())

    with pytest.raises(KeyTakenError):
        helpdesk.create(_order(note="another wording"))


def test_a_ticket_that_is_gone_is_none(bench: Bench, helpdesk: Helpdesk) -> None:
    assert helpdesk.read(tenant="shop", external_id="4711") is None
    assert bench.double.tickets == []


def test_an_address_that_leads_elsewhere_does_not_make_tickets_gone(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = bench.connect(monkeypatch).create(_order())
    elsewhere = bench.connect(monkeypatch, url=f"{bench.double.url}/elsewhere")

    if not elsewhere.is_polled:
        assert elsewhere.read(tenant="shop", external_id=made.external_id) is None
        return
    with pytest.raises(HelpdeskError):
        elsewhere.read(tenant="shop", external_id=made.external_id)


def test_zendesk_gives_the_first_ticket_when_a_release_writes_the_text_differently(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = changed(BENCHES[0])
    bench.double.reset()
    helpdesk = bench.connect(monkeypatch)
    first = helpdesk.create(_order())

    assert helpdesk.create(_order(note="another wording")) == first


@pytest.mark.parametrize("is_seen", [True, False])
def test_zendesk_that_lists_nothing_yet_under_a_known_key_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, *, is_seen: bool
) -> None:
    bench = BENCHES[0]
    bench.double.reset()
    helpdesk = bench.connect(monkeypatch)
    helpdesk.create(_order())
    bench.double.is_lagging = not is_seen

    if is_seen:
        assert helpdesk.find_by_key(tenant="shop", ticket_key="key-1") is not None
    else:
        with pytest.raises(HelpdeskError) as waiting:
            helpdesk.create(_order(note="another wording"))
        assert waiting.value.outcome == "UNKNOWN"


@pytest.mark.parametrize("asked", ["create", "read"])
def test_what_takes_several_requests_ends_within_the_deadline_of_one_call(
    monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    bench = BENCHES[0]
    bench.double.reset()
    helpdesk = bench.connect(monkeypatch)
    made = helpdesk.create(_order())
    bench.double.tickets[0].update(bench.moves["solve"])
    bench.double.requests.clear()
    # Every look at the stopwatch finds fifteen of the twenty seconds gone.
    monkeypatch.setattr(connection, "_stopwatch", count(step=15).__next__)

    with pytest.raises(OutcomeUnknownError, match="No time was left"):
        if asked == "create":
            helpdesk.create(_order(note="another wording"))
        else:
            helpdesk.read(tenant="shop", external_id=made.external_id)

    assert len(bench.double.requests) == 1
