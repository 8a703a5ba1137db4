"""Say what ticketing is told from outside."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints
from pydantic_settings import SettingsConfigDict

from runtime.settings import ServiceSettings

HelpdeskKind = Literal["webhook", "zendesk", "zammad", "request_tracker"]
# The name is part of the names of its settings: YOUJU_HELPDESK_<NAME>_URL and so on.
HelpdeskName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]{0,30}$")]


class TicketingSettings(ServiceSettings):
    """Settings of ticketing: `YOUJU_TICKETING_*`, or the table `[ticketing]` of the settings file."""

    model_config = SettingsConfigDict(env_prefix="YOUJU_TICKETING_", frozen=True, extra="ignore", populate_by_name=True)

    port: int = Field(default=8102, ge=1, le=65535, description="Where it listens")
    worker_threads: int = Field(default=8, ge=1, le=64, description="Orders handled side by side")
    helpdesks: dict[HelpdeskName, HelpdeskKind] = Field(
        default={}, description='Helpdesks elsewhere by name, as JSON: {"acme": "zendesk"}; tenants choose by that name'
    )
    templates_directory: Path | None = Field(
        default=None, description="A folder with a ticket template for each tenant: <tenant>.yaml"
    )
    parked_days: int = Field(default=90, ge=1, description="How long messages that could not be followed are kept")
    worker_metrics_port: int | None = Field(
        default=None, ge=1, le=65535, description="Where the worker shows its measures, on loopback; nowhere without it"
    )
    pulse_metrics_port: int | None = Field(
        default=None, ge=1, le=65535, description="Where the pulse shows its measures, on loopback; nowhere without it"
    )
