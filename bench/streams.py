"""Stream answers through bff, beside FastAPI with one Valkey stream and the same events.

    python -m bench.streams
    python -m bench.streams --readers 1000 --no-kill

bff, its pulse and the bare server are processes of their own, as is a scripted knowledge. Events a second are counted
by the processor time of the server that gives them. Added latency is from the saying of a part to its reader, beside the
bare server's. Idle readers follow attempts that knowledge has begun and never ends. Ends with 1 when a bar is missed.
"""

import argparse
import asyncio
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, LiteralString
from urllib.request import ProxyHandler, Request, build_opener

import psutil
import psycopg

from bench.measures import Bar, at_least, at_most, print_bars, times
from youju.database_urls import Passwords, for_psycopg
from youju.embedded.postgres import Postgres
from youju.embedded.valkey import Valkey
from youju.keys import make_missing_keys
from youju.provisioning import provision

_TENANT: Final = "shop"
_PATIENCE_SECONDS: Final = 90
_FAST: Final = (32, "200 0")
_PACED: Final = (200, "30 0.5")
_BUSY_SECONDS: Final = 1.0
_ARRIVALS: Final = 40.0
_SETTLING_NANOSECONDS: Final = 10**9
_LONGEST_LINE: Final = 2**22
_HELD: Final = "0 0"
_HELD_ATTEMPTS: Final = 100
_OPENING_AT_ONCE: Final = 100
_PENDING: Final[LiteralString] = "SELECT count(*) FROM attempt WHERE status = 'PENDING'"
_DIRECT: Final = build_opener(ProxyHandler({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A process that answers at a port, and what its calls bear."""

    process: psutil.Process
    port: int
    head: str = ""

    @property
    def cpu_seconds(self) -> float:
        """How long it has used a processor."""
        spent = self.process.cpu_times()
        return spent.user + spent.system

    @property
    def bytes(self) -> int:
        """How much memory it holds."""
        return self.process.memory_info().rss


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was found out about one server."""

    rate: float
    p99: float
    per_stream: float


@dataclass(frozen=True, slots=True)
class Heard:
    """When a stream was opened, and when each of its parts was said and heard, in nanoseconds."""

    opened: int
    parts: list[tuple[int, int]]


Ask = Callable[[int, str], Awaitable[tuple[str, str, str]]]


def main() -> int:
    """Measure and print."""
    options = _options()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 20_000)), hard))
    with tempfile.TemporaryDirectory(prefix="youju-", ignore_cleanup_errors=True) as folder, ExitStack() as stack:
        environment, admin = stack.enter_context(_place(Path(folder)))
        knowledge = stack.enter_context(_uvicorn("bench.bare_streams:knowledge", environment))
        bare = stack.enter_context(_uvicorn("bench.bare_streams:app", environment))
        environment |= {"YOUJU_BFF_KNOWLEDGE_URL": f"http://127.0.0.1:{knowledge.port}"}
        stack.enter_context(_started([sys.executable, "-m", "bff.pulse"], environment))
        bff = stack.enter_context(_bff(environment))
        plain = asyncio.run(_measure(bare, _bare_ask, readers=options.readers, held=_bare_held))
        ours = asyncio.run(
            _measure(bff, _Conversations(bff).ask, readers=options.readers, held=_Conversations(bff).held)
        )
        bars = [*_bars(ours, plain)]
        if not options.no_kill:
            bars.append(at_most("seconds from kill -9 to the end of what ran", _killed(bff, admin), 60))
    print(f"{'':<24}{'bff':>12}{'bare':>12}")
    for what, name in (
        ("events a core second", "rate"),
        ("p99 ms to the reader", "p99"),
        ("KB a reader", "per_stream"),
    ):
        print(f"{what:<24}{getattr(ours, name):>12.1f}{getattr(plain, name):>12.1f}")
    return 0 if print_bars(bars) else 1


def _bars(ours: Measured, plain: Measured) -> tuple[Bar, ...]:
    return (
        at_least("events a core second, beside bare", ours.rate / plain.rate, 0.5),
        at_most("p99 ms added to an event, 200 streams", ours.p99 - plain.p99, 20),
        at_most("memory of an idle reader, beside bare", ours.per_stream / plain.per_stream, 1.5),
    )


async def _measure(server: Server, ask: Ask, *, readers: int, held: Ask) -> Measured:
    await _stream_all(server, ask, 4, "20 0")
    before = server.cpu_seconds
    fast = await _stream_all(server, ask, *_FAST)
    rate = sum(len(each.parts) for each in fast) / (server.cpu_seconds - before)
    paced = await _stream_all(server, ask, *_PACED)
    # Only what was said while all were open: opening them at once is another matter.
    steady = max(each.opened for each in paced) + _SETTLING_NANOSECONDS
    late = [(heard - said) / 1e6 for each in paced for said, heard in each.parts if said > steady]
    return Measured(rate=rate, p99=times(late).p99, per_stream=await _idle(server, held, readers))


async def _stream_all(server: Server, ask: Ask, count: int, question: str) -> list[Heard]:
    """Ask as many questions, one shortly after the other, and give what was heard of each."""
    requests = [await ask(number, question) for number in range(count)]
    return await asyncio.gather(*(_heard(server, each, after=n / _ARRIVALS) for n, each in enumerate(requests)))


async def _heard(server: Server, request: tuple[str, str, str], *, after: float) -> Heard:
    await asyncio.sleep(after)
    async with _opened(server, request) as reader:
        found = Heard(time.monotonic_ns(), [])
        async for line in reader:
            if line.startswith((b'data: {"kind"', b'data: {"event": "delta"')):
                said = int(json.loads(line[6:])["text"].partition(" ")[0])
                found.parts.append((said, time.monotonic_ns()))
    return found


async def _idle(server: Server, held: Ask, count: int) -> float:
    """Open readers that hear nothing, and give the kilobytes each costs."""
    requests = [await held(number, _HELD) for number in range(min(_HELD_ATTEMPTS, count))]
    limit, opened = asyncio.Semaphore(_OPENING_AT_ONCE), asyncio.Semaphore(0)
    before = server.bytes

    async def stay(number: int) -> None:
        async with limit:
            stream = _opened(server, requests[number % len(requests)])
            reader = await stream.__aenter__()
            await reader.readline()
        opened.release()
        try:
            await asyncio.Event().wait()
        finally:
            await stream.__aexit__(None, None, None)

    staying = [asyncio.create_task(stay(number)) for number in range(count)]
    for _ in staying:
        await opened.acquire()
    await asyncio.sleep(2)
    size = (server.bytes - before) / count / 1000
    for each in staying:
        each.cancel()
    await asyncio.gather(*staying, return_exceptions=True)
    return size


@asynccontextmanager
async def _opened(server: Server, request: tuple[str, str, str]) -> AsyncGenerator[asyncio.StreamReader]:
    """Send a request, again while the server is busy, and give its answer from behind its head on."""
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=_LONGEST_LINE)
        try:
            writer.write(_written(server, request))
            status = await reader.readline()
            if b" 200 " in status:
                while (await reader.readline()).strip():
                    pass
                yield reader
                return
            if b" 503 " not in status:
                raise RuntimeError(f"{request[1]} answers {status.decode().strip()}")
        finally:
            writer.close()
        await asyncio.sleep(_BUSY_SECONDS)


def _written(server: Server, request: tuple[str, str, str]) -> bytes:
    method, path, body = request
    content = body.encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\nConnection: close\r\n{server.head}\r\n".encode() + content


async def _bare_ask(number: int, question: str) -> tuple[str, str, str]:
    name = f"bench-{number}-{time.monotonic_ns()}"
    return "POST", f"/streams/{name}", json.dumps({"question": question})


async def _bare_held(number: int, _question: str) -> tuple[str, str, str]:
    return "GET", f"/streams/held-{number}", ""


class _Conversations:
    """Opens a conversation for each question, since each may run one attempt."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def ask(self, _number: int, question: str) -> tuple[str, str, str]:
        """Name the ask of a new conversation."""
        opened = await asyncio.to_thread(_call, self._server, "/v1/conversations", {})
        return "POST", f"/v1/conversations/{opened['conversationId']}/attempts", json.dumps({"question": question})

    async def held(self, number: int, question: str) -> tuple[str, str, str]:
        """Let an attempt run and name its events."""
        method, path, body = await self.ask(number, question)
        async with _opened(self._server, (method, path, body)) as reader:
            while not (line := await reader.readline()).startswith(b"data: "):
                pass
        attempt = json.loads(line[6:])["attemptId"]
        return "GET", f"{path}/{attempt}/events", ""


def _killed(server: Server, admin: str) -> float:
    """Kill a server and give the seconds until nothing it ran is PENDING."""
    with psycopg.connect(admin, autocommit=True) as connection:
        server.process.send_signal(signal.SIGKILL)
        started = time.monotonic()
        while _count(connection):
            if time.monotonic() - started > _PATIENCE_SECONDS:
                raise TimeoutError("attempts stay PENDING")
            time.sleep(0.2)
    return time.monotonic() - started


def _count(connection: psycopg.Connection) -> int:
    row = connection.execute(_PENDING).fetchone()
    return 0 if row is None else row[0]


@contextmanager
def _place(home: Path) -> Generator[tuple[dict[str, str], str]]:
    """Start Postgres and Valkey; give the environment of bff's processes, and the superuser's address of its database."""
    home.chmod(0o711)
    postgres, valkey = Postgres(home, home), Valkey(home, home)
    postgres.start()
    valkey.start()
    try:
        passwords = Passwords(owner="bench", app="bench", sweeper="bench")
        urls = provision(postgres.admin_url, "bff", database="bench", passwords=passwords)
        owner = os.environ | {"YOUJU_BFF_OWNER_DATABASE_URL": urls.owner}
        subprocess.run([sys.executable, "-m", "bff.migrations"], env=owner, check=True, capture_output=True)
        make_missing_keys(home / "keys")
        tenants = home / "tenants.yaml"
        tenants.write_text(json.dumps({"tenants": {_TENANT: {"name": "Shop"}}}), encoding="utf-8")
        many = ("SESSIONS_PER_MINUTE", "ASKS_PER_MINUTE", "ASKS_PER_MINUTE_AND_ADDRESS", "CALLS_PER_MINUTE")
        roomy = ("RUNNING_ATTEMPTS", "RUNNING_ATTEMPTS_PER_CUSTOMER", "OPEN_STREAMS")
        yield (
            {
                **os.environ,
                "YOUJU_REDIS_URL": valkey.url,
                "YOUJU_KEYS_DIRECTORY": str(home / "keys"),
                "YOUJU_TENANTS_FILE": str(tenants),
                "YOUJU_LOG_LEVEL": "error",
                "YOUJU_BFF_DATABASE_URL": urls.app,
                "YOUJU_BFF_SWEEPER_DATABASE_URL": urls.sweeper,
                "YOUJU_BFF_ATTEMPT_SECONDS": "120",
                "YOUJU_BFF_HEARTBEAT_SECONDS": "15",
                **{f"YOUJU_BFF_{name}": "1000000" for name in (*many, *roomy)},
            },
            for_psycopg(postgres.admin_url, "bench"),
        )
    finally:
        valkey.stop()
        postgres.stop()


@contextmanager
def _bff(environment: dict[str, str]) -> Generator[Server]:
    port = _free_port()
    with _started([sys.executable, "-m", "bff.main"], environment | {"YOUJU_BFF_PORT": str(port)}) as process:
        server = Server(process=process, port=port)
        _until_ready(server)
        token = _call(server, "/v1/sessions", {"tenant": _TENANT})["token"]
        yield Server(process=process, port=port, head=f"Authorization: Bearer {token}\r\n")


@contextmanager
def _uvicorn(name: str, environment: dict[str, str]) -> Generator[Server]:
    port = _free_port()
    command = [sys.executable, "-m", "uvicorn", name, "--port", str(port), "--loop", "uvloop", "--no-access-log"]
    with _started([*command, "--log-level", "error"], environment) as process:
        server = Server(process=process, port=port)
        _until_ready(server)
        yield server


@contextmanager
def _started(command: list[str], environment: dict[str, str]) -> Generator[psutil.Process]:
    running = subprocess.Popen(command, env=environment)  # noqa: S603 - our own modules
    try:
        yield psutil.Process(running.pid)
    finally:
        running.kill()
        running.wait()


def _until_ready(server: Server) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("a server did not start")


def _call(server: Server, path: str, body: dict[str, str]) -> dict[str, str]:
    name, _, value = server.head.strip().partition(": ")
    request = Request(f"http://127.0.0.1:{server.port}{path}", json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    if name:
        request.add_header(name, value)
    with _DIRECT.open(request, timeout=30) as answer:
        return json.load(answer)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=5_000, help="idle readers")
    parser.add_argument("--no-kill", action="store_true", help="spare the 40 seconds after a kill")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
