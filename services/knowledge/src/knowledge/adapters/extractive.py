"""The default writer: verbatim sentences, offline, deterministic; composed off the event loop."""

from decimal import Decimal
from typing import Final

from knowledge.answering.composing import compose
from knowledge.answering.computing import Compute
from knowledge.answering.draft import Brief, Usage, Written

WRITER = "extractive"
_NOTHING: Final = Decimal(0)


class ExtractiveWriter:
    """Composes drafts with the shared compute pool. Repeat: equal briefs give equal drafts."""

    name = WRITER

    def __init__(self, compute: Compute) -> None:
        """Remember where to compute."""
        self._compute = compute

    async def write(self, brief: Brief) -> Written:
        """Compose a draft; costs nothing."""
        draft = await self._compute(lambda: compose(brief, bounds=brief.bounds))
        usage = Usage(
            model=None, input_tokens=0, output_tokens=0, finish_reason=None, prompt_version=None, cost=_NOTHING
        )
        return Written(draft=draft, usage=usage)
