import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.evaluation.intervals import Rate, bootstrap, mcnemar, paired_difference, wilson

pytestmark = pytest.mark.unit

_COUNTS = st.integers(1, 2_000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))
_SMALL = st.integers(0, 4).flatmap(lambda total: st.builds(Rate, st.integers(0, total), st.just(total)))


@pytest.mark.parametrize(
    ("number", "out_of", "low", "high"),
    [
        # Newcombe 1998, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0),
    ],
)
def test_wilson_gives_published_values(number: int, out_of: int, low: float, high: float) -> None:
    found = wilson(Rate(number, out_of))

    assert found is not None
    assert found == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@given(_COUNTS)
def test_wilson_holds_the_share_and_stays_between_nothing_and_all(counts: tuple[int, int]) -> None:
    rate = Rate(*counts)
    found = wilson(rate)

    assert found is not None
    assert 0 <= found.low <= (rate.value or 0) <= found.high <= 1
    assert found.low < found.high


@given(_COUNTS)
def test_wilson_is_symmetric(counts: tuple[int, int]) -> None:
    number, total = counts
    one, other = wilson(Rate(number, total)), wilson(Rate(total - number, total))

    assert one is not None
    assert other is not None
    assert one.low == pytest.approx(1 - other.high)


def test_nothing_has_no_interval() -> None:
    assert wilson(Rate(0, 0)) is None
    assert bootstrap([]) is None
    assert bootstrap([Rate(0, 0)]) is None


@given(st.lists(_SMALL, max_size=40))
def test_a_bootstrap_holds_the_share(rates: list[Rate]) -> None:
    found, total = bootstrap(rates), Rate(sum(each.number for each in rates), sum(each.out_of for each in rates))

    assert (found is None) is (total.value is None)
    if found is not None and total.value is not None:
        assert 0 <= found.low <= total.value <= found.high <= 1


def test_a_bootstrap_over_single_units_is_near_wilson() -> None:
    rates = [Rate(1, 1)] * 70 + [Rate(0, 1)] * 30
    found, expected = bootstrap(rates), wilson(Rate(70, 100))

    assert found is not None
    assert expected is not None
    assert found == (pytest.approx(expected.low, abs=0.02), pytest.approx(expected.high, abs=0.02))


def test_a_bootstrap_draws_questions_and_not_citations() -> None:
    together = bootstrap([Rate(10, 10)] * 7 + [Rate(0, 10)] * 3)
    apart = bootstrap([Rate(1, 1)] * 70 + [Rate(0, 1)] * 30)

    assert together is not None
    assert apart is not None
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_what_is_the_same_everywhere_is_not_certain() -> None:
    assert bootstrap([Rate(2, 2)] * 10) == wilson(Rate(10, 10))


def test_equal_input_has_equal_intervals() -> None:
    rates = [Rate(1, 2), Rate(0, 3), Rate(4, 4)]

    assert bootstrap(rates) == bootstrap(rates)


@pytest.mark.parametrize(
    ("won", "lost", "probability"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (0, 6, 0.03125), (10, 2, 0.03857421875), (4, 4, 1.0)],
)
def test_mcnemar_is_the_exact_binomial(won: int, lost: int, probability: float) -> None:
    assert mcnemar(won, lost) == pytest.approx(probability)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_a_probability_and_knows_no_side(won: int, lost: int) -> None:
    assert 0 <= mcnemar(won, lost) <= 1
    assert mcnemar(won, lost) == mcnemar(lost, won)


def test_few_differing_questions_tell_nothing() -> None:
    same = [(Rate(1, 1), Rate(1, 1))] * 50

    assert paired_difference([*same, *[(Rate(0, 1), Rate(1, 1))] * 5]) is None


def test_many_questions_lost_are_no_chance() -> None:
    same = [(Rate(2, 2), Rate(2, 2))] * 30
    found = paired_difference([*same, *[(Rate(0, 2), Rate(2, 2))] * 10])

    assert found is not None
    assert found.low < -0.25 < found.high < 0


def test_won_and_lost_in_balance_is_chance() -> None:
    found = paired_difference([(Rate(0, 1), Rate(1, 1)), (Rate(1, 1), Rate(0, 1))] * 20)

    assert found is not None
    assert found.low < 0 < found.high
