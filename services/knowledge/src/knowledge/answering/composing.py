"""Composes an answer from verbatim sentences: deterministic, offline, without a word of its own but our templates."""

from dataclasses import dataclass, field, replace

from contracts.reasons import Language, RefusalReason
from knowledge.answering.bare_questions import adds_to, whole_answer
from knowledge.answering.choosing import Chosen, Limits, choose_rival, choose_sentences
from knowledge.answering.draft import Brief, Draft, DraftCitation, DraftPart, PartEvidence, repeats
from knowledge.answering.matters import matter_of, treats
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.sufficiency import holder_of
from knowledge.answering.templates import ABOUT, LEAD_INS, NOT_COVERED, LeadIn
from knowledge.retrieval.passage import Sentence
from knowledge.versions.routing_policy import Bounds


@dataclass(slots=True)
class _Sheet:
    """What is written so far: parts, and citations numbered by first use."""

    citations: list[DraftCitation] = field(default_factory=list[DraftCitation])
    parts: list[DraftPart] = field(default_factory=list[DraftPart])

    def template(self, text: str, part: str | None) -> None:
        self.parts.append(DraftPart(kind="template", text=f"{text}\n", citations=(), question_part=part))

    def not_covered(self, text: str, part: str) -> None:
        self.parts.append(DraftPart(kind="not_covered", text=f"{text}\n", citations=(), question_part=part))

    def statement(self, quote: str, handle: str, part: str, *, ends: str) -> None:
        cited = DraftCitation(handle, quote)
        if cited not in self.citations:
            self.citations.append(cited)
        number = self.citations.index(cited) + 1
        stated = DraftPart(kind="statement", text=quote + ends, citations=(number,), question_part=part)
        # A policy may say the same twice in a row; an answer says it once.
        if not (self.parts and repeats(stated, self.parts[-1])):
            self.parts.append(stated)


def compose(brief: Brief, *, bounds: Bounds) -> Draft:
    """Answer each question part with the best sentences of its best passage, or mark it as not covered."""
    chosen = [(evidence, _choose(brief, evidence, bounds)) for evidence in brief.evidence]
    if not any(choices for _, choices in chosen):
        return _refusal()
    sheet = _Sheet()
    lead_in: LeadIn | None = None
    for evidence, choices in chosen:
        if not choices:
            sheet.not_covered(_named(NOT_COVERED[brief.language], evidence.question_part), evidence.question_part)
            continue
        lead_in = _introduce(sheet, brief, evidence, choices[0], said=lead_in)
        for choice in choices:
            _state(sheet, brief, evidence, choice)
    return _finished(sheet)


def _choose(brief: Brief, evidence: PartEvidence, bounds: Bounds) -> tuple[Chosen, ...]:
    """Choose from the best passage, and one sentence of another that speaks to the part as well."""
    if not evidence.found:
        return ()
    best, *others = (found.passage for found in evidence.found)
    covered = sum(bool(each.found) for each in brief.evidence)
    most = min(bounds.citations_per_answer, bounds.statements_per_answer)
    limits = Limits(quotes=most // covered, quote_characters=bounds.quote_characters)
    idf = brief.context.term_idf
    holds = holder_of(evidence.question_part)
    part = QuestionPart(evidence.question_part, evidence.searched)
    whole = whole_answer(part)
    first = choose_sentences(evidence.searched, best, idf=idf, limits=limits, holds=holds, answers=whole)
    if first is None:
        return ()
    left = replace(limits, quotes=limits.quotes - len(first.sentences))
    matter = matter_of(part)
    rival = choose_rival(
        evidence.searched,
        first,
        others,
        idf=idf,
        limits=left,
        holds=holds,
        answers=lambda chosen: treats(chosen, matter) and adds_to(part, chosen),
    )
    return (first,) if rival is None else (first, rival)


def _introduce(sheet: _Sheet, brief: Brief, evidence: PartEvidence, choice: Chosen, *, said: LeadIn | None) -> LeadIn:
    """Say what follows; a lead-in is not repeated while it stays true."""
    lead_in = _lead_in(brief.language, evidence, choice)
    if lead_in != said:
        sheet.template(LEAD_INS[lead_in, brief.language], None)
    if len(brief.evidence) > 1:
        sheet.template(_named(ABOUT[brief.language], evidence.question_part), evidence.question_part)
    return lead_in


def _lead_in(language: Language, evidence: PartEvidence, choice: Chosen) -> LeadIn:
    if evidence.conditional:
        return "conditional"
    return "same" if choice.passage.language == language else "other_language"


def _state(sheet: _Sheet, brief: Brief, evidence: PartEvidence, choice: Chosen) -> None:
    handle = _handle(brief, choice)
    for sentence, following in zip(choice.sentences, (*choice.sentences[1:], None), strict=True):
        quote = choice.passage.sentence_text(sentence)
        ends = _ending(choice, sentence, following)
        sheet.statement(quote, handle, evidence.question_part, ends=ends)


def _handle(brief: Brief, choice: Chosen) -> str:
    return next(
        handle
        for handle, found in zip(brief.handles, brief.context.found, strict=True)
        if found.passage.passage_id == choice.passage.passage_id
    )


def _ending(choice: Chosen, sentence: Sentence, following: Sentence | None) -> str:
    if following is None or "\n" in choice.passage.text[sentence.end : following.start]:
        return "\n"
    return "" if choice.passage.language == "zh" else " "


def _named(template: str, question_part: str) -> str:
    return template.replace("{question_part}", question_part)


def _finished(sheet: _Sheet) -> Draft:
    parts = tuple(sheet.parts)
    last = parts[-1]
    closed = DraftPart(
        kind=last.kind, text=last.text.rstrip(), citations=last.citations, question_part=last.question_part
    )
    parts = (*parts[:-1], closed)
    raw = "".join(part.text for part in parts)
    return Draft(refusal=None, missing_facts=(), citations=tuple(sheet.citations), parts=parts, raw=raw)


def _refusal() -> Draft:
    reason = RefusalReason.NO_AUTHORIZED_EVIDENCE
    return Draft(refusal=reason, missing_facts=(), citations=(), parts=(), raw="")
