"""One policy context holds what every question part found, within the bounds."""

from knowledge.answering.context import join_contexts, led_by_evidence
from knowledge.answering.draft import PartEvidence
from knowledge.versions.routing_policy import Bounds
from tests.support.answering import make_context, make_passage

A, B, C, D = (make_passage(name * 10, document=name) for name in "甲乙丙丁")


def test_the_best_of_every_part_comes_first_and_each_passage_once() -> None:
    one = make_context(A, B, question="甲")
    other = make_context(C, A, D, question="丙")

    joined = join_contexts((one, other), bounds=Bounds())

    assert [found.passage.document for found in joined.found] == ["甲", "丙", "乙", "丁"]
    assert set(joined.term_idf) == {"甲", "丙"}
    assert len(joined.candidates) == 4


def test_the_bounds_hold() -> None:
    contexts = (make_context(A, B, question="甲"), make_context(C, D, question="丙"))

    assert len(join_contexts(contexts, bounds=Bounds(context_passages=3)).found) == 3
    assert len(join_contexts(contexts, bounds=Bounds(context_characters=25)).found) == 2
    assert len(join_contexts(contexts, bounds=Bounds(context_characters=5)).found) == 1


def test_what_is_answered_from_is_not_lost_in_a_full_context() -> None:
    context = make_context(A, B, C, question="丙")
    evidence = PartEvidence(question_part="丙", searched="丙", found=(context.found[2],), conditional=False)

    led = led_by_evidence(context, evidence)

    assert [found.passage.document for found in led.found] == ["丙", "甲", "乙"]
