"""What the knowledge processes are told from outside."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from runtime.settings import ServiceSettings


class KnowledgeSettings(ServiceSettings):
    """The settings of api, worker and pulse."""

    model_config = SettingsConfigDict(env_prefix="YOUJU_KNOWLEDGE_", frozen=True, extra="ignore", populate_by_name=True)

    port: int = Field(default=8101, ge=0, le=65535)
    worker_concurrency: int = Field(default=2, ge=1, le=32)
    pulse_metrics_port: int | None = None
    embedding_queue: int = Field(default=64, ge=1, le=10_000, description="Questions that may wait for the embedder")
    most_running_attempts: int = Field(default=64, ge=1, le=1_000, description="More questions at once are refused")
