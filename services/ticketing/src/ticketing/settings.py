"""Say what ticketing is told from outside."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from runtime.settings import ServiceSettings


class TicketingSettings(ServiceSettings):
    """Settings of ticketing: `YOUJU_TICKETING_*`, or the table `[ticketing]` of the settings file."""

    model_config = SettingsConfigDict(env_prefix="YOUJU_TICKETING_", frozen=True, extra="ignore", populate_by_name=True)

    port: int = Field(default=8102, ge=1, le=65535)
    worker_threads: int = Field(default=4, ge=1, le=64)
    worker_metrics_port: int | None = Field(default=None, ge=1, le=65535)
    pulse_metrics_port: int | None = Field(default=None, ge=1, le=65535)
