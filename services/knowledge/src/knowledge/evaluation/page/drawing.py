"""Draws measures with their intervals and the trade-off as SVG. Shapes tell what colours do too."""

from collections.abc import Sequence
from typing import Final

from knowledge.evaluation.page.markup import Markup, element, joined
from knowledge.evaluation.summing import ComparisonView, MeasureView, PointView

_LABELS: Final = 320.0
_AXIS: Final = 400.0
_VALUES: Final = 190.0
_ROW: Final = 26.0
_TOP: Final = 24.0
_DOT: Final = 5.0
_TICKS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_PLOT: Final = 360.0
_TOPS: Final = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
_MARGIN: Final = 70.0
_BAR: Final = 26.0


def draw_measures(measures: Sequence[MeasureView], published: dict[str, float | None]) -> Markup:
    """Draw each measured metric as a dot on its interval, with a diamond where the published version stands."""
    shown = [each for each in measures if each.value is not None]
    height = _TOP + _ROW * len(shown) + 8
    rows = [_measure(each, published.get(each.metric), _TOP + _ROW * (place + 0.5)) for place, each in enumerate(shown)]
    return element(
        "svg",
        element("title", "Metrics with 95 % intervals"),
        *(_tick(tick, height) for tick in _TICKS),
        *rows,
        viewBox=f"0 0 {_LABELS + _AXIS + _VALUES:.0f} {height:.0f}",
        role="img",
    )


def draw_curve(points: Sequence[PointView], chosen: PointView) -> Markup:
    """Draw wrong answers against needless refusals, and where the version stands."""
    wide, high = _PLOT + 2 * _MARGIN + 80, _MARGIN / 2 + _PLOT + 52
    line = " ".join(f"{_across(point):.1f},{_up(point, points):.1f}" for point in points)
    return element(
        "svg",
        element("title", "Wrong answers against needless refusals"),
        *_frame(points),
        element("polyline", points=line, class_="curve"),
        *(_spot(point, points) for point in points),
        _here(chosen, points),
        viewBox=f"0 0 {wide:.0f} {high:.0f}",
        role="img",
        class_="narrow",
    )


def draw_changes(comparison: ComparisonView) -> Markup:
    """Draw how many questions were won, lost and unchanged as one bar with its counts."""
    width, total, left = _LABELS + _AXIS, max(comparison.questions, 1), 0.0
    parts = (("won", comparison.won), ("unchanged", comparison.unchanged), ("lost", comparison.lost))
    places = ((0.0, "start"), (width / 2, "middle"), (width, "end"))
    drawn = [
        element("text", f"{name} {count}", x=x, y=13.0, text_anchor=anchor)
        for (name, count), (x, anchor) in zip(parts, places, strict=True)
    ]
    for name, count in parts:
        wide = width * count / total
        drawn.append(element("rect", x=left, y=20.0, width=wide, height=_BAR, class_=name))
        left += wide
    return element(
        "svg",
        element("title", "Questions won, unchanged and lost"),
        *drawn,
        viewBox=f"0 0 {width:.0f} {20 + _BAR + 2:.0f}",
        role="img",
        class_="narrow",
    )


def _measure(measure: MeasureView, published: float | None, y: float) -> Markup:
    value, low, high = measure.value or 0.0, measure.low or 0.0, measure.high or 0.0
    told = f"{value:.3f}  [{low:.3f}, {high:.3f}]  {measure.number}/{measure.out_of}"
    arrow = "↑" if measure.better == "higher" else "↓"
    return element(
        "g",
        element("text", f"{arrow} {measure.title}", x=_LABELS - 14, y=y + 4, text_anchor="end"),
        element("line", x1=_x(low), x2=_x(high), y1=y, y2=y, class_="whisker"),
        *(element("line", x1=_x(end), x2=_x(end), y1=y - 4, y2=y + 4, class_="whisker") for end in (low, high)),
        _diamond(_x(published), y) if published is not None else Markup(),
        element("circle", cx=_x(value), cy=y, r=_DOT, class_="candidate"),
        element("text", told, x=_LABELS + _AXIS + 14, y=y + 4, class_="figures"),
    )


def _diamond(x: float, y: float) -> Markup:
    size = _DOT + 3
    corners = f"{x:.1f},{y - size:.1f} {x + size:.1f},{y:.1f} {x:.1f},{y + size:.1f} {x - size:.1f},{y:.1f}"
    return element("polygon", points=corners, class_="published")


def _tick(value: float, height: float) -> Markup:
    return joined(
        element("line", x1=_x(value), x2=_x(value), y1=_TOP - 6, y2=height, class_="grid"),
        element("text", f"{value:g}", x=_x(value), y=_TOP - 10, text_anchor="middle", class_="figures"),
    )


def _x(value: float) -> float:
    return _LABELS + _AXIS * value


def _share(number: int, out_of: int) -> float:
    return number / out_of if out_of else 0.0


def _highest(points: Sequence[PointView]) -> float:
    """Give the lowest top of the axis that shows all wrong answers."""
    most = max((_share(point.wrong, point.wrong_out_of) for point in points), default=0.0)
    return next((top for top in _TOPS if top >= most), 1.0)


def _across(point: PointView) -> float:
    return _MARGIN + _PLOT * _share(point.needless, point.needless_out_of)


def _up(point: PointView, points: Sequence[PointView]) -> float:
    share = min(_share(point.wrong, point.wrong_out_of) / _highest(points), 1.0)
    return _MARGIN / 2 + _PLOT * (1 - share)


def _spot(point: PointView, points: Sequence[PointView]) -> Markup:
    needless, wrong = f"{point.needless} of {point.needless_out_of}", f"{point.wrong} of {point.wrong_out_of}"
    strength = "nothing is answered" if point.strength is None else f"answered from strength {point.strength:.2f}"
    hint = element("title", f"{strength}: {needless} refused needlessly, {wrong} answered wrongly")
    return element("circle", hint, cx=_across(point), cy=_up(point, points), r=2.5, class_="spot")


def _here(chosen: PointView, points: Sequence[PointView]) -> Markup:
    x, y = _across(chosen), _up(chosen, points)
    needless, wrong = _share(chosen.needless, chosen.needless_out_of), _share(chosen.wrong, chosen.wrong_out_of)
    label = f"this version: {needless:.2f} needless, {wrong:.2f} wrong"
    return joined(
        element("rect", x=x - 6, y=y - 6, width=12.0, height=12.0, class_="candidate"),
        element("text", label, x=x + 12, y=y - 9),
    )


def _frame(points: Sequence[PointView]) -> list[Markup]:
    """Draw both axes with their ends and names."""
    bottom, highest = _MARGIN / 2 + _PLOT, _highest(points)
    ticks = [
        joined(
            element("line", x1=_MARGIN + _PLOT * at, x2=_MARGIN + _PLOT * at, y1=_MARGIN / 2, y2=bottom, class_="grid"),
            element("text", f"{at:g}", x=_MARGIN + _PLOT * at, y=bottom + 16, text_anchor="middle", class_="figures"),
            element("line", x1=_MARGIN, x2=_MARGIN + _PLOT, y1=bottom - _PLOT * at, y2=bottom - _PLOT * at, class_="grid"),
            element(
                "text", f"{highest * at:g}", x=_MARGIN - 8, y=bottom - _PLOT * at + 4, text_anchor="end",
                class_="figures",
            ),
        )
        for at in _TICKS
    ]  # fmt: skip
    middle = _MARGIN / 2 + _PLOT / 2
    return [
        *ticks,
        element("text", "needless refusals, of questions to answer →", x=_MARGIN + _PLOT / 2, y=bottom + 40, text_anchor="middle"),
        element(
            "text", "wrong answers, of all questions →", x=16.0, y=middle, text_anchor="middle",
            transform=f"rotate(-90 16 {middle:.0f})",
        ),
    ]  # fmt: skip
