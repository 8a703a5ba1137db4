"""Say what bff is told from outside."""

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from runtime.settings import ServiceSettings


class BffSettings(ServiceSettings):
    """Settings of bff: `YOUJU_BFF_*`, or the table `[bff]` of the settings file."""

    model_config = SettingsConfigDict(env_prefix="YOUJU_BFF_", frozen=True, extra="ignore", populate_by_name=True)

    port: int = Field(default=8100, ge=1, le=65535, description="Where it listens")
    page_directory: Path | None = Field(
        default=None, description="Folder of the built customer page; none is served without it"
    )
    knowledge_url: str = Field(default="http://127.0.0.1:8101", description="Where knowledge answers")
    attempt_seconds: float = Field(
        default=30.0, gt=0, le=120, description="For a whole attempt; then it fails as KNOWLEDGE_TIMEOUT"
    )
    wait_seconds: float = Field(default=30.0, gt=0, le=60, description="How long a JSON ask waits before it says 202")
    heartbeat_seconds: float = Field(
        default=5.0, gt=0, le=15, description="A stream that has nothing to say says so this often"
    )
    running_attempts: int = Field(default=128, ge=1, description="At once in a process; more are refused")
    running_attempts_per_customer: int = Field(default=4, ge=1, description="At once of one customer; more are refused")
    open_streams: int = Field(default=2000, ge=1, description="Readers at once in a process; more are refused")
    stall_seconds: float = Field(default=60.0, gt=0, le=600, description="Then a reader that takes nothing is dropped")
    session_seconds: int = Field(default=7200, ge=60, le=86_400, description="How long the token of a guest is good")
    sessions_per_minute: int = Field(default=60, ge=1, description="Of one address, at one tenant")
    asks_per_minute: int = Field(default=30, ge=1, description="Of one customer")
    asks_per_minute_and_address: int = Field(default=300, ge=1, description="Of all guests of one address")
    calls_per_minute: int = Field(default=600, ge=1, description="Anything else of one customer")
    limits_without_valkey: Literal["local", "open", "closed"] = Field(
        default="local", description="Each process counts for itself, nothing is limited, or nobody is let in"
    )
    stop_seconds: float = Field(
        default=22.0,
        ge=0,
        le=25,
        description="For what runs when the process is told to stop; the rest ends as ABANDONED",
    )
    parked_days: int = Field(default=90, ge=1, description="How long messages that could not be followed are listed")
    worker_threads: int = Field(default=4, ge=1, le=64, description="Messages handled side by side")
    pulse_metrics_port: int | None = Field(
        default=None, ge=1, le=65535, description="Where the pulse shows its measures, on loopback; nowhere without it"
    )
