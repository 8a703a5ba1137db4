"""A double of Request Tracker's REST 2 interface: token, queue, TicketSQL over the subject, no idempotency."""

import re
from base64 import b64encode
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from services.ticketing.tests.doubles.double import Double, Said, json_of, texts

TOKEN = "1-14-rt-secret-token"
QUEUE = "General"
_QUERY = re.compile(r"Subject LIKE '([^']+)'")


@dataclass
class RequestTrackerDouble(Double):
    def routes(self) -> list[Route]:
        return [
            Route("/REST/2.0/ticket", self.post, methods=["POST"]),
            Route("/REST/2.0/tickets", self.search, methods=["GET"]),
            Route("/REST/2.0/ticket/{id:int}", self.show, methods=["GET"]),
            Route("/REST/2.0/rt", self.root, methods=["GET"]),
            Route("/REST/2.0/ticket/{id:int}/history", self.history, methods=["GET"]),
            Route("/REST/2.0/transaction/{id:int}/attachments", self.attachments, methods=["GET"]),
        ]

    def refuse(self, request: Request) -> Response | None:
        if request.headers.get("Authorization") == f"token {TOKEN}":
            return None
        return JSONResponse({"message": "Unauthorized"}, 401)

    async def post(self, request: Request) -> Response:
        if request.headers.get("Content-Type") != "application/json":
            return JSONResponse({"message": "Unsupported media type"}, 415)
        body = await json_of(request)
        if not texts(body, "Queue"):
            return JSONResponse({"message": "Could not create ticket. Queue not set"}, 400)
        if body["Queue"] != QUEUE:
            return JSONResponse({"message": f"No permission to create tickets in the queue '{body['Queue']}'"}, 403)
        if (
            not texts(body, "Subject", "Content", "ContentType")
            or len(body["Subject"]) > 200
            or "\n" in body["Subject"]
        ):
            return JSONResponse({"message": "Invalid ticket"}, 400)

        def make() -> Response:
            number = len(self.tickets) + 1
            self.tickets.append({**body, "id": str(number), "type": "ticket", "Status": "new"})
            made = {"type": "ticket", "id": str(number), "_url": f"{self.url}/REST/2.0/ticket/{number}"}
            return JSONResponse(made, 201)

        return await self.create(request, make)

    async def search(self, request: Request) -> Response:
        query = _QUERY.fullmatch(request.query_params.get("query", ""))
        if query is None:
            return JSONResponse({"message": "Invalid query"}, 400)
        fields = request.query_params.get("fields", "").split(",")
        found = [each for each in self.searchable() if query[1] in each["Subject"]]
        items = [{name: each[name] for name in ("id", "type", *fields) if name in each} for each in found]
        return JSONResponse({"count": len(items), "total": len(items), "page": 1, "per_page": 20, "items": items})

    async def history(self, request: Request) -> Response:
        del request
        if self.hides_replies:
            return JSONResponse({"message": "Forbidden"}, 403)
        acts = [{"type": "transaction", "id": "10", "Type": "Create"}]
        acts += [
            {"type": "transaction", "id": str(number), "Type": _act(said)} for number, said in enumerate(self.said, 11)
        ]
        return JSONResponse({"items": acts, "total": len(acts)})

    async def attachments(self, request: Request) -> Response:
        number: int = request.path_params["id"]
        content = b64encode(self.said[number - 11].text.encode()).decode()
        return JSONResponse({"items": [{"id": "1", "ContentType": "text/plain", "Content": content}]})

    async def root(self, request: Request) -> Response:
        del request
        return JSONResponse({"Version": "5.0.3", "Plugins": []})

    async def show(self, request: Request) -> Response:
        found = [each for each in self.tickets if each["id"] == str(request.path_params["id"])]
        return JSONResponse({**found[0], "id": int(found[0]["id"])}) if found else JSONResponse({}, 404)


def _act(said: Said) -> str:
    return "Comment" if said.is_internal or said.by == "customer" else "Correspond"
