"""A party and an act are read only where a word names them: not in a compound, an idiom, a noun or a participle."""

import pytest

from knowledge.validation.party_acts import read_roles
from knowledge.validation.words import normalise

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "parties"),
    [
        ("The tenant deposit is paid back within a month.", set[str]()),
        ("Guests can host a party of up to ten in the garden.", {"buyer"}),
        ("Disputes about the parking fee may be taken to court.", set()),
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
        ("The gallery keeps the prints you left for testing.", set()),
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
        ("The courier must tell the sender when it cannot deliver the parcel.", "deliver", "courier"),
    ],
)
def test_a_pronoun_stands_for_the_subject_or_whom_a_noun_names(text: str, act: str, party: str) -> None:
    assert (act, party) in {(role.act, role.party) for role in read_roles(normalise(text)).roles}
