"""Says how the statements after it are planned, until another one says otherwise."""

from typing import Final

from knowledge.retrieval import statements
from runtime.round_trips import Ask

ONCE: Final = Ask(statements.PLANNED_ONCE, {})
EACH: Final = Ask(statements.PLANNED_EACH, {})
