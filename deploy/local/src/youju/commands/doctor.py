"""Check the installation."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from youju.checks.arms import check_arms
from youju.checks.databases import check_databases
from youju.checks.finding import Finding
from youju.checks.machine import (
    check_disk,
    check_keys,
    check_page,
    check_processes,
    check_settings,
    check_tenants,
)
from youju.checks.model import check_model
from youju.checks.original_keys import check_original_keys
from youju.checks.prices import check_prices
from youju.checks.queue import check_queue
from youju.checks.services import are_elsewhere, check_addresses, check_services
from youju.home import Home, find_home
from youju.settings import settings_of
from youju.state import read_state
from youju.terminal import CROSS, TICK


def examine() -> int:
    """Print one line for each check and return the exit status: 1 when there is a fault."""
    home = find_home()
    settings = settings_of(home)
    os.environ.update(settings)
    faults = 0
    for finding in _findings(home, settings):
        print(_line(finding), flush=True)
        faults += not finding.is_well
    return 1 if faults else 0


def _findings(home: Home, settings: Mapping[str, str]) -> Iterator[Finding]:
    state = read_state(home.state)
    if state is None and are_elsewhere(settings):
        yield from _findings_from_afar(settings)
        return
    yield from check_settings()
    yield check_processes(state, home)
    yield from check_services(state, settings)
    yield from check_databases(settings)
    yield check_queue(settings)
    yield check_disk(home.folder)
    yield check_keys(Path(settings["YOUJU_KEYS_DIRECTORY"]))
    yield from check_original_keys(settings)
    yield check_tenants(Path(settings["YOUJU_TENANTS_FILE"]))
    yield from check_arms(settings)
    yield check_model(settings)
    yield from check_prices(settings)
    yield check_page(settings)


def _findings_from_afar(settings: Mapping[str, str]) -> Iterator[Finding]:
    """Look at what an operator has of services that run elsewhere: their addresses, the keys, and the tenants."""
    yield from check_addresses(settings)
    yield check_keys(Path(settings["YOUJU_KEYS_DIRECTORY"]))
    yield check_tenants(Path(settings["YOUJU_TENANTS_FILE"]))


def _line(finding: Finding) -> str:
    remedy = f" → {finding.remedy}" if finding.remedy else ""
    return f"  {TICK if finding.is_well else CROSS} {finding.subject:<20} {finding.text}{remedy}"
