"""What the first lines of every process do: read settings, turn logs and traces on, say a fault in one sentence."""

import sys
from typing import TypeVar

from runtime.logging import configure_logging
from runtime.settings import ServiceSettings, SettingsError, load_settings
from runtime.telemetry import configure_telemetry

ServiceT = TypeVar("ServiceT", bound=ServiceSettings)


def start_process(kind: type[ServiceT], *, service: str) -> ServiceT:
    """Give the settings of a process with logs and traces turned on; leave with status 2 when they are not usable."""
    try:
        settings = load_settings(kind)
    except SettingsError as unusable:
        sys.stderr.write(f"{service} cannot start:\n{unusable}\n")
        raise SystemExit(2) from None
    prepare_process(settings, service=service)
    return settings


def prepare_process(settings: ServiceSettings, *, service: str) -> None:
    """Turn logs and traces on."""
    configure_logging(service=service, level=settings.log_level)
    configure_telemetry(service=service, otlp_endpoint=settings.otlp_endpoint)
