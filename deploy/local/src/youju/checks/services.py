"""Check whether the services answer: a process may run and be of no use to anybody."""

import http.client
import json
from collections.abc import Iterator, Mapping
from typing import Final

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


def _check_one(part: RunningPart, port: int) -> Finding:
    subject = f"{part.name} service"
    try:
        states = _asked(port)
    except (OSError, http.client.HTTPException, ValueError):
        text = f"does not answer on port {port} within {_PATIENCE_SECONDS} seconds"
        return Finding(subject, text, f"see `youju logs {part.name}`; after `kill -9 {part.pid}` it is started again")
    waiting = [f"{name} is {said}" for name, said in states.items() if said != _WELL]
    remedy = f"see `youju logs {part.name}`" if waiting else ""
    return Finding(subject, "; ".join(waiting) or "ready", remedy)


def _asked(port: int) -> dict[str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_SECONDS)
    try:
        connection.request("GET", "/health/ready")
        said: dict[str, str] = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    return said
