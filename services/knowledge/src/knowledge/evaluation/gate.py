"""Decides whether what was measured lets a version be published."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from contracts.errors import ConflictError
from knowledge.evaluation.fingerprint import differing
from knowledge.evaluation.run import Run
from knowledge.evaluation.thresholds import Thresholds

Standing = Literal["NOT_GATED", "NOT_EVALUATED", "MISSED", "OUTDATED", "PASSED"]


class GateClosedError(ConflictError):
    """What was measured does not let this version be published."""

    code = "EVALUATION_GATE"

    def __init__(self, number: int, decision: "Decision") -> None:
        """Name the version and everything that stands against it."""
        super().__init__(f"Version {number} cannot be published: {decision.told}")
        self.decision = decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """How a version stands. `metrics` and `settings` name what is missed or differs; `sentences` say it.

    A version that missed names settings only where they changed before.
    """

    standing: Standing
    sentences: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Tell whether the version may be published."""
        return self.standing in {"NOT_GATED", "PASSED"}

    @property
    def told(self) -> str:
        """Say it in one line."""
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """How a finished run over all cases stood against the thresholds of its beginning, and under which settings.

    `missed` holds a sentence a bound; none when it passed.
    """

    settings: Mapping[str, str]
    missed: tuple[str, ...]


_OPEN = Decision(standing="NOT_GATED", sentences=("No thresholds are set, so nothing is gated.",))
_MISSING = Decision(
    standing="NOT_EVALUATED", sentences=("Thresholds are set, and no run has been measured against them yet.",)
)


def decide(run: Run | None, thresholds: Thresholds | None, now: Mapping[str, str]) -> Decision:
    """Decide by the newest finished run of a version over all cases, the newest thresholds, and this process's settings.

    A run counts by the thresholds that were there when it began: later ones make nothing of it better or worse, and
    taking them away does not undo that it missed them.
    """
    if run is None or run.verdict in {None, "NOT_GATED"}:
        return _MISSING if thresholds is not None and thresholds.bounds else _OPEN
    if run.verdict == "MISSED":
        metrics = tuple(dict.fromkeys(each["metric"] for each in run.missed))
        return Decision(standing="MISSED", sentences=tuple(each["sentence"] for each in run.missed), metrics=metrics)
    changed = differing(run.settings, now)
    if changed:
        return Decision(standing="OUTDATED", sentences=(told_outdated(changed),), settings=changed)
    return Decision(standing="PASSED", sentences=("Every threshold is reached under the present settings.",))


def told_unproven(measured: Sequence[Measured], now: Mapping[str, str]) -> str | None:
    """Say what a version lacks to be started with in production; None where nothing. Shapes: newest first.

    Whoever measures changed settings and misses has proved nothing of them. A version that misses where nothing changed
    says nothing of settings: its thresholds are others, or people went back to it.
    """
    changed = changed_unproven(measured, now)
    if not changed:
        return None
    if differing(measured[0].settings, now):
        return told_outdated(changed)
    return f"Its settings changed ({', '.join(changed)}), and with these it missed: {' '.join(measured[0].missed)}"


def changed_unproven(measured: Sequence[Measured], now: Mapping[str, str]) -> tuple[str, ...]:
    """Name the settings that changed since a version was measured, as long as it has not passed with them."""
    changes = [differing(each.settings, now) for each in measured]
    since = tuple(takewhile(lambda pair: not pair[1], zip(measured, changes, strict=True)))
    if any(not each.missed for each, _ in since):
        return ()
    return next((changed for changed in changes if changed), ())


def told_outdated(changed: Sequence[str]) -> str:
    """Say that a result stands for other settings than those of now."""
    return f"It was measured with other settings ({', '.join(changed)}); evaluate it again."


def refuse_closed(number: int, decision: Decision) -> None:
    """Let an open gate pass. Errors: GateClosedError naming the failing metrics or the differing settings."""
    if not decision.is_open:
        raise GateClosedError(number, decision)
