"""Labelled questions move the bands to where a tenant's answers begin, and little where there are few of them."""

import random
from dataclasses import replace

import pytest

from knowledge.versions.calibration import Calibration
from knowledge.versions.fitting import Reading, TooFewLabelsError, fit
from knowledge.versions.routing_policy import calibrated, default_routing_policy, parse_routing_policy

pytestmark = pytest.mark.unit

_POLICY = parse_routing_policy(default_routing_policy())
_USUAL = Calibration(mean=0.2, sd=0.1, pairs=2_000)


def readings(count: int, *, apart: float, seed: int = 7) -> list[Reading]:
    """Make questions whose answers' words score higher by `apart`, with meaning that says nothing."""
    chance = random.Random(seed)  # noqa: S311 - made-up questions, no secret
    made: list[Reading] = []
    for number in range(count):
        is_answerable = number % 2 == 0
        words = max(0.0, chance.gauss(1.0 + apart * is_answerable, 0.3))
        made.append(Reading(words=words, meaning=chance.gauss(2.0, 0.5), is_answerable=is_answerable, is_answered=True))
    return made


def test_what_tells_answers_apart_weighs_more() -> None:
    fitted, report = fit(readings(80, apart=1.5))

    assert fitted.words > fitted.meaning
    assert (report.wrong_before, report.needless_before) == (1.0, 0.0)
    assert report.wrong_after <= 0.16
    assert report.needless_after <= 0.16
    assert fitted.refuse_below < fitted.answer_from
    assert sum(each.questions for each in report.reliability) == 80
    assert all(each.lowest <= each.said <= each.highest for each in report.reliability)


def test_fewer_wrong_answers_cost_more_refusals() -> None:
    made = readings(100, apart=0.5)
    _, strict = fit(made, most_wrong=0.05)
    _, lenient = fit(made, most_wrong=0.4)

    assert strict.wrong_after <= 0.06 < lenient.wrong_after
    assert strict.needless_after > lenient.needless_after
    assert fit(made) == fit(made)


@pytest.mark.parametrize("count", [0, 4, 19])
def test_too_few_labels_are_refused(count: int) -> None:
    with pytest.raises(TooFewLabelsError):
        fit(readings(count, apart=1.0))


def test_a_fit_takes_the_place_of_the_bands_and_of_nothing_else() -> None:
    fitted, _ = fit(readings(60, apart=1.0))

    policy = calibrated(_POLICY, replace(_USUAL, fitted=fitted))

    assert policy.thresholds.answer_from == fitted.answer_from
    assert policy.thresholds.claim_overlap == _POLICY.thresholds.claim_overlap
    assert (policy.weights.two, policy.weights.three) == (_POLICY.weights.two, _POLICY.weights.three)
    assert policy.weights.bm25 == pytest.approx(5.0 * fitted.words)
    assert policy.escalation_topics == _POLICY.escalation_topics


@pytest.mark.parametrize(
    ("mean", "sd", "stretch"), [(0.2, 0.1, 1.0), (0.28, 0.15, 1.0), (0.1, 0.1, 1.0), (0.04, 0.07, 1.524)]
)
def test_without_labels_the_bands_rise_only_where_texts_lie_far_apart(mean: float, sd: float, stretch: float) -> None:
    calibration = Calibration(mean=mean, sd=sd, pairs=2_000)

    assert calibration.stretch == pytest.approx(stretch, abs=0.001)
    assert calibrated(_POLICY, calibration).thresholds.answer_from == pytest.approx(1.5 * stretch, abs=0.01)


@pytest.mark.parametrize(("sd", "covered"), [(0.12, 0.0), (0.0889, 0.0), (0.08, 0.092), (0.05, 0.33)])
def test_where_texts_lie_far_apart_the_words_of_a_question_have_to_be_quoted(sd: float, covered: float) -> None:
    policy = calibrated(_POLICY, Calibration(mean=0.2, sd=sd, pairs=2_000))

    assert policy.thresholds.covered == pytest.approx(covered, abs=0.01)
    stricter = _POLICY.model_copy(update={"thresholds": _POLICY.thresholds.model_copy(update={"covered": 0.5})})
    assert calibrated(stricter, Calibration(mean=0.2, sd=sd, pairs=2_000)).thresholds.covered == 0.5
