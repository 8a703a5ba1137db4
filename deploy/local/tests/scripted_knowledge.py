"""A knowledge service that gives set answers to commands."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import httpx


class ScriptedKnowledge:
    """Answers by the end of a path."""

    def __init__(self, **answers: dict[str, Any]) -> None:  # JSON of any shape
        self._answers = answers

    def client(self, settings: Mapping[str, str], tenant: str, **_roles: tuple[str, ...]) -> nullcontext[httpx.Client]:
        """Give a client of it, whoever asks."""
        del settings, tenant
        return nullcontext(httpx.Client(base_url="http://knowledge", transport=httpx.MockTransport(self._answer)))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=self._answers[request.url.path.rsplit("/", 1)[-1]])
