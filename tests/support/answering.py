"""Fakes and builders for tests of knowledge's answering side."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from itertools import count
from typing import Final, TypeVar
from uuid import UUID

from contracts.reasons import EvidenceStrength, Language, RefusalCause, RefusalReason
from knowledge.answering.evidence import written_in
from knowledge.answering.log import Asked, ClosedBeforeError, Closing, Logged, as_logged
from knowledge.answering.wording import terms_of
from knowledge.ingestion.sentences import split_sentences
from knowledge.retrieval.passage import Candidate, Decision, Found, Passage, PolicyContext, Scores, Sentence
from knowledge.retrieval.searching import PassageDetail, RefusalExplanation, SearchResult, Serving
from knowledge.versions.calibration import Calibration
from knowledge.versions.conflicts import KnownConflict
from knowledge.versions.routing_policy import FactPattern, RoutingPolicy, Topic

_Result = TypeVar("_Result")

NOON: Final = datetime(2026, 11, 29, 12, tzinfo=UTC)
TODAY: Final = date(2026, 11, 29)
_FUSED: Final[dict[EvidenceStrength, float]] = {"high": 9.0, "medium": 1.2, "low": 0.1}
_numbers = count(1)


def make_passage(
    text: str,
    *,
    document: str = "doc",
    heading: str = "",
    language: Language = "zh",
    priority: int = 0,
    requires_facts: tuple[str, ...] = (),
    decision: Decision = "rule",
    about: str = "",
) -> Passage:
    """Make a passage; a sentence's similarity is its share of the words of `about`."""
    wanted = terms_of(about)
    sentences = tuple(
        Sentence(
            start=span.start,
            end=span.end,
            similarity=len(wanted & terms_of(text[span.start : span.end])) / len(wanted) if wanted else 0.0,
        )
        for span in split_sentences(text)
    )
    return Passage(
        passage_id=UUID(int=next(_numbers)),
        document=document,
        title=f"Title of {document}",
        heading_path=(heading,) if heading else (),
        revision="2026-01",
        effective_from=date(2026, 1, 1),
        effective_to=None,
        updated_at=NOON,
        language=language,
        priority=priority,
        text=text,
        applies_to=None,
        requires_facts=requires_facts,
        decision=decision,
        source_url=None,
        sentences=sentences,
    )


def _fused(passage: Passage, question: str, strength: EvidenceStrength) -> float:
    """Give what makes a passage that strong: across languages it counts double."""
    return _FUSED[strength] / (1 if passage.language == written_in(question) else 2)


def make_context(*passages: Passage, question: str, strength: EvidenceStrength = "high") -> PolicyContext:
    """Make a policy context whose best passage has the given strength; each further one is a little weaker."""
    scores = [
        Scores(
            bm25=0,
            bm25_share=0,
            cosine=0.5,
            best_sentence=0.5,
            fused=_fused(passage, question, strength) - place / 1000,
        )
        for place, passage in enumerate(passages)
    ]
    return PolicyContext(
        version=7,
        found=tuple(Found(passage=passage, scores=score) for passage, score in zip(passages, scores, strict=True)),
        candidates=tuple(
            Candidate(passage_id=passage.passage_id, scores=score)
            for passage, score in zip(passages, scores, strict=True)
        ),
        term_idf=dict.fromkeys(terms_of(question), 1.0),
    )


def make_policy(*, writer_fallback: bool = True) -> RoutingPolicy:
    """Make a small routing policy with one topic of each kind."""
    return RoutingPolicy(
        name="test",
        escalation_topics=(
            Topic(
                name="complaint",
                phrases=("投诉你们", "我要投诉", "file complaint"),
                unless=("不是要投诉", "don't want to file complaint"),
            ),
        ),
        human_requested=(Topic(name="person", phrases=("转人工", "talk to person"), unless=("不用转人工",)),),
        personal_facts=(FactPattern(fact="refundStatus", patterns=(r"我的退款.*到账了吗", r"\bhas my refund\b")),),
        human_decision=(Topic(name="exception", phrases=("破例", "make exception")),),
        handoff={
            reason: "required"
            if reason in (RefusalReason.ESCALATION_TOPIC, RefusalReason.HUMAN_REQUESTED)
            else "offered"
            for reason in RefusalReason
        },
        writer_fallback=writer_fallback,
    )


def make_asked(question: str, *, attempt: int = 1, language: Language = "zh") -> Asked:
    """Make a question of a customer of the public channel, asked today."""
    return Asked(
        tenant="demo",
        attempt_id=UUID(int=attempt),
        conversation_id="cnv_1",
        retry_of=None,
        segments=("public",),
        masked_question=question,
        language=language,
        as_of=TODAY,
        today=TODAY,
        asked_at=NOON,
        facts={},
        typed_facts={},
        earlier_questions=(),
        channel="web",
        trace_id="0" * 32,
    )


@dataclass
class FakeSearcher:
    """Finds the same passages for every question, with sentence similarities of its words."""

    passages: tuple[Passage, ...] = ()
    strength: EvidenceStrength = "high"
    policy: RoutingPolicy = field(default_factory=make_policy)
    withdrawn: set[UUID] = field(default_factory=set[UUID])
    searched: list[str] = field(default_factory=list[str])
    kept_back: dict[str, RefusalCause] = field(default_factory=dict[str, RefusalCause])
    """What lies behind a refusal, by the question that was searched."""
    trouble: Exception | None = None
    conflicts: tuple[KnownConflict, ...] = ()

    async def serving(self, *, tenant: str, version: int | None = None) -> Serving:
        """Serve version 7."""
        del tenant, version
        if self.trouble is not None:
            raise self.trouble
        return Serving(version=7, routing_policy=self.policy, calibration=Calibration(mean=0.2, sd=0.1, pairs=0))

    async def search(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int | None = None
    ) -> SearchResult:
        """Give the passages ordered by the words they share with the question."""
        del segments, as_of
        self.searched.append(question)
        words = terms_of(question)
        ranked = sorted(self.passages, key=lambda passage: -len(words & terms_of(passage.text)))
        seen = tuple(_seen_for(passage, question) for passage in ranked)
        context = replace(make_context(*seen, question=question, strength=self.strength), conflicts=self.conflicts)
        return SearchResult(serving=await self.serving(tenant=tenant, version=version), context=context)

    async def explain_refusal(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int
    ) -> RefusalExplanation:
        """Say what was hidden from a question, or that nothing was strong enough."""
        del tenant, segments, as_of, version
        return RefusalExplanation(cause=self.kept_back.get(question, RefusalCause.BELOW_THRESHOLD), candidates=())

    async def still_current(self, *, tenant: str, passage_ids: Sequence[UUID]) -> bool:
        """Tell whether none is withdrawn."""
        del tenant
        return not self.withdrawn & set(passage_ids)

    async def read_passage(
        self, *, tenant: str, segments: tuple[str, ...], passage_id: UUID, today: date
    ) -> PassageDetail | None:
        """Read one of the passages."""
        del tenant, segments, today
        found = next((passage for passage in self.passages if passage.passage_id == passage_id), None)
        return PassageDetail(passage=found, replaced_by=None, withdrawn_at=None) if found else None


def _seen_for(passage: Passage, question: str) -> Passage:
    wanted = terms_of(question)
    sentences = tuple(
        replace(s, similarity=len(wanted & terms_of(passage.sentence_text(s))) / max(len(wanted), 1))
        for s in passage.sentences
    )
    return replace(passage, sentences=sentences)


@dataclass
class FakeLog:
    """Keeps attempts in memory."""

    opened: dict[UUID, Asked] = field(default_factory=dict[UUID, Asked])
    closed: dict[UUID, Closing] = field(default_factory=dict[UUID, Closing])
    causes: dict[UUID, RefusalCause] = field(default_factory=dict[UUID, RefusalCause])

    async def open(self, asked: Asked) -> bool:
        """Open once."""
        return self.opened.setdefault(asked.attempt_id, asked) is asked

    async def close(self, asked: Asked, closing: Closing) -> None:
        """Close once."""
        if self.closed.setdefault(asked.attempt_id, closing) is not closing:
            raise ClosedBeforeError

    async def find(self, tenant: str, attempt_id: UUID) -> Logged | None:
        """Give the closed attempt."""
        del tenant
        asked, closing = self.opened.get(attempt_id), self.closed.get(attempt_id)
        if asked is None or closing is None:
            return None
        return as_logged(asked, closing)

    async def note_cause(self, asked: Asked, cause: RefusalCause, candidates: tuple[Candidate, ...]) -> None:
        """Note once."""
        del candidates
        self.causes.setdefault(asked.attempt_id, cause)


async def compute_here(work: Callable[[], _Result], /) -> _Result:
    """Run pure work at once."""
    return work()


def no_stage(name: str) -> AbstractContextManager[None]:
    """Measure nothing."""
    del name
    return nullcontext()


def counting_handles() -> Callable[[], str]:
    """Give handles h1, h2, … for tests that need to know them."""
    numbers = count(1)
    return lambda: f"h{next(numbers)}"
