"""Counts that a claim makes itself, and cases that it supposes: what follows passes, what only looks alike does not."""

import pytest

from knowledge.validation.facts import find_uncovered

pytestmark = pytest.mark.unit


def is_covered(claim: str, quote: str) -> bool:
    return not list(find_uncovered(claim, (quote,)))


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("If a caller asks for a manager 3 times, connect them.", "After the third request we connect you."),
        ("If a caller asks for a manager 3 times, connect them.", "要求满三次就转接。"),
        ("累计维修超过4次的，可以换货。", "修到第五次就可以换货。"),
        (
            "You need a passport, a proof of address and a payslip.",
            "Three documents are needed: passport, proof of address, payslip.",
        ),
        ("You need a passport, a proof of address and a payslip.", "You have to bring three papers."),
        ("提交申请表原件以及照片。", "要交两样东西：申请表原件，还有照片。"),
        ("三包期内可以退货。", "Returns are possible within the three-guarantees period."),
        ("We keep your file for _up to two years_.", "We keep your file for 24 months at most."),
        ("A maximum of 2GB can be added.", "Two gigabytes is the most you can add."),
        ("Sponsorship is matched up to $5,000 USD.", "Matching tops out at five thousand US dollars."),
        ("The rate holds for the first 12 months.", "The rate holds over the first year."),
        (
            "Cure it prior to 30 days after receipt of the notice.",
            "Cure it before 30 days from the notice have passed.",
        ),
        ("Accounts frozen for less than a week are thawed.", "Was it frozen three days ago? We thaw it."),
        ("劳动节放假2天。", "五一的假期有两天。"),
        ("除夕放假。", "年三十放假。"),
        ("You may change your mind within 30 days.", "Second thoughts? You have 30 days."),
    ],
)
def test_what_is_counted_or_supposed_follows(quote: str, claim: str) -> None:
    assert is_covered(claim, quote)


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("If a caller asks for a manager 3 times, connect them.", "After the second request we connect you."),
        ("累计维修超过4次的，可以换货。", "修到第四次就可以换货。"),
        ("You need a passport, a proof of address and a payslip.", "You have to bring four papers."),
        ("Bring two papers: a passport and a payslip with a stamp and a date.", "You have to bring three papers."),
        ("提交申请表原件以及照片。", "要交三样东西：申请表原件，还有照片。"),
        ("We keep your file for _up to two years_.", "We keep your file for 12 months at most."),
        ("Accounts frozen for less than a week are thawed.", "Was it frozen nine days ago? We thaw it."),
    ],
)
def test_what_is_counted_otherwise_does_not(quote: str, claim: str) -> None:
    assert not is_covered(claim, quote)
