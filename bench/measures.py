"""What the benches print: figures beside their bars, and times by their percentiles."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.evaluation.summary import percentile


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of many runs of one thing."""

    p50: float
    p99: float
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One figure beside what it has to be."""

    what: str
    measured: float
    limit: float
    is_floor: bool

    @property
    def is_held(self) -> bool:
        """Tell whether the figure is as good as it has to be."""
        return self.measured >= self.limit if self.is_floor else self.measured <= self.limit


def at_least(what: str, measured: float, limit: float) -> Bar:
    """Ask a figure to be no lower than this."""
    return Bar(what=what, measured=measured, limit=limit, is_floor=True)


def at_most(what: str, measured: float, limit: float) -> Bar:
    """Ask a figure to be no higher than this."""
    return Bar(what=what, measured=measured, limit=limit, is_floor=False)


def times(milliseconds: Sequence[float]) -> Times:
    """Sum up how long something took. Errors: ValueError without any run."""
    ordered = sorted(milliseconds)
    middle, slow = percentile(ordered, 0.5), percentile(ordered, 0.99)
    if middle is None or slow is None:
        raise ValueError("nothing was measured")
    return Times(p50=middle, p99=slow, runs=len(ordered))


def print_bars(bars: Sequence[Bar]) -> bool:
    """Print every figure beside its bar, and tell whether all bars are held."""
    print(f"\n{'bar':<64}{'measured':>10}  {'bar':<9}held")
    for bar in bars:
        sign = "≥" if bar.is_floor else "≤"
        print(
            f"{bar.what:<64}{_figure(bar.measured):>10}  {sign} {_figure(bar.limit):<7}{'yes' if bar.is_held else 'NO'}"
        )
    return all(bar.is_held for bar in bars)


def _figure(value: float) -> str:
    """Print shares with three digits, counts with none, and everything else with one."""
    if value == int(value) and value != 1:
        return f"{value:.0f}"
    return f"{value:.3f}" if abs(value) <= 1 else f"{value:.1f}"
