"""A double of Zammad: token, required fields, no idempotency at all, a search whose index lags."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from services.ticketing.tests.doubles.double import Double, Said, json_of, object_in, texts

TOKEN = "zm-secret-token"
GROUP = "Support"


@dataclass
class ZammadDouble(Double):
    def routes(self) -> list[Route]:
        return [
            Route("/api/v1/tickets", self.post, methods=["POST"]),
            Route("/api/v1/tickets/search", self.search, methods=["GET"]),
            Route("/api/v1/tickets/{id:int}", self.show, methods=["GET"]),
            Route("/api/v1/users/me", self.me, methods=["GET"]),
            Route("/api/v1/ticket_articles/by_ticket/{id:int}", self.articles, methods=["GET"]),
        ]

    def refuse(self, request: Request) -> Response | None:
        if request.headers.get("Authorization") == f"Token token={TOKEN}":
            return None
        return JSONResponse({"error": "Invalid BasicAuth credentials"}, 401)

    async def post(self, request: Request) -> Response:
        body = await json_of(request)
        article = object_in(body.get("article"))
        if not texts(body, "title", "group", "customer_id"):
            return JSONResponse({"error": "Required value is missing"}, 422)
        if body["group"] != GROUP or len(body["title"]) > 250 or not texts(article, "subject", "body", "type"):
            return JSONResponse({"error": "No lookup value found"}, 422)

        def make() -> Response:
            number = len(self.tickets) + 1
            kept = {"id": number, "number": f"3100{number}", "state": "new", **body}
            self.tickets.append(kept)
            return JSONResponse({**kept, "article_ids": [1]}, 201)

        return await self.create(request, make)

    async def search(self, request: Request) -> Response:
        query = request.query_params.get("query", "")
        found = [each for each in self.searchable() if query in each["title"]]
        if request.query_params.get("expand") == "true":
            return JSONResponse(found)
        return JSONResponse({"tickets": [each["id"] for each in found], "assets": {}})

    async def articles(self, request: Request) -> Response:
        del request
        if self.hides_replies:
            return JSONResponse({"error": "Not authorized"}, 403)
        first = {"id": 1, "body": "ours", "content_type": "text/html", "internal": True, "sender": "Agent"}
        return JSONResponse([first, *(_article(number, said) for number, said in enumerate(self.said, 2))])

    async def me(self, request: Request) -> Response:
        del request
        return JSONResponse({"id": 3, "email": "agent@shop.example"})

    async def show(self, request: Request) -> Response:
        found = [each for each in self.tickets if each["id"] == request.path_params["id"]]
        return JSONResponse(found[0]) if found else JSONResponse({"error": "Not found"}, 404)


def _article(number: int, said: Said) -> dict[str, Any]:
    sender = "Agent" if said.by == "agent" else "Customer"
    body = f"<div>{said.text}</div>"
    return {
        "id": number, "body": body, "content_type": "text/html", "internal": said.is_internal, "sender": sender
    }  # fmt: skip
