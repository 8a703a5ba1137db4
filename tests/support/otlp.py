"""Receive traces over OTLP/HTTP, the way a collector would, and let tests read them."""

import gzip
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

_WAIT_SECONDS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedSpan:
    """A span as its service sent it; ids are hexadecimal, `parent_id` is empty for a root."""

    service: str
    name: str
    span_id: str
    parent_id: str
    attributes: dict[str, str]


class OtlpReceiver:
    """A collector that keeps every span by trace."""

    def __init__(self) -> None:
        """Listen on a free port; `serve` answers."""
        self._spans: dict[str, dict[str, ReceivedSpan]] = defaultdict(dict)
        self._arrived = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Stop answering and free the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def trace(self, trace_id: str, *, until: Callable[[list[ReceivedSpan]], bool]) -> list[ReceivedSpan]:
        """Give the spans of a trace once they satisfy a condition; fail when they do not within a minute."""
        deadline = time.monotonic() + _WAIT_SECONDS
        with self._arrived:
            while not until(list(self._spans[trace_id].values())):
                if not self._arrived.wait(deadline - time.monotonic()):
                    break
            return list(self._spans[trace_id].values())

    def take(self, request: ExportTraceServiceRequest) -> None:
        """Keep the spans of one export."""
        with self._arrived:
            for trace_id, span in _spans(request):
                self._spans[trace_id][span.span_id] = span
            self._arrived.notify_all()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                receiver.take(ExportTraceServiceRequest.FromString(body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                del format, args

        return Handler


@pytest.fixture(scope="session")
def otlp() -> Iterator[OtlpReceiver]:
    """Give a collector that runs as long as the session."""
    receiver = OtlpReceiver()
    receiver.start()
    yield receiver
    receiver.stop()


def _spans(request: ExportTraceServiceRequest) -> Iterator[tuple[str, ReceivedSpan]]:
    for resource in request.resource_spans:
        service = _attributes(resource.resource.attributes).get("service.name", "")
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield (
                    span.trace_id.hex(),
                    ReceivedSpan(
                        service=service,
                        name=span.name,
                        span_id=span.span_id.hex(),
                        parent_id=span.parent_span_id.hex(),
                        attributes=_attributes(span.attributes),
                    ),
                )


def _attributes(pairs: Iterable[KeyValue]) -> dict[str, str]:
    return {pair.key: pair.value.string_value for pair in pairs}
