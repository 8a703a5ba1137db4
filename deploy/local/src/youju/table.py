"""List what runs: the map of the system. Every process is `python -m <module>`."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Part:
    """One process of the system.

    With `port_setting` it answers HTTP and is ready when `/health/ready` says so; without, it is ready when it
    writes the file that YOUJU_READY_FILE names.
    """

    name: str
    module: str
    port_setting: str | None = None


@dataclass(frozen=True)
class System:
    """All that a start brings up: first the migrations, then the parts, which never wait for each other."""

    migrations: tuple[str, ...]
    parts: tuple[Part, ...]


SYSTEM: Final = System(
    migrations=("knowledge.migrations", "bff.migrations", "ticketing.migrations"),
    parts=(
        Part("knowledge", "knowledge.main", port_setting="YOUJU_KNOWLEDGE_PORT"),
        Part("knowledge-worker", "knowledge.worker"),
        Part("knowledge-pulse", "knowledge.pulse"),
        Part("bff", "bff.main", port_setting="YOUJU_BFF_PORT"),
        Part("bff-worker", "bff.worker"),
        Part("bff-pulse", "bff.pulse"),
        Part("ticketing", "ticketing.main", port_setting="YOUJU_TICKETING_PORT"),
        Part("ticketing-worker", "ticketing.worker"),
        Part("ticketing-pulse", "ticketing.pulse"),
    ),
)

DEFAULT_PORTS: Final = {"YOUJU_BFF_PORT": 8100, "YOUJU_KNOWLEDGE_PORT": 8101, "YOUJU_TICKETING_PORT": 8102}
