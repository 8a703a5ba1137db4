"""Every call of a command is signed anew, so that nothing takes longer than a token lives."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from runtime.tokens import public_file, read_keys, verify
from youju import staff_tokens
from youju.keys import make_missing_keys
from youju.staff_tokens import AUDIENCE, StaffAuth
from youju.trouble import Trouble

pytestmark = pytest.mark.unit


def test_a_call_long_after_the_first_has_a_token_that_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_missing_keys(tmp_path)
    now = datetime.now(UTC)
    times = iter([now - timedelta(hours=3), now - timedelta(hours=2), now])
    monkeypatch.setattr(staff_tokens, "utc_now", lambda: next(times))
    auth = StaffAuth(tmp_path, tenant="demo", actor="terminal", roles=("owner",))
    sent: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.headers["authorization"].removeprefix("Bearer "))
        return httpx.Response(204)

    with httpx.Client(transport=httpx.MockTransport(answer), base_url="http://knowledge", auth=auth) as client:
        client.get("/first")
        client.get("/last")

    claims = verify(read_keys(public_file(tmp_path, "staff")), sent[1], audience=AUDIENCE)
    assert sent[0] != sent[1]
    assert (claims["tenant"], claims["roles"]) == ("demo", ["owner"])


def test_without_keys_the_sentence_says_who_makes_them(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="make up"):
        StaffAuth(tmp_path, tenant="demo", actor="terminal", roles=("owner",))
