"""Check whether the services answer: a process may run and be of no use to anybody."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

import httpx

from youju.addresses import customer_url, desk_url, staff_url
from youju.checks.finding import Finding
from youju.environment import port_of
from youju.state import RunningPart, State
from youju.table import SYSTEM, System

_PATIENCE_SECONDS: Final = 5
_WELL: Final = "ok"


def check_services(state: State | None, settings: Mapping[str, str], system: System = SYSTEM) -> Iterator[Finding]:
    """Ask every service that runs whether it is ready, and name what it waits for."""
    ports = {part.name: part.port_setting for part in system.parts}
    for part in state.parts if state is not None and state.ready else ():
        setting = ports.get(part.name)
        if part.pid and setting is not None:
            yield _check_one(part, port_of(setting, settings))


def are_elsewhere(settings: Mapping[str, str]) -> bool:
    """Tell whether the services are named by their addresses, as they are to the operator of a containers' stack."""
    return all(settings.get(f"YOUJU_{service}_URL") for service in ("KNOWLEDGE", "BFF", "TICKETING"))


def check_addresses(settings: Mapping[str, str]) -> Iterator[Finding]:
    """Ask the services that run elsewhere whether they are ready, and name what they wait for."""
    urls = {"knowledge": staff_url(settings), "bff": customer_url(settings), "ticketing": desk_url(settings)}
    for name, url in urls.items():
        look = f"see `docker compose logs {name}`"
        yield _check(name, url, text=f"does not answer at {url}", look=look, remedy=look)


def _check_one(part: RunningPart, port: int) -> Finding:
    look = f"see `youju logs {part.name}`"
    remedy = f"{look}; after `kill -9 {part.pid}` it is started again"
    return _check(
        part.name, f"http://127.0.0.1:{port}", text=f"does not answer on port {port}", look=look, remedy=remedy
    )


def _check(name: str, url: str, *, text: str, look: str, remedy: str) -> Finding:
    """Ask one service. `text` and `remedy` tell of one that is silent, `look` where one that waits says more."""
    try:
        said: dict[str, str] = json.loads(
            httpx.get(f"{url}/health/ready", timeout=_PATIENCE_SECONDS, trust_env=False).content
        )
    except (httpx.HTTPError, ValueError):
        return Finding(f"{name} service", f"{text} within {_PATIENCE_SECONDS} seconds", remedy)
    waiting = [f"{part} is {state}" for part, state in said.items() if state != _WELL]
    return Finding(f"{name} service", "; ".join(waiting) or "ready", look if waiting else "")
