"""Measure what the second arm's best sentences would change in the order of passages, on questions that are not golden.

    python -m bench.second_sentences --data ../shared/data
    python -m bench.second_sentences --data ../shared/data --home FOLDER --questions 300 xquad_en_zh

The questions are those of `bench.weights`. The first twenty passages of each are put in order again: with the best
sentence of the first arm, as the product does it, and with a part of the second arm's score taken from what it says of
sentences: of the best one, or of the best one and of the headings above it, half each. Printed is R@3 of every group,
the means over the groups and over those of a hundred questions or more, and how many questions gain and lose the
passage that answers among the first three. The first run embeds some fifteen thousand sentences (ten minutes of one core).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final
from uuid import UUID

from bench.vectors import CachingSecond
from bench.weights import DEPTH, SHOWN, Searched, Seen, figures_of, options_of, searched_groups
from knowledge.adapters.e5 import E5Embedder
from knowledge.ingestion.embedding import SecondEmbedder, Vector, embedded_form
from knowledge.ingestion.indexing import pending_sentences
from knowledge.retrieval import fusion
from knowledge.retrieval.passage import Scores
from knowledge.versions.routing_policy import ThreeWeights, Weights

_TEXTS_A_CALL: Final = 32
_MANY: Final = 100
# What the first arm and the second weigh, beside 4 for words; the last leaves the first arm out.
_WEIGHTS: Final = ((0.3, 0.25), (0.2, 0.25), (0.3, 0.35), (0.2, 0.35), (0.3, 0.5), (0.4, 0.5), (0.0, 0.5))
_PARTS: Final = (0.0, 0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What the second arm says of a candidate's best sentence, and of the headings above it."""

    sentence: float
    headings: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with what the second arm says below the whole of its best candidates."""

    searched: Searched
    heard: Mapping[UUID, Heard]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A way to order the best passages again: `part` is how much of the second arm's score comes from sentences."""

    use: float
    second: float
    part: float = 0.0
    with_headings: bool = False


_NOW: Final = Point(use=0.3, second=0.25)


def main() -> int:
    """Search for everything once, embed the sentences and print the points."""
    found = searched_groups(options_of(__doc__))
    second = CachingSecond(E5Embedder())
    groups = {name: _listened(searched, second) for name, searched in found.items()}
    for number, (name, questions) in enumerate(groups.items(), 1):
        print(f"{number:>3} {name} ({len(questions)} questions)")
    places = "".join(f"{number:>7}" for number in range(1, len(groups) + 1))
    print(f"\nuse   second part headings{places}{'mean':>8}{'many':>7}{'MRR':>7}{'gain':>6}{'lose':>6}")
    before = {name: [_rank(each, _NOW) for each in questions] for name, questions in groups.items()}
    for point in _points():
        _print_point(point, {name: [_rank(each, point) for each in groups[name]] for name in groups}, before)
    return 0


def _points() -> Iterator[Point]:
    for use, second in _WEIGHTS:
        yield Point(use=use, second=second)
        for part in _PARTS[1:]:
            for with_headings in (False, True):
                yield Point(use=use, second=second, part=part, with_headings=with_headings)


def _listened(searched: Sequence[Searched], second: SecondEmbedder) -> list[Question]:
    forms = {form for each in searched for said in each.said.values() for form in _forms(*said)}
    passages = _embedded(sorted(forms), second)
    listened: list[Question] = []
    for each in searched:
        asked = second.questions([embedded_form(each.question)])[0]
        heard = {place: _heard(asked, *said, passages) for place, said in each.said.items()}
        listened.append(Question(searched=each, heard=heard))
    return listened


def _embedded(forms: Sequence[str], second: SecondEmbedder) -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    for at in range(0, len(forms), _TEXTS_A_CALL):
        called = forms[at : at + _TEXTS_A_CALL]
        found |= zip(called, second.passages(called), strict=True)
    return found


def _forms(headings: str, text: str) -> list[str]:
    """Give what is embedded: the headings, then each sentence."""
    return [embedded_form(headings), *(each.form for each in pending_sentences(text))]


def _heard(asked: Vector, headings: str, text: str, passages: Mapping[str, Vector]) -> Heard:
    above, *sentences = (float(passages[form] @ asked) for form in _forms(headings, text))
    return Heard(sentence=max(sentences), headings=above)


def _rank(question: Question, point: Point) -> int:
    """Give the place of the first candidate that answers, from 1; 0 when none of the first ten does."""
    searched = question.searched
    weights = Weights(three=ThreeWeights(use=point.use, second=point.second))
    scale = fusion.Fusion(weights=weights, calibration=searched.calibration, bm25_maximum=1.0)
    best = {each.passage_id: each for each in searched.seen if each.passage_id in question.heard}

    def weighed(each: Seen) -> Scores:
        second = _mixed(each.second, question.heard[each.passage_id], point)
        return scale.scores(bm25=each.share, cosine=each.cosine, best_sentence=each.sentence, second=second)

    ordered = fusion.order({place: weighed(each) for place, each in best.items()})
    answers = (place for place, each in enumerate(ordered[:DEPTH], 1) if best[each.passage_id].is_gold)
    return next(answers, 0)


def _mixed(whole: float | None, heard: Heard, point: Point) -> float | None:
    if whole is None:
        return None
    said = fmean((heard.sentence, heard.headings)) if point.with_headings else heard.sentence
    return (1 - point.part) * whole + point.part * said


def _print_point(point: Point, ranks: Mapping[str, Sequence[int]], before: Mapping[str, Sequence[int]]) -> None:
    figures = {name: figures_of(group) for name, group in ranks.items()}
    shown = "".join(f"{recall:>7.3f}" for recall, _ in figures.values())
    many = fmean(figures[name][0] for name, group in ranks.items() if len(group) >= _MANY)
    mean, reciprocal = (fmean(pair[place] for pair in figures.values()) for place in (0, 1))
    moved = [
        _is_shown(now) - _is_shown(then) for name in ranks for now, then in zip(ranks[name], before[name], strict=True)
    ]
    headings = "yes" if point.with_headings else "no"
    print(
        f"{point.use:<6}{point.second:<7}{point.part:<5}{headings:<8}{shown}{mean:>8.4f}{many:>7.4f}{reciprocal:>7.4f}"
        f"{moved.count(1):>6}{moved.count(-1):>6}",
        flush=True,
    )


def _is_shown(rank: int) -> int:
    return int(0 < rank <= SHOWN)


if __name__ == "__main__":
    raise SystemExit(main())
