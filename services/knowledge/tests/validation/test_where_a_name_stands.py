"""A party and an act are read only where a word names them: not in a compound, an idiom, a noun or a participle."""

import pytest

from knowledge.validation.claims import check_claim
from knowledge.validation.party_acts import read_roles
from knowledge.validation.verdict import FaultCode
from knowledge.validation.words import normalise

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "parties"),
    [
        ("The tenant deposit is paid back within a month.", set[str]()),
        ("Guests can host a party of up to ten in the garden.", {"buyer"}),
        ("Disputes about the parking fee may be taken to court.", set[str]()),
        ("The court decides about the parking fee.", {"court"}),
        ("Pupils are picked up at school by their parents.", {"guardian"}),
        ("Should the guest cancel, the room is let again.", {"buyer"}),
        ("You and your guarantor sign together.", {"buyer", "guarantor"}),
        ("Our side bears the cost.", {"house"}),
    ],
)
def test_a_name_that_only_says_which_thing_is_meant_is_no_party(text: str, parties: set[str]) -> None:
    assert read_roles(normalise(text)).parties == parties


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("The landlord keeps the deposit paid at the start.", {("keep", "landlord")}),
        ("Guests need written consent to smoke on the balcony.", set[tuple[str, str]]()),
        ("The gallery keeps the prints you left for testing.", set[tuple[str, str]]()),
        ("The kennel staff clean the boxes.", {("clean", "employee")}),
        ("Members access the pool with a chip.", {("access", "buyer")}),
        ("The supplier then delivered goods by lorry.", {("deliver", "seller")}),
        ("Tenants may review the bill, and report mistakes.", {("review", "tenant"), ("report", "tenant")}),
    ],
)
def test_a_word_that_is_a_noun_or_describes_one_is_nobodys_act(text: str, acts: set[tuple[str, str]]) -> None:
    assert {(role.act, role.party) for role in read_roles(normalise(text)).roles} == acts


@pytest.mark.parametrize(
    ("text", "act", "party"),
    [
        ("Tell the landlord early: he has to repair the boiler within a week.", "repair", "landlord"),
        ("You may write to the insurer, and it must answer within ten days.", "answer", "insurer"),
        ("If guests leave early, they pay the full price.", "bear", "buyer"),
        ("The courier must tell the sender when it will deliver the parcel.", "deliver", "courier"),
    ],
)
def test_a_pronoun_stands_for_the_subject_or_whom_a_noun_names(text: str, act: str, party: str) -> None:
    assert (act, party) in {(role.act, role.party) for role in read_roles(normalise(text)).roles}


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("行李丢了的，可以找承运人赔。", {("compensate", "courier")}),
        ("顾客被门卫拦下的，可以联系物业。", {("contact", "buyer")}),
        ("参展商自布展之日起三日内，向场地所在地的公安机关和主管部门备案。", {("register", "exhibitor")}),
        ("家长不肯提供接种证明的，学校可以拒绝。", {("not provide", "guardian"), ("refuse", "school")}),
        ("The guest gets a reverse charge on the invoice.", {("bear", "buyer")}),
        ("You are responsible for cleaning the oven.", {("be responsible", "buyer"), ("clean", "buyer")}),
        ("You are responsible for the oven.", {("bear", "buyer")}),
    ],
)
def test_whom_one_turns_to_acts_and_not_to_whom_or_by_whom_it_is_done(text: str, acts: set[tuple[str, str]]) -> None:
    found = {(role.act, role.party) for role in read_roles(normalise(text)).roles}

    assert {each for each in found if " to" not in each[0] and ">" not in each[0]} == acts


@pytest.mark.parametrize("house", ["Fjordline", "Alpenglow"])
def test_customers_of_another_house_are_others(house: str) -> None:
    quote = "If you are a Fjordline customer with a bonus card, your second coffee is on us."

    faults = check_claim(
        f"{house} customers with a bonus card get their second coffee for nothing.", (quote,), claim_overlap=0
    )

    assert any(fault.code is FaultCode.PARTY_DIFFERS for fault in faults) == (house not in quote)
