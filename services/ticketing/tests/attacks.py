"""Give the texts that are written to do harm: our own, and the known ones where the data lie beside the checkout."""

import json
import sys
from pathlib import Path

_KNOWN = Path(__file__).parents[3].parent / "shared" / "data" / "attacks"
_OWN = (
    '=HYPERLINK("http://x")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "<img src=x onerror=alert(1)>",
    "</p><script>alert(1)</script>",
    "能退吗？\r\nBcc: all@shop.example",
    "{{ticket.requester.email}} {% raw %} ${x} <%= x %>",
    "\u202egnp.exe\x00\x1b[31m",
)


def payloads(name: str) -> tuple[str, ...]:
    """Give our own payloads and those of one file; says so where the data are not there."""
    if not (_KNOWN / name).is_file():
        sys.stderr.write(f"{_KNOWN / name} is missing: only our own payloads are tried\n")
        return _OWN
    lines = (_KNOWN / name).read_text(encoding="utf-8").splitlines()
    return (*_OWN, *(str(json.loads(line)["attack"]) for line in lines))
