"""Say how a tenant's tickets are worded: what is told in which order, under which headings, in each language.

A template chooses and names; it computes nothing. Customers' texts stay values, whatever a template says.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, StringConstraints, field_validator

from contracts.reasons import Language

SectionName = Literal[
    "question", "note", "contact", "answer", "refusal", "origin", "citations", "feedback", "transcript"
]
ALL_SECTIONS: Final[tuple[SectionName, ...]] = get_args(SectionName)
# Without these two nobody can help, or find out what happened.
_NEEDED: Final[frozenset[SectionName]] = frozenset({"question", "origin"})
# A subject may become a cell of a spreadsheet, so it begins with a word; a heading is one line.
_Words = Annotated[str, StringConstraints(pattern=r"^\w[^\x00-\x1f\x7f]*$", max_length=60)]
_Paragraph = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Headings:
    """The words of one language between what the escalation brought."""

    subject: str
    question: str
    answer: str
    refusal: str
    citations: str
    note: str
    contact: str
    feedback: str
    transcript: str
    origin: str
    attempt: str
    escalation: str
    trace: str
    earlier: str
    since: str


_HEADINGS: Final[Mapping[Language, Headings]] = {
    "zh": Headings(
        subject="客户请求人工服务",
        question="客户的问题",
        answer="已给出的回答",
        refusal="未能回答的原因",
        citations="引用的规定",
        note="客户留言",
        contact="联系方式",
        feedback="客户评价",
        transcript="此前的对话",
        origin="来源",
        attempt="回答编号",
        escalation="人工请求编号",
        trace="追踪编号",
        earlier="同一问题的各次回答",
        since="生效日期",
    ),
    "en": Headings(
        subject="A customer asks for a person",
        question="The customer's question",
        answer="The answer that was given",
        refusal="Why there was no answer",
        citations="Policies that were cited",
        note="The customer's note",
        contact="How to reach the customer",
        feedback="The customer's judgement",
        transcript="The conversation before",
        origin="Where this comes from",
        attempt="Attempt",
        escalation="Escalation",
        trace="Trace",
        earlier="All attempts at this question",
        since="in force since",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """How tickets are worded in one language. `opening` and `closing` are the tenant's own paragraphs."""

    headings: Headings
    sections: tuple[SectionName, ...] = ALL_SECTIONS
    opening: str | None = None
    closing: str | None = None


BUILT_IN: Final[Mapping[Language, Template]] = {
    language: Template(headings=headings) for language, headings in _HEADINGS.items()
}


class TemplateOfLanguage(BaseModel):
    """What a tenant says otherwise than the built-in template of a language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sections: tuple[SectionName, ...] = ALL_SECTIONS
    headings: dict[str, _Words] = {}
    opening: _Paragraph | None = None
    closing: _Paragraph | None = None

    @field_validator("sections")
    @classmethod
    def _has_what_is_needed(cls, sections: tuple[SectionName, ...]) -> tuple[SectionName, ...]:
        if not set(sections) >= _NEEDED or len(set(sections)) != len(sections):
            raise ValueError("question and origin must be among the sections, and none of them twice")
        return sections

    @field_validator("headings")
    @classmethod
    def _are_known(cls, headings: dict[str, str]) -> dict[str, str]:
        known = asdict(_HEADINGS["en"])
        unknown = sorted(set(headings) - set(known))
        if unknown:
            raise ValueError(f"there is no heading {', '.join(unknown)}; there are {', '.join(known)}")
        return headings

    def over(self, built_in: Template) -> Template:
        """Lay this over the built-in template."""
        return Template(
            headings=replace(built_in.headings, **self.headings),
            sections=self.sections,
            opening=self.opening,
            closing=self.closing,
        )


class TemplateFile(BaseModel):
    """A tenant's file: for each language what differs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    zh: TemplateOfLanguage = TemplateOfLanguage()
    en: TemplateOfLanguage = TemplateOfLanguage()

    def template(self, language: Language) -> Template:
        """Give the whole template of a language."""
        return (self.zh if language == "zh" else self.en).over(BUILT_IN[language])
