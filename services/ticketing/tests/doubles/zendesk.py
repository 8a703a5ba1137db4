"""A double of Zendesk: Basic token, required fields, keys it remembers, the list by external id."""

from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from services.ticketing.tests.doubles.double import Double, Said, json_of, object_in, texts

EMAIL, TOKEN = "agent@shop.example", "zd-secret-token"
GROUP = 77
CUSTOMER, AGENT = 501, 502


@dataclass
class ZendeskDouble(Double):
    """`keys` holds the body and the ticket of every idempotency key; a ticket of None is in flight."""

    keys: dict[str, tuple[str, dict[str, Any] | None]] = field(
        default_factory=dict[str, tuple[str, dict[str, Any] | None]]
    )

    def routes(self) -> list[Route]:
        return [
            Route("/api/v2/tickets", self.post, methods=["POST"]),
            Route("/api/v2/tickets", self.list, methods=["GET"]),
            Route("/api/v2/tickets/{id:int}", self.show, methods=["GET"]),
            Route("/api/v2/users/me", self.me, methods=["GET"]),
            Route("/api/v2/tickets/{id:int}/comments", self.comments, methods=["GET"]),
        ]

    def refuse(self, request: Request) -> Response | None:
        expected = "Basic " + b64encode(f"{EMAIL}/token:{TOKEN}".encode()).decode()
        if request.headers.get("Authorization") == expected:
            return None
        return JSONResponse({"error": "Couldn't authenticate you"}, 401)

    def reset(self) -> None:
        super().reset()
        self.keys.clear()

    async def post(self, request: Request) -> Response:
        key = request.headers.get("Idempotency-Key", "")
        body = (await request.body()).decode()
        if len(key) > 255:
            return JSONResponse({"error": "InvalidIdempotencyKey"}, 400)
        if key in self.keys:
            return self._again(key, body)
        ticket = object_in((await json_of(request)).get("ticket"))
        wrong = _fault_of(ticket)
        if wrong is not None:
            return JSONResponse({"error": "RecordInvalid", "description": wrong}, 422)
        if key:
            self.keys[key] = (body, None)
        return await self._first(request, key=key, body=body, ticket=ticket)

    async def _first(self, request: Request, *, key: str, body: str, ticket: dict[str, Any]) -> Response:
        def make() -> Response:
            kept = {**ticket, "id": 100 + len(self.tickets), "status": "new", "requester_id": CUSTOMER}
            self.tickets.append(kept)
            self.keys[key] = (body, kept)
            return JSONResponse({"ticket": kept}, 201, {"x-idempotency-lookup": "miss"})

        try:
            return await self.create(request, make)
        finally:
            if key in self.keys and self.keys[key][1] is None:
                del self.keys[key]

    def _again(self, key: str, body: str) -> Response:
        first, ticket = self.keys[key]
        if first != body:
            return JSONResponse({"error": "IdempotentRequestError"}, 400)
        if ticket is None:
            return JSONResponse({"error": "Conflict"}, 409)
        return JSONResponse({"ticket": ticket}, 201, {"x-idempotency-lookup": "hit"})

    async def list(self, request: Request) -> Response:
        wanted = request.query_params.get("external_id")
        found = [each for each in self.searchable() if wanted in {None, each.get("external_id")}]
        return JSONResponse({"tickets": found, "count": len(found)})

    async def comments(self, request: Request) -> Response:
        if self.hides_replies:
            return JSONResponse({"error": "Forbidden"}, 403)
        order = -1 if request.query_params.get("sort_order") == "desc" else 1
        return JSONResponse({"comments": [_comment(said) for said in self.said][::order]})

    async def me(self, request: Request) -> Response:
        del request
        return JSONResponse({"user": {"id": AGENT, "role": "agent"}})

    async def show(self, request: Request) -> Response:
        found = [each for each in self.tickets if each["id"] == request.path_params["id"]]
        return JSONResponse({"ticket": found[0]}) if found else JSONResponse({"error": "RecordNotFound"}, 404)


def _comment(said: Said) -> dict[str, Any]:
    author = AGENT if said.by == "agent" else CUSTOMER
    return {"author_id": author, "public": not said.is_internal, "plain_body": said.text, "body": said.text}


def _fault_of(ticket: dict[str, Any]) -> str | None:  # any JSON object
    if not texts(ticket, "subject", "external_id"):
        return "subject"
    comment = object_in(ticket.get("comment"))
    if not texts(comment, "html_body") or len(comment["html_body"].encode()) > 65_535:
        return "comment"
    return None if ticket.get("group_id", GROUP) == GROUP else "group_id"
