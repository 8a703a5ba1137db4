"""Check what lies on this machine: settings, processes, disk, keys, tenants, the built page."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from bff.settings import BffSettings
from knowledge.settings import KnowledgeSettings
from runtime.settings import SettingsError, load_settings
from runtime.tokens import private_file, read_keys
from ticketing.settings import TicketingSettings
from youju.checks.finding import Finding
from youju.home import Home
from youju.keys import NAMES
from youju.preflight import ROOM_MEBIBYTES
from youju.state import State
from youju.tenants import known_tenants
from youju.trouble import Trouble

_SETTINGS: Final = {"knowledge": KnowledgeSettings, "bff": BffSettings, "ticketing": TicketingSettings}
_FOR_OTHERS: Final = 0o077


def check_settings() -> Iterator[Finding]:
    """Read the settings of every service from this process's environment, the way it reads them itself."""
    for service, kind in _SETTINGS.items():
        try:
            load_settings(kind)
        except SettingsError as unusable:
            yield Finding(f"{service} settings", unusable.sentences[0], "run `make up`, or set what is named")
        else:
            yield Finding(f"{service} settings", "complete")


def check_processes(state: State | None, home: Home) -> Finding:
    """Look whether every process runs, and whether those without a port still say that they work."""
    if state is None or not state.ready:
        return Finding("processes", "Youju is not running", "start it with `make up`")
    missing = [part.name for part in state.parts if not part.pid]
    if missing:
        return Finding("processes", f"{', '.join(missing)} does not run", f"see `youju logs {missing[0]}`")
    silent = [(part, heard) for part in state.parts if (heard := home.silence_of(part.name)) is not None]
    if silent:
        told = "; ".join(
            f"{part.name} hangs: nothing was heard of it for {heard:.0f} seconds" for part, heard in silent
        )
        ids = " ".join(str(part.pid) for part, _ in silent)
        remedy = f"see `youju logs {silent[0][0].name}`; after `kill -9 {ids}` it is started again"
        return Finding("processes", told, remedy)
    return Finding("processes", f"{len(state.parts)} run")


def check_disk(folder: Path) -> Finding:
    """Look how much room is left."""
    existing = next(each for each in (folder, *folder.parents) if each.exists())
    free = shutil.disk_usage(existing).free >> 20
    remedy = "" if free >= ROOM_MEBIBYTES else f"make room: {ROOM_MEBIBYTES} MB are needed"
    return Finding("disk", f"{free:,} MB are free for {folder}", remedy)


def check_keys(folder: Path) -> Finding:
    """Look whether the key sets can be read, and by nobody else."""
    try:
        for name in NAMES:
            file = private_file(folder, name)
            read_keys(file)
            if file.stat().st_mode & _FOR_OTHERS:
                return Finding("keys", f"{file} can be read by others", f"run `chmod 600 {file}`")
    except (OSError, ValueError) as unusable:
        return Finding("keys", str(unusable), "run `make up`, which makes missing keys")
    return Finding("keys", f"{', '.join(NAMES)}")


def check_tenants(file: Path) -> Finding:
    """Look whether the tenants file can be read."""
    try:
        known = known_tenants(file)
    except Trouble as broken:
        return Finding("tenants", broken.sentence, f"correct {file}")
    remedy = "" if known else "run `make up`, which makes the file"
    return Finding("tenants", ", ".join(known) or "none", remedy)


def check_page(settings: Mapping[str, str]) -> Finding:
    """Look whether the customer page is built."""
    page = Path(settings["YOUJU_BFF_PAGE_DIRECTORY"]) / "index.html"
    if page.exists():
        return Finding("page", str(page.parent))
    return Finding("page", f"{page} is missing", "run `make page`")
