"""A double of a receiver of Standard Webhooks that answers a repeated id with its first ticket."""

import hmac
import time
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from services.ticketing.tests.doubles.double import Double, json_of, object_in, texts

SECRET = "whsec_" + b64encode(b"the secret that is in use now").decode()
OLD_SECRET = "whsec_" + b64encode(b"the secret that was used before").decode()


@dataclass
class WebhookDouble(Double):
    """`known` holds the ticket of every id."""

    known: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    def routes(self) -> list[Route]:
        return [Route("/", self.post, methods=["POST"])]

    def refuse(self, request: Request) -> Response | None:
        recent = abs(time.time() - int(request.headers.get("webhook-timestamp", "0"))) <= 300
        return None if recent else JSONResponse({"error": "too old"}, 401)

    def reset(self) -> None:
        super().reset()
        self.known.clear()

    async def post(self, request: Request) -> Response:
        if not await self._is_signed(request):
            return JSONResponse({"error": "signature"}, 401)
        body = await json_of(request)
        data = object_in(body.get("data"))
        if not texts(body, "type", "timestamp") or not texts(data, "ticketKey", "subject"):
            return JSONResponse({"error": "malformed"}, 400)
        known = self.known.get(request.headers["webhook-id"])
        if known is not None and any(known[name] != data[name] for name in data):
            return JSONResponse({"error": "other content under a known id"}, 422)
        if known is not None:
            return _answer(known)

        def make() -> Response:
            # A request with the same id may have overtaken this one.
            if request.headers["webhook-id"] in self.known:
                return _answer(self.known[request.headers["webhook-id"]])
            kept: dict[str, Any] = {**data, "id": str(len(self.tickets) + 1)}
            self.tickets.append(kept)
            self.known[request.headers["webhook-id"]] = kept
            return _answer(kept, status=201)

        return await self.create(request, make)

    async def _is_signed(self, request: Request) -> bool:
        names = ("webhook-id", "webhook-timestamp")
        content = ".".join(request.headers.get(name, "") for name in names).encode() + b"." + await request.body()
        key = b64decode(SECRET.removeprefix("whsec_"))
        wanted = "v1," + b64encode(hmac.new(key, content, sha256).digest()).decode()
        return wanted in request.headers.get("webhook-signature", "").split(" ")


def _answer(kept: dict[str, Any], *, status: int = 200) -> Response:  # as a double keeps a ticket
    return JSONResponse({"externalId": kept["id"], "number": f"W-{kept['id']}"}, status)
