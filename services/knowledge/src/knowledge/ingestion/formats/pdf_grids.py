"""Finds the tables that are drawn with rules on a page of a PDF file, and the cell that a place lies in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import pypdfium2.raw

_PDFIUM: Any = pypdfium2.raw  # the bindings ship no types
# Units: points. Rules closer than this are one; rules that end closer than this to another one touch it.
_NEAR: Final = 3.0
_SHORTEST: Final = 4.0
# A page with more is a drawing.
_MOST_RULES: Final = 1_500
_FEWEST_EDGES: Final = 3


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line on a page: from `start` to `end` along it, at `place` across it."""

    place: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the places of its edges, and for each cell the one that it is merged into.

    Shapes: `columns` ascends, `rows` descends; `owners[row][column]` is a row and a column.
    """

    columns: tuple[float, ...]
    rows: tuple[float, ...]
    owners: tuple[tuple[tuple[int, int], ...], ...]

    def cell(self, x: float, y: float) -> tuple[int, int] | None:
        """Give row and column of a place, None when it lies outside."""
        column = next((at for at, edge in enumerate(self.columns[1:]) if x < edge), None)
        row = next((at for at, edge in enumerate(self.rows[1:]) if y > edge), None)
        if column is None or row is None or x < self.columns[0] or y > self.rows[0]:
            return None
        return self.owners[row][column]

    def texts(self, said: dict[tuple[int, int], str]) -> tuple[tuple[str, ...], ...]:
        """Lay out what cells say: one merged with the cell above says the same again, one merged to the left nothing."""
        return tuple(
            tuple(said.get(owner, "") if owner[1] == column else "" for column, owner in enumerate(row))
            for row in self.owners
        )


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a page or of one table."""

    across: frozenset[Rule]
    down: frozenset[Rule]

    def __len__(self) -> int:
        """Count them."""
        return len(self.across) + len(self.down)


_NONE: Final = Rules(frozenset(), frozenset())


def read_rules(page: Any) -> Rules:  # pypdfium2 ships no types
    """Read the straight lines of a page, those at one place once; none of a page that is a drawing."""
    across: dict[tuple[int, int, int], Rule] = {}
    down: dict[tuple[int, int, int], Rule] = {}
    for path in page.get_objects(filter=[_PDFIUM.FPDF_PAGEOBJ_PATH]):
        for (x1, y1), (x2, y2) in _segments(path):
            if abs(y1 - y2) < 1 and abs(x1 - x2) >= _SHORTEST:
                _add(across, Rule(y1, min(x1, x2), max(x1, x2)))
            elif abs(x1 - x2) < 1 and abs(y1 - y2) >= _SHORTEST:
                _add(down, Rule(x1, min(y1, y2), max(y1, y2)))
        if len(across) + len(down) > _MOST_RULES:
            return _NONE
    return Rules(frozenset(across.values()), frozenset(down.values()))


def find_grids(rules: Rules) -> list[Grid]:
    """Find the tables that have rules between their cells."""
    grids = (grid_of(tuple(group.across), tuple(group.down)) for group in _connected(rules))
    return [grid for grid in grids if grid is not None]


def grid_of(across: Sequence[Rule], down: Sequence[Rule]) -> Grid | None:
    """Make a table of rules; None unless it has two rows and columns and rules above and below.

    Its left and right side may be open when its rows reach beyond the rules between its columns.
    """
    inner = _places(down)
    columns = _with_open_sides(inner, across) if inner else []
    rows = _places(across)[::-1]
    if len(columns) < _FEWEST_EDGES or len(rows) < _FEWEST_EDGES:
        return None
    beside = [(left + right) / 2 for left, right in pairwise(columns)]
    below = [(top + bottom) / 2 for top, bottom in pairwise(rows)]
    sides = [edge for edge in (columns[0], columns[-1]) if edge in inner]
    is_closed = all(_is_drawn(down, edge, y) for edge in sides for y in below)
    if not is_closed or not all(_is_drawn(across, edge, x) for edge in (rows[0], rows[-1]) for x in beside):
        return None
    return Grid(tuple(columns), tuple(rows), tuple(map(tuple, _owners(across, down, columns, rows))))


def _owners(
    across: Sequence[Rule], down: Sequence[Rule], columns: Sequence[float], rows: Sequence[float]
) -> list[list[tuple[int, int]]]:
    """Tell for each cell which one it is merged into: where no rule parts it from the left, or from above."""
    owners: list[list[tuple[int, int]]] = []
    for row, (top, bottom) in enumerate(pairwise(rows)):
        owners.append([])
        for column, (left, right) in enumerate(pairwise(columns)):
            if column and not _is_drawn(down, left, (top + bottom) / 2):
                owners[row].append(owners[row][column - 1])
            elif row and not _is_drawn(across, top, (left + right) / 2):
                owners[row].append(owners[row - 1][column])
            else:
                owners[row].append((row, column))
    return owners


def _with_open_sides(columns: list[float], across: Sequence[Rule]) -> list[float]:
    left, right = min(rule.start for rule in across), max(rule.end for rule in across)
    before = [left] if left < columns[0] - 2 * _NEAR else []
    return [*before, *columns, *([right] if right > columns[-1] + 2 * _NEAR else [])]


def _segments(path: Any) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Give the straight pieces of a path where they stand on the page."""
    matrix = path.get_matrix()
    x, y = _PDFIUM.c_float(), _PDFIUM.c_float()
    before: tuple[float, float] | None = None
    first: tuple[float, float] | None = None
    for number in range(min(_PDFIUM.FPDFPath_CountSegments(path), _MOST_RULES)):
        segment = _PDFIUM.FPDFPath_GetPathSegment(path, number)
        _PDFIUM.FPDFPathSegment_GetPoint(segment, x, y)
        point: tuple[float, float] = matrix.on_point(x.value, y.value)
        kind = _PDFIUM.FPDFPathSegment_GetType(segment)
        if kind == _PDFIUM.FPDF_SEGMENT_MOVETO:
            first = point
        elif kind == _PDFIUM.FPDF_SEGMENT_LINETO and before is not None:
            yield before, point
        if _PDFIUM.FPDFPathSegment_GetClose(segment) and first is not None:
            yield point, first
        before = point


def _add(rules: dict[tuple[int, int, int], Rule], rule: Rule) -> None:
    rules.setdefault((round(rule.place / _NEAR), round(rule.start / _NEAR), round(rule.end / _NEAR)), rule)


def _connected(rules: Rules) -> Iterator[Rules]:
    """Part rules into those that touch each other."""
    left_across, left_down = set(rules.across), set(rules.down)
    while left_across:
        group = reached = Rules(frozenset({left_across.pop()}), frozenset())
        while reached:
            down = frozenset(rule for rule in left_down if any(_touch(other, rule) for other in reached.across))
            across = frozenset(rule for rule in left_across if any(_touch(rule, other) for other in reached.down))
            left_down -= down
            left_across -= across
            reached = Rules(across, down)
            group = Rules(group.across | across, group.down | down)
        yield group


def _touch(across: Rule, down: Rule) -> bool:
    is_beside = across.start - _NEAR <= down.place <= across.end + _NEAR
    return is_beside and down.start - _NEAR <= across.place <= down.end + _NEAR


def _places(rules: Sequence[Rule]) -> list[float]:
    """Give the places of rules in ascending order, those that are near to each other once."""
    places: list[float] = []
    for place in sorted(rule.place for rule in rules):
        if not places or place - places[-1] > _NEAR:
            places.append(place)
    return places


def _is_drawn(rules: Sequence[Rule], place: float, at: float) -> bool:
    return any(abs(rule.place - place) <= _NEAR and rule.start - _NEAR <= at <= rule.end + _NEAR for rule in rules)
