"""Say what is plainly a name or an address of a customer.

Either becomes the requester of a ticket: a helpdesk sends mail to it, and it stands in headers and exports. So an address has
only characters that need no quoting in a header, and neither begins with one that would begin a formula in an export.
"""

import re
from typing import Final

_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
# The longest address that mail can be sent to.
_ADDRESS: Final = re.compile(rf"(?=.{{3,254}}\Z)[A-Za-z0-9][A-Za-z0-9._%+-]{{0,63}}@{_LABEL}(?:\.{_LABEL})+")
_LONGEST_NAME: Final = 100
_NO_NAME: Final = frozenset('<>"@,;:\\{}[]|=')


def is_address(text: str) -> bool:
    """Say whether mail may be sent to a text."""
    return _ADDRESS.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Say whether a text may stand where a person is named."""
    return 0 < len(text) <= _LONGEST_NAME and text[0].isalpha() and text.isprintable() and not _NO_NAME & set(text)
