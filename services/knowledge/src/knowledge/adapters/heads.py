"""Takes the heads of the answer log's chains out of the database: a log event, and a file or an address where one is set."""

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import httpx

from contracts.errors import GiveUpError, TryAgainError
from knowledge.adapters.notice_webhook import send
from knowledge.auditing.sealing import Batch
from knowledge.settings import KnowledgeSettings
from runtime.http import CONNECT_SECONDS, trust
from runtime.logging import get_logger

_SECONDS: Final = 5.0

_log = get_logger("answer_log")


class HeadNotTakenError(TryAgainError):
    """The head of a chain could not be told outside; it is told again."""

    code = "HEAD_NOT_TAKEN"


class Heads:
    """Fulfils `Telling`."""

    def __init__(self, *, file: Path | None, url: str | None) -> None:
        """Tell the log, and these places."""
        self._file = file
        self._url = url

    async def tell(self, batch: Batch) -> None:
        """Tell a head everywhere. Errors: HeadNotTakenError, after which it is told everywhere again."""
        said = head_line(batch)
        _log.info("answer_log_sealed", **said)
        if self._file is not None:
            await asyncio.to_thread(_append, self._file, said)
        if self._url is not None:
            await post_head(self._url, batch)


def open_heads(settings: KnowledgeSettings) -> Heads:
    """Open the places that the settings name."""
    return Heads(file=settings.head_file, url=settings.head_url)


def head_line(batch: Batch) -> dict[str, Any]:  # JSON
    """Say what proves a chain up to a batch: nothing of it can be taken back once somebody else has it."""
    return {
        "tenant": batch.tenant,
        "batch": batch.number,
        "head": batch.head.hex(),
        "sealedAt": batch.sealed_at.isoformat(),
    }


def _append(file: Path, said: dict[str, Any]) -> None:
    try:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(said, ensure_ascii=False) + "\n")
    except OSError as refused:
        raise HeadNotTakenError from refused


async def post_head(url: str, batch: Batch, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
    """Post a head. Errors: HeadNotTakenError."""
    body = json.dumps(head_line(batch), ensure_ascii=False).encode()
    timeout = httpx.Timeout(_SECONDS, connect=CONNECT_SECONDS)
    try:
        async with httpx.AsyncClient(
            timeout=timeout, trust_env=False, verify=trust(), follow_redirects=False, transport=transport
        ) as client:
            await send(client, url, body=body, headers={})
    except (TryAgainError, GiveUpError) as refused:
        raise HeadNotTakenError from refused
