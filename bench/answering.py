"""Measure answers a second and the time to their first sentence and to their end, and of what the time is made.

Beside it, in the same run: FastAPI with one Valkey stream, which says the very events that were heard. Run it against a
started installation whose tenant has its documents published (`youju eval` does that); it takes two or three minutes:

    python -m bench.answering ../shared/data/golden/golden.jsonl
"""

import argparse
import asyncio
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar
from uuid import uuid4

import httpx
from httpx_sse import EventSource, aconnect_sse
from prometheus_client.parser import text_string_to_metric_families

from contracts.customer import Conversation, SessionToken
from knowledge.evaluation.summary import percentile
from youju.addresses import customer_url, staff_url
from youju.embedded.valkey import Valkey
from youju.golden_files import read_questions
from youju.home import find_home
from youju.settings import settings_of

_CONCURRENCIES: Final = (1, 8, 32, 128)
_TIMEOUT_SECONDS: Final = 60
_WARM_UP: Final = 5
_STAGES: Final = "youju_knowledge_stage_seconds"
_BUSY: Final = (429, 503)
_BUSY_SECONDS: Final = 1
# An address opens sixty sessions a minute, and a customer has four attempts running.
_MOST_GUESTS: Final = 32
# What only keeps a connection open is no event of an answer.
_UNCOUNTED: Final = frozenset({"heartbeat", "message"})

# Own questions beside the golden ones, so that the set has near misses, refusals and both languages.
_TEMPLATES: Final = (
    "Can I get a refund for {}?",
    "What happens to my data when I cancel {}?",
    "How long do you keep {} after an account is closed?",
    "Who do I write to about {}?",
    "{}怎么取消？",
    "{}可以退款吗？",
)
_SUBJECTS: Final = ("Basecamp", "HEY", "my account", "a yearly plan", "a frozen account", "unused months", "a trial")


Events = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds from sending a question, and name and data of what was heard. `first` is None without any delta."""

    first: float | None
    end: float
    events: Events

    @property
    def has_failed(self) -> bool:
        """Whether the attempt failed."""
        return bool(self.events) and self.events[-1][0] == "error"

    @property
    def is_completed(self) -> bool:
        """Whether an answer or a refusal came to its end."""
        return bool(self.events) and self.events[-1][0] == "completed"


Stages = dict[str, tuple[float, float]]
WishT = TypeVar("WishT")
Ask = Callable[[httpx.AsyncClient, WishT], Awaitable[Timing]]


def main() -> None:
    """Measure and print the table; with --json also write it."""
    options = _options()
    questions = _questions(options.golden, options.tenant, options.questions)
    settings = settings_of(find_home())
    url, knowledge = options.url or customer_url(settings), options.knowledge_url or staff_url(settings)
    results = asyncio.run(
        _measure(url, knowledge, tenant=options.tenant, questions=questions, concurrencies=options.concurrency)
    )
    _print(results)
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


async def _measure(
    url: str, knowledge: str, *, tenant: str, questions: Sequence[str], concurrencies: Sequence[int]
) -> list[dict[str, object]]:
    results: list[dict[str, object]] = []
    with _bare_stream() as bare:
        tokens = await _tokens(url, tenant, min(max(concurrencies), _MOST_GUESTS))
        for concurrency in concurrencies:
            async with _plain(url, concurrency) as guests:
                for guest, token in zip(guests, itertools.cycle(tokens), strict=False):
                    guest.headers["Authorization"] = f"Bearer {token}"
                await _run(guests[:1], questions[:_WARM_UP], _ask)
                before = await _stages(knowledge)
                timings, wall = await _run(guests, questions, _ask)
                stages = _between(before, await _stages(knowledge))
            results.append(_row("youju", concurrency, timings, wall) | {"stages": stages})
            heard = [each.events for each in timings if each.is_completed]
            async with _plain(bare, concurrency) as clients:
                await _run(clients[:1], heard[:_WARM_UP], _repeat)
                timings, wall = await _run(clients, heard, _repeat)
            results.append(_row("bare stream", concurrency, timings, wall))
    return results


async def _run(
    clients: Sequence[httpx.AsyncClient], wishes: Sequence[WishT], ask: Ask[WishT]
) -> tuple[list[Timing], float]:
    left = iter(wishes)
    timings: list[Timing] = []

    async def work(client: httpx.AsyncClient) -> None:
        for wish in left:
            timings.append(await ask(client, wish))  # noqa: PERF401 - each append frees the worker for the next

    started = time.perf_counter()
    await asyncio.gather(*(work(client) for client in clients))
    return timings, time.perf_counter() - started


async def _stages(knowledge: str) -> Stages:
    """Read the seconds and the number of each stage so far."""
    async with httpx.AsyncClient(base_url=knowledge, trust_env=False) as client:
        shown = (await client.get("/metrics")).raise_for_status().text
    found: dict[str, dict[str, float]] = {"_sum": {}, "_count": {}}
    for family in text_string_to_metric_families(shown):
        for sample in family.samples:
            kind = sample.name.removeprefix(_STAGES)
            if kind in found:
                found[kind][sample.labels["stage"]] = sample.value
    return {stage: (seconds, found["_count"][stage]) for stage, seconds in found["_sum"].items()}


def _between(before: Stages, after: Stages) -> dict[str, float]:
    """Give the milliseconds that each stage took on average meanwhile."""
    spent = {
        stage: (seconds - before.get(stage, (0.0, 0.0))[0], count - before.get(stage, (0.0, 0.0))[1])
        for stage, (seconds, count) in after.items()
    }
    return {stage: round(seconds / count * 1000, 1) for stage, (seconds, count) in spent.items() if count}


async def _ask(client: httpx.AsyncClient, question: str) -> Timing:
    opened = Conversation.model_validate_json((await _post(client, "/v1/conversations")).content)
    path = f"/v1/conversations/{opened.conversation_id}/attempts"
    started = time.perf_counter()
    while True:
        async with aconnect_sse(client, "POST", path, json={"question": question}) as source:
            if source.response.status_code not in _BUSY:
                return await _heard(source, started)
        await asyncio.sleep(_waiting(source.response))


async def _repeat(client: httpx.AsyncClient, events: Events) -> Timing:
    started = time.perf_counter()
    async with aconnect_sse(client, "POST", f"/answers/{uuid4().hex}", json={"events": events}) as source:
        return await _heard(source, started)


async def _heard(source: EventSource, started: float) -> Timing:
    source.response.raise_for_status()
    first: float | None = None
    heard: list[tuple[str, str]] = []
    async for event in source.aiter_sse():
        if event.event == "delta" and first is None:
            first = time.perf_counter() - started
        if event.event not in _UNCOUNTED:
            heard.append((event.event, event.data))
    return Timing(first, time.perf_counter() - started, tuple(heard))


async def _post(client: httpx.AsyncClient, path: str, body: dict[str, str] | None = None) -> httpx.Response:
    while True:
        answer = await client.post(path, json=body)
        if answer.status_code not in _BUSY:
            return answer.raise_for_status()
        await asyncio.sleep(_waiting(answer))


def _waiting(busy: httpx.Response) -> float:
    """Say how long a busy server asks to wait: that counts as time of the answer."""
    said = busy.headers.get("Retry-After", "")
    return int(said) if said.isdigit() else _BUSY_SECONDS


async def _tokens(url: str, tenant: str, count: int) -> list[str]:
    async with _plain(url, 1) as (client,):
        answers = [await _post(client, "/v1/sessions", {"tenant": tenant, "channel": "web"}) for _ in range(count)]
    return [SessionToken.model_validate_json(answer.content).token for answer in answers]


@asynccontextmanager
async def _plain(url: str, count: int) -> AsyncGenerator[list[httpx.AsyncClient]]:
    clients = [httpx.AsyncClient(base_url=url, timeout=_TIMEOUT_SECONDS, trust_env=False) for _ in range(count)]
    try:
        yield clients
    finally:
        for client in clients:
            await client.aclose()


@contextmanager
def _bare_stream() -> Generator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "bench.bare_streams:app", "--port", str(port), "--log-level", "warning"]
    with tempfile.TemporaryDirectory(prefix="youju-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        home.chmod(0o711)
        valkey = Valkey(home, home)
        valkey.start()
        environment = os.environ | {"YOUJU_REDIS_URL": valkey.url}
        process = subprocess.Popen([*command, "--loop", "uvloop", "--http", "httptools"], env=environment)  # noqa: S603 - our own program
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()
            valkey.stop()


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("the bare stream does not start")


def _questions(golden: Path, tenant: str, count: int) -> list[str]:
    asked = [row.question for row in read_questions(golden) if row.scope == tenant]
    own = [template.format(subject) for template, subject in itertools.product(_TEMPLATES, _SUBJECTS)]
    return list(itertools.islice(itertools.cycle([*asked, *own]), count))


def _row(what: str, concurrency: int, timings: Sequence[Timing], wall: float) -> dict[str, object]:
    firsts = sorted(timing.first for timing in timings if timing.first is not None)
    ends = sorted(timing.end for timing in timings if timing.is_completed)
    return {
        "what": what,
        "concurrency": concurrency,
        "questions": len(timings),
        "withDelta": len(firsts),
        "completed": len(ends),
        "firstP50": percentile(firsts, 0.5),
        "firstP95": percentile(firsts, 0.95),
        "endP50": percentile(ends, 0.5),
        "endP95": percentile(ends, 0.95),
        "endP99": percentile(ends, 0.99),
        "perSecond": len(ends) / wall,
        "failures": Counter(json.loads(timing.events[-1][1])["code"] for timing in timings if timing.has_failed),
    }


def _print(rows: Sequence[dict[str, object]]) -> None:
    print("what           conc    n  with delta  completed   first p50    p95   end p50    p95    p99 ms   per s")
    for row in rows:
        milliseconds = [_milliseconds(row[name]) for name in ("firstP50", "firstP95", "endP50", "endP95", "endP99")]
        print(
            f"{row['what']:<14} {row['concurrency']:>4} {row['questions']:>4}  {row['withDelta']:>10}  {row['completed']:>9}"
            f"   {milliseconds[0]:>9} {milliseconds[1]:>6} {milliseconds[2]:>9} {milliseconds[3]:>6} {milliseconds[4]:>6}   {row['perSecond']:>8.1f}"
        )
    for row in rows:
        if row["failures"]:
            print(f"failed at {row['concurrency']}: {row['failures']}")
        if "stages" in row:
            print(f"mean ms of each stage at {row['concurrency']}: {row['stages']}")


def _milliseconds(seconds: object) -> str:
    return f"{seconds * 1000:.1f}" if isinstance(seconds, float) else "-"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("golden", type=Path)
    parser.add_argument("--tenant", default="37signals")
    parser.add_argument("--url", default=None)
    parser.add_argument("--knowledge-url", default=None, help="where knowledge says how long its stages took")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--concurrency", type=int, nargs="+", default=_CONCURRENCIES, help="how many ask at once")
    parser.add_argument("--json", type=Path, default=None)
    return parser.parse_args()


if __name__ == "__main__":
    main()
