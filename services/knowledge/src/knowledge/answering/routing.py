"""Choose the path of a question: reviewed configuration decides, and nothing the question says can change it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from contracts.reasons import Handoff, RefusalReason
from knowledge.answering.disguises import undisguised, vocabulary_of
from knowledge.answering.folding import HAN, fold, has_words
from knowledge.answering.negation import denies_a_wish, is_denied, may_deny
from knowledge.answering.question_parts import asks_something
from knowledge.versions.routing_policy import RoutingPolicy, Topic


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The path of a question: `reason` is None when it goes on to the policies, with what is `asked` of them."""

    reason: RefusalReason | None
    rule: str | None
    """The topic or fact of the routing policy that decided, for the answer log."""
    missing_facts: tuple[str, ...]
    handoff: Handoff
    asked: str = ""


# A sentence, or the clause after a contrast: how far an `unless` phrase reaches. "我不想投诉，但再不处理我就投诉你们" complains.
_SCOPE_END = re.compile(
    r"[。!?;\n]|\.(?=\s|$)|[,，、]?\s*(?:但是?|不过|可是|然而|否则|\bbut\b|\bhowever\b|\botherwise\b)"
)
# The clause: how far a question word inside a pattern reaches. "我要投诉，退款多久到账？" complains, whatever else it asks.
_CLAUSE_END = re.compile(r"[,，、:：;；—]|(?<=\s)-(?=\s)")
_CLAUSE = re.compile(
    r"(?:[^,，;；:：。!！?？\n.]|\.(?!\s|$))+(?:[,，;；:：。!！?？\n]|\.(?=\s|$))*(?:[^\S\n]+(?=but\b))?|[.\s]+"
)
# A clause that supposes a wish sets the scene of a question about it.
_SUPPOSES = re.compile(r"如果|要是|假如|万一|的话|[时后]|\b(?:if|when|after|before|once|unless|in case)\b")
_HAN = re.compile(f"[{HAN}]")
_GAP = r"(?:[^\w.?!;]+[\w'-]+){0,3}?[^\w.?!;]+"


def route_question(question: str, *, policy: RoutingPolicy, signed_facts: Mapping[str, str]) -> Route:
    """Match a question against the routing policy: escalation, a person, a missing fact, a human decision, else search.

    `signed_facts` lift the patterns whose fact they hold; what the customer typed never does.
    """
    folded = fold(question)
    forms = _forms(question, policy)
    if not has_words(folded):
        return _refusal(policy, RefusalReason.NO_AUTHORIZED_EVIDENCE, rule="no words")
    if topic := _first_topic(policy.escalation_topics, forms):
        return _refusal(policy, RefusalReason.ESCALATION_TOPIC, rule=topic)
    if topic := _first_topic(policy.human_requested, forms):
        return _refusal(policy, RefusalReason.HUMAN_REQUESTED, rule=topic)
    if missing := tuple(_missing_facts(policy, (folded, *_scopes(forms[0])), signed_facts)):
        return _refusal(policy, RefusalReason.MISSING_BUSINESS_FACT, rule=missing[0], missing_facts=missing)
    if topic := _first_topic(policy.human_decision, forms):
        return _refusal(policy, RefusalReason.HUMAN_DECISION_REQUIRED, rule=topic)
    return Route(reason=None, rule=None, missing_facts=(), handoff="none", asked=_undenied(question, policy))


def _refusal(policy: RoutingPolicy, reason: RefusalReason, *, rule: str, missing_facts: tuple[str, ...] = ()) -> Route:
    return Route(reason=reason, rule=rule, missing_facts=missing_facts, handoff=policy.handoff[reason])


def _undenied(question: str, policy: RoutingPolicy) -> str:
    """Leave out clauses that only deny a wish, so that nobody searches for them: "不用转人工，我就问下运费谁出"."""
    topics = (*policy.escalation_topics, *policy.human_requested)
    clauses = [clause.group() for clause in _CLAUSE.finditer(question)]
    kept = "".join(clause for clause in clauses if not _only_denies(fold(clause), topics)).strip()
    return kept if has_words(fold(kept)) else question


def _only_denies(clause: str, topics: Iterable[Topic]) -> bool:
    """Tell whether a clause denies a wish, or names topics and is about none of them, and neither supposes nor asks anything."""
    if _SUPPOSES.search(clause) or not may_deny(clause) or asks_something(clause):
        return False
    named = [topic for topic in topics if any(True for _ in _findings(topic, clause)) or _matches(topic.unless, clause)]
    return (bool(named) or denies_a_wish(clause)) and not any(_is_about(topic, clause) for topic in named)


def _forms(question: str, policy: RoutingPolicy) -> tuple[str, ...]:
    """Give the question line by line as it was typed, and as it reads without disguise where that differs."""
    topics = (*policy.escalation_topics, *policy.human_requested, *policy.human_decision)
    lines = "\n".join(map(fold, question.splitlines()))
    return tuple(dict.fromkeys((lines, undisguised(question, vocabulary_of(topics)))))


def _scopes(form: str) -> list[str]:
    return [scope for scope in _SCOPE_END.split(form) if scope.strip()]


def _first_topic(topics: Iterable[Topic], forms: Iterable[str]) -> str | None:
    scopes = [scope for form in forms for scope in _scopes(form)]
    return next((topic.name for topic in topics if any(_is_about(topic, scope) for scope in scopes)), None)


def _is_about(topic: Topic, scope: str) -> bool:
    named = any(topic.holds_when_denied or not _is_denied(topic, found) for found in _findings(topic, scope))
    return named and not _matches(topic.unless, scope)


def _is_denied(topic: Topic, found: re.Match[str]) -> bool:
    return is_denied(found, vocabulary_of((topic,)).pairs)


def _findings(topic: Topic, scope: str) -> Iterator[re.Match[str]]:
    """Try the whole scope, then each clause, so that what a pattern excludes counts only where it stands."""
    if topic.phrases:
        yield from _compiled(topic.phrases).finditer(scope)
    for piece in (scope, *(clause.strip() for clause in _CLAUSE_END.split(scope))):
        for each in topic.patterns:
            yield from _pattern(each).finditer(piece)


def _matches(phrases: tuple[str, ...], scope: str) -> bool:
    """Tell whether a scope holds one of these phrases, within one of its clauses."""
    return bool(phrases) and any(_compiled(phrases).search(clause) for clause in _CLAUSE_END.split(scope))


@lru_cache(maxsize=512)
def _compiled(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(_expression(fold(phrase)) for phrase in phrases))


def _expression(phrase: str) -> str:
    """Chinese is matched as it stands; other words whole, in order, with up to three words between."""
    if _HAN.search(phrase):
        return re.escape(phrase)
    return rf"(?<!\w){_GAP.join(re.escape(word) for word in phrase.split())}(?!\w)"


def _missing_facts(policy: RoutingPolicy, texts: Iterable[str], signed_facts: Mapping[str, str]) -> Iterator[str]:
    """Try the whole question and each sentence of it, so that no other sentence takes a match back."""
    texts = tuple(texts)
    for entry in policy.personal_facts:
        if entry.fact not in signed_facts and any(_pattern(p).search(text) for p in entry.patterns for text in texts):
            yield entry.fact


@lru_cache(maxsize=512)
def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression)
