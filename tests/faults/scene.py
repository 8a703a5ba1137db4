"""The delivery from bff's outbox to a helpdesk of every guarantee, on servers of its own, so that a test may strike them."""

import json
import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from services.ticketing.tests.doubles.benches import Bench, make_benches
from tests.faults.books import Books, books_of
from tests.faults.crew import Crew
from tests.faults.fence import Fence
from tests.support.databases import Databases
from tests.support.fault_table import DESK, Verdict, note, verdict
from ticketing.tickets.rendering import key_stamp
from youju.embedded.postgres import Postgres
from youju.embedded.valkey import Valkey
from youju.keys import make_missing_keys

WEBHOOK: Final[str] = "native_key (webhook)"
TRACKER: Final[str] = "strong_lookup (request_tracker)"
ZAMMAD: Final[str] = "lagging_lookup (zammad)"
ELSEWHERE: Final[tuple[str, ...]] = (WEBHOOK, TRACKER, ZAMMAD)
EVERYWHERE: Final[tuple[str, ...]] = (DESK, *ELSEWHERE)
_TENANTS: Final[dict[str, str]] = dict(zip(EVERYWHERE, ("shop", "hooked", "tracked", "searched"), strict=True))
_KINDS: Final[dict[str, str]] = dict(zip(ELSEWHERE, ("webhook", "request_tracker", "zammad"), strict=True))
# No request is under way while time passes, so a few strides are as good as the bound of a helpdesk that is in use.
_BOUNDS: Final[Mapping[str, Mapping[str, str]]] = {TRACKER: {"work_seconds": "100"}, ZAMMAD: {"lag_seconds": "100"}}
# What is committed must outlive a server that is killed.
_DURABLE: Final = {"fsync": "off", "shared_buffers": "64MB"}
_SETTLED_SECONDS: Final = 240
_LOOK_SECONDS: Final = 0.2
_QUIET_SECONDS: Final = 2.0
# More than the repetition of a message, less than the tolerance of a signature.
STRIDE_SECONDS: Final = 40


@dataclass(frozen=True)
class Scene:
    """The processes, the servers below them, and helpdesks by what they guarantee."""

    crew: Crew
    fence: Fence
    books: Books
    postgres: Postgres
    valkey: Valkey
    benches: Mapping[str, Bench]

    def wish(self, guarantees: Sequence[str], count: int, *, together: bool = True) -> dict[str, list[str]]:
        """Write so many orders for a helpdesk of each guarantee; give their keys."""
        return {each: self.books.wish(_TENANTS[each], count, together=together) for each in guarantees}

    def settle(self, wished: Mapping[str, Sequence[str]]) -> None:
        """Let time pass in strides until every order is decided and acknowledged."""
        keys = [key for some in wished.values() for key in some]
        deadline = time.monotonic() + _SETTLED_SECONDS
        while not self.books.is_settled(keys):
            if time.monotonic() > deadline:
                pytest.fail(f"{self.books.states(keys)} after {_SETTLED_SECONDS} s\n{self.crew.last_words()}")
            time.sleep(_LOOK_SECONDS)
            self.stride()

    def stride(self) -> bool:
        """Let a stride of time pass, unless a living worker makes a try just now; say whether it did.

        What a process sent before it was killed has come to its end at the helpdesk by then.
        """
        with self.fence.alone(patience_seconds=_QUIET_SECONDS) as is_quiet:
            if is_quiet:
                for bench in self.benches.values():
                    bench.double.wait_idle()
                self.books.pass_time(STRIDE_SECONDS)
        return is_quiet

    def judge(self, fault: str, wished: Mapping[str, Sequence[str]], *, asks: Sequence[str] = (ZAMMAD,)) -> None:
        """Add a run to the table; fail unless every key has its ticket. A helpdesk among `asks` may leave one to a person."""
        for guarantee, keys in wished.items():
            found = self._found(guarantee, keys)
            note(guarantee, fault, found)
            assert found.is_kept, guarantee
            assert guarantee in asks or found.needing_attention == 0, guarantee

    def _found(self, guarantee: str, keys: Sequence[str]) -> Verdict:
        """Count the tickets of each key where they are, and hold the ledger and what was told against them."""
        there = self.books.at_desk(keys)
        if guarantee != DESK:
            kept = self.benches[guarantee].double.tickets
            there += [(key, str(each["id"])) for key in keys for each in kept if key_stamp(key) in str(each)]
        waiting = [key for key, state in self.books.states(keys).items() if state == "NEEDS_ATTENTION"]
        assert set(self.books.named(keys).items()) <= set(there)
        assert len(self.books.told(keys)) == len(self.books.named(keys))
        return verdict(Counter(key for key, _ in there), keys=keys, needing_attention=waiting)


@contextmanager
def set_up(home: Path) -> Generator[Scene]:
    """Start servers, helpdesks and databases; the processes are for the tests to start."""
    postgres, valkey = Postgres(home, home, _DURABLE), Valkey(home, home)
    benches = {each: bench for each in ELSEWHERE for bench in make_benches() if bench.kind == _KINDS[each]}
    with ExitStack() as stack:
        for server in (postgres, valkey):
            stack.callback(server.stop)
            server.start()
        for bench in benches.values():
            stack.enter_context(bench.double.served())
        databases = Databases(postgres.admin_url)
        urls = {service: databases.clone(service)[1] for service in ("bff", "ticketing")}
        environment = {"YOUJU_REDIS_URL": valkey.url, **_told(home, benches)}
        for service, each in urls.items():
            environment[f"YOUJU_{service.upper()}_DATABASE_URL"] = each.app
            environment[f"YOUJU_{service.upper()}_SWEEPER_DATABASE_URL"] = each.sweeper
        fence = Fence(home / "tries")
        crew = Crew(environment, home, around=fence)
        stack.callback(crew.end_all)
        books = books_of(postgres.admin_url, urls["bff"], urls["ticketing"])
        stack.callback(books.close)
        yield Scene(crew, fence, books, postgres, valkey, benches)


def _told(home: Path, benches: Mapping[str, Bench]) -> dict[str, str]:
    """Write the tenants file and give the settings of the helpdesks; each is named after its tenant."""
    make_missing_keys(home)
    tenants = {_TENANTS[each]: {"name": "Shop", "helpdesk": _TENANTS[each]} for each in ELSEWHERE}
    tenants[_TENANTS[DESK]] = {"name": "Shop"}
    (home / "tenants.yaml").write_text(json.dumps({"tenants": tenants}))
    told = {
        "YOUJU_KEYS_DIRECTORY": str(home),
        "YOUJU_TENANTS_FILE": str(home / "tenants.yaml"),
        "YOUJU_TICKETING_HELPDESKS": json.dumps({_TENANTS[each]: _KINDS[each] for each in ELSEWHERE}),
    }
    for each, bench in benches.items():
        given = {"url": bench.double.url, "failures_to_rest": "100", **bench.settings, **_BOUNDS.get(each, {})}
        told |= {f"YOUJU_HELPDESK_{_TENANTS[each]}_{name}".upper(): value for name, value in given.items()}
    return told
