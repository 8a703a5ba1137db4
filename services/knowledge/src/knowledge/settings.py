"""What the knowledge processes are told from outside."""

import re
from typing import Final

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import SettingsConfigDict

from runtime.settings import ServiceSettings

_MASK_KEY: Final = re.compile("[0-9a-fA-F]{64}")


class KnowledgeSettings(ServiceSettings):
    """The settings of api, worker and pulse."""

    model_config = SettingsConfigDict(env_prefix="YOUJU_KNOWLEDGE_", frozen=True, extra="ignore", populate_by_name=True)

    port: int = Field(default=8101, ge=0, le=65535)
    worker_concurrency: int = Field(default=2, ge=1, le=32)
    pulse_metrics_port: int | None = None
    mask_key: SecretStr | None = Field(
        default=None, description="64 hexadecimal digits; the worker names masked values by hashes under it"
    )
    embedding_queue: int = Field(default=64, ge=1, le=10_000, description="Questions that may wait for the embedder")
    most_running_attempts: int = Field(default=64, ge=1, le=1_000, description="More questions at once are refused")

    @field_validator("mask_key")
    @classmethod
    def _a_key_is_whole(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None and not _MASK_KEY.fullmatch(key.get_secret_value()):
            raise ValueError("a key is 64 hexadecimal digits")
        return key


class WorkerSettings(KnowledgeSettings):
    """The settings of the worker, which does not start without its key."""

    mask_key: SecretStr = Field()  # pyright: ignore[reportIncompatibleVariableOverride]  # settings are frozen

    @property
    def mask_key_bytes(self) -> bytes:
        """Give the key as what hashes are made with."""
        return bytes.fromhex(self.mask_key.get_secret_value())
