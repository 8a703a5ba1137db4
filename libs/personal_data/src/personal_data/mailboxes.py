"""Recognises e-mail addresses of persons: a mailbox named after a task belongs to the company.

Presidio's own recogniser reads Chinese letters before an address as part of it, and asks tldextract, which fetches a list.
"""

import re
from typing import Final

from personal_data.rule_recognizer import MAILBOX, RuleRecognizer, Span

_EMAIL: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}(?![\w@])", re.ASCII
)
_IMAGE_NAME: Final = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.IGNORECASE)
# Tasks, and the words that stand for a name in examples.
_ROLE_WORDS: Final = """
    abuse accounts admin alerts appeals billing care catchall claims compliance contact copyright customer
    customercare customerservice desk dmca do dpo enquiries events feedback finance gdpr hello help helpdesk hr info
    inquiries invoice invoices it jobs kefu legal mail marketing media member members membership news no noreply not
    office order orders policy postmaster press privacy quality recruiting recruitment refund refunds reply report
    reports returns sales scanning secret security service services shield shipping shop someone store subscriptions
    support team tousu user username users vip vipservice warranty web webmaster website you your yourname
"""
_ROLES: Final = frozenset(_ROLE_WORDS.split())


def _mailbox(match: re.Match[str]) -> Span | None:
    parts = re.split(r"[._+-]+", match.group().partition("@")[0].lower())
    return None if set(parts) <= _ROLES or _IMAGE_NAME.search(match.group()) else match.span()


def mailbox_recognizers() -> list[RuleRecognizer]:
    """Make the recogniser of this module."""
    return [RuleRecognizer("EMAIL_ADDRESS", _EMAIL, _mailbox, hint=MAILBOX)]
