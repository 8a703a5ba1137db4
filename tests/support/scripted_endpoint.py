"""Give tests an HTTP endpoint on this machine that answers as told and remembers what it was asked."""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(slots=True)
class Scripted:
    """What the endpoint answers next, and what it was asked: path, headers and body of every request."""

    url: str = ""
    answers: list[tuple[int, object]] = field(default_factory=list[tuple[int, object]])
    """Status and JSON, taken from the front; the last one stays."""
    go: threading.Event = field(default_factory=threading.Event)
    """No answer leaves before this is set, which it is from the start."""
    asked: list[tuple[str, dict[str, str], dict[str, Any]]] = field(
        default_factory=list[tuple[str, dict[str, str], dict[str, Any]]]
    )  # bodies are whatever the caller sends

    def next_answer(self) -> tuple[int, object]:
        """Take the next answer."""
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def scripted_endpoint() -> Generator[Scripted]:
    """Serve on a free port until the block ends."""
    script = Scripted()
    script.go.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            script.asked.append((self.path, headers, body))
            status, answer = script.next_answer()
            script.go.wait()
            payload = json.dumps(answer).encode()
            with suppress(OSError):  # whoever asked may have gone
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield script
    finally:
        script.go.set()
        server.shutdown()
        server.server_close()
        thread.join()


@asynccontextmanager
async def trickling() -> AsyncGenerator[str]:
    """Serve an answer that never ends, a byte at a time, and give its address."""

    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        with suppress(OSError):  # whoever asked has gone
            while True:
                writer.write(b"1\r\n \r\n")
                await writer.drain()
                await asyncio.sleep(0)

    async with await asyncio.start_server(trickle, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
