"""What the first lines of every process do: read settings, turn logs and traces on, say a fault in one sentence."""

from typing import TypeVar

from runtime.logging import configure_logging
from runtime.refusing_start import refusing_plainly
from runtime.settings import ServiceSettings, load_settings
from runtime.telemetry import configure_telemetry

ServiceT = TypeVar("ServiceT", bound=ServiceSettings)


def start_process(kind: type[ServiceT], *, service: str) -> ServiceT:
    """Give the settings of a process with logs and traces turned on; leave plainly when they are not usable."""
    with refusing_plainly(service):
        settings = load_settings(kind)
    prepare_process(settings, service=service)
    return settings


def prepare_process(settings: ServiceSettings, *, service: str) -> None:
    """Turn logs and traces on."""
    configure_logging(service=service, level=settings.log_level)
    configure_telemetry(service=service, otlp_endpoint=settings.otlp_endpoint)
