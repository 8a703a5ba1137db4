"""A recogniser whose rule sees the text around a match, which presidio's own validation does not."""

import re
from collections.abc import Callable
from typing import Final

from presidio_analyzer import LocalRecognizer, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts

LANGUAGE: Final = "xx"
"""One tag for all languages: a sentence of a customer holds several."""

CERTAIN: Final = 1.0

# What a text must hold at the least to be worth the patterns: most passages hold neither numbers nor mailboxes.
NUMBER: Final = re.compile(r"\d(?:[ .()·•-]{0,2}[0-9A-Za-z]){4}")
MAILBOX: Final = re.compile(r"@")
CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
ENGLISH: Final = re.compile(r"[a-z][a-z]")

Span = tuple[int, int]
Rule = Callable[[re.Match[str]], Span | None]
"""Gives the place of the personal data in a match, or None when it is none."""


class RuleRecognizer(LocalRecognizer):
    """Recognises what a pattern finds and a rule accepts."""

    def __init__(self, entity: str, pattern: re.Pattern[str], rule: Rule, *, hint: re.Pattern[str] = NUMBER) -> None:
        """Take the entity to report, the pattern that proposes, the rule that decides, and what a text must hold."""
        self.hint = hint
        self.pattern = pattern
        self.rule = rule
        super().__init__(supported_entities=[entity], supported_language=LANGUAGE, name=f"{entity} by rule")

    def load(self) -> None:
        """Load nothing: the pattern is all there is."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Find every place in a text."""
        del entities, nlp_artifacts
        spans = (self.rule(match) for match in self.pattern.finditer(text))
        entity: str = self.supported_entities[0]
        return [RecognizerResult(entity, *span, CERTAIN) for span in spans if span is not None]
