"""Climbs down from writer to writer until a draft passes whole: rule 4 before the first released sentence.

The writer, the writer once more with its faults named, then the extractive writer over the same passages. Every try is
kept for the answer log.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from contracts.errors import GiveUpError, TryAgainError, YoujuError
from contracts.reasons import FailureCode, RefusalCause
from knowledge.answering.draft import Brief, Draft, LiveWriter, Usage, Writer, WriterTroubleError, Written, together
from knowledge.answering.log import Cause, LoggedDraft, LoggedFault
from knowledge.validation.verdict import Fault, ValidatedAnswer, Verdict

# The extractive writer composes in milliseconds; these seconds are kept for it when a model is slow.
KEPT_FOR_FALLBACK_SECONDS: Final = 2.0

Judge = Callable[[Written, Brief], Awaitable[Verdict]]


class NoWriterError(YoujuError):
    """No writer could write an answer."""

    code = FailureCode.KNOWLEDGE_ERROR


class TakenBackError(YoujuError):
    """The answer could not be checked as a whole after its first sentence was shown, and was taken back."""

    code = FailureCode.VALIDATION_FAILED

    def __init__(self, cause: Cause | None) -> None:
        """Say why it would have been refused, where it could still have been; None when its writer was in trouble."""
        super().__init__()
        self.cause = cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """Listens to a draft that is still growing, and knows whether any of it was shown already."""

    hear: Callable[[Brief, Draft], Awaitable[None]]
    has_shown: Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """The rungs and the patience for each. `fallback` is None where the tenant wants a refusal instead."""

    writer: Writer
    fallback: Writer | None
    seconds_left: Callable[[], float]
    live: Live | None = None

    def rungs(self) -> tuple[Writer, ...]:
        """List who writes, in order; the extractive writer is deterministic and gets no second try."""
        if self.fallback is None:
            return (self.writer, self.writer)
        if self.fallback.name == self.writer.name:
            return (self.writer,)
        return (self.writer, self.writer, self.fallback)


@dataclass(frozen=True, slots=True, kw_only=True)
class Climbed:
    """What the ladder came to: an answer, or none with the last faults (none when the writer itself refused)."""

    answer: ValidatedAnswer | None
    faults: tuple[Fault, ...]


async def climb_down(brief: Brief, *, ladder: Ladder, judge: Judge, keep: Callable[[LoggedDraft], None]) -> Climbed:
    """Let the writers try until one draft passes or one of them refuses.

    Errors: NoWriterError when the last rung was in trouble and nobody's draft was judged; TakenBackError when a draft of
    which something was shown fails.
    """
    faults: tuple[Fault, ...] = ()
    in_trouble: set[str] = set()
    for writer in ladder.rungs():
        if writer.name in in_trouble:
            continue
        written = await _written(writer, brief, ladder, keep)
        if written is None:
            _keep_word(ladder, None)
            in_trouble.add(writer.name)
            continue
        refuses = written.draft.refusal is not None
        verdict = Verdict(answer=None, faults=()) if refuses else await judge(written, brief)
        keep(_logged(writer, brief, written, verdict))
        if refuses or verdict.answer is not None:
            return Climbed(answer=verdict.answer, faults=())
        _keep_word(ladder, RefusalCause.UNSUPPORTED_DRAFT)
        faults = verdict.faults
        brief = replace(brief, faults_to_mend=tuple(f"{fault.code}: {fault.detail}" for fault in faults))
    if not faults:
        raise NoWriterError
    return Climbed(answer=None, faults=faults)


async def _written(writer: Writer, brief: Brief, ladder: Ladder, keep: Callable[[LoggedDraft], None]) -> Written | None:
    is_last = ladder.fallback is None or writer.name == ladder.fallback.name
    patience = ladder.seconds_left() - (0.0 if is_last else KEPT_FOR_FALLBACK_SECONDS)
    cut: list[Usage] = []
    try:
        async with asyncio.timeout(max(patience, 0.0)):
            return await _draft(writer, replace(brief, seconds_left=patience, cut_off=cut.append), ladder.live)
    except WriterTroubleError as trouble:
        met = _trouble(writer, trouble.what)
        keep(replace(met, raw=trouble.raw, usage=trouble.usage, missed=trouble.missed))
        return None
    except (TryAgainError, GiveUpError, TimeoutError) as trouble:
        keep(_trouble(writer, type(trouble).__name__, cut))
        return None
    except asyncio.CancelledError:
        # The attempt ends here, and what was paid for it stands in its log all the same.
        if cut:
            keep(_trouble(writer, "cancelled", cut))
        raise


async def _draft(writer: Writer, brief: Brief, live: Live | None) -> Written:
    if live is None or not isinstance(writer, LiveWriter):
        return await writer.write(brief)

    async def hear(beginning: Draft) -> None:
        await live.hear(brief, beginning)

    return await writer.write_live(brief, hear=hear)


def _keep_word(ladder: Ladder, cause: RefusalCause | None) -> None:
    """Go no further down once something was shown: what comes next could only contradict it."""
    if ladder.live is not None and ladder.live.has_shown():
        raise TakenBackError(cause)


def _trouble(writer: Writer, what: str, cut: Sequence[Usage] = ()) -> LoggedDraft:
    usage = together(cut) if cut else None
    return LoggedDraft(writer=writer.name, raw="", claimed=(), faults=(), trouble=what, usage=usage)


def _logged(writer: Writer, brief: Brief, written: Written, verdict: Verdict) -> LoggedDraft:
    passages = {
        handle: found.passage.passage_id for handle, found in zip(brief.handles, brief.context.found, strict=True)
    }
    return LoggedDraft(
        writer=writer.name,
        raw=written.draft.raw,
        claimed=tuple((passages.get(cited.handle), cited.quote) for cited in written.draft.citations),
        faults=tuple(
            LoggedFault(code=fault.code, part=fault.part, citation=fault.citation, detail=fault.detail)
            for fault in verdict.faults
        ),
        lifted=tuple(sorted(verdict.lifted)),
        trouble=None,
        usage=written.usage,
        draft=written.draft,
        missed=written.missed,
    )
