"""What the knowledge processes are told from outside."""

import re
from typing import Final, Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
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
    second_arm: Literal["auto", "e5", "endpoint", "off"] = Field(
        default="auto", description="auto: the endpoint when one is named, else e5 where this platform has it"
    )
    embeddings_base_url: str | None = Field(default=None, description="OpenAI-compatible, such as https://…/v1/")
    embeddings_model: str = ""
    embeddings_api_key: SecretStr | None = None
    embeddings_dimension: Literal[384, 768, 1024, 1536] = 1024
    embeddings_question_prefix: str = ""
    embeddings_passage_prefix: str = ""
    embeddings_batch: int = Field(default=32, ge=1, le=2_048)
    embeddings_seconds: float = Field(default=20.0, gt=0, le=60, description="For a batch of passages")
    embeddings_question_seconds: float = Field(default=2.0, gt=0, le=30)
    rerank_url: str | None = Field(default=None, description="A /rerank endpoint; none is asked without it")
    rerank_model: str = ""
    rerank_api_key: SecretStr | None = None
    rerank_seconds: float = Field(default=1.5, gt=0, le=10)
    smtp_host: str | None = Field(default=None, description="Where notices to owners go out as mail; no mail without")
    smtp_port: int = Field(default=587, ge=1, le=65535)
    smtp_starttls: bool = True
    smtp_sender: str = "youju@localhost"
    smtp_user: str | None = None
    smtp_password: SecretStr | None = None

    @field_validator("mask_key")
    @classmethod
    def _a_key_is_whole(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None and not _MASK_KEY.fullmatch(key.get_secret_value()):
            raise ValueError("a key is 64 hexadecimal digits")
        return key

    @model_validator(mode="after")
    def _an_endpoint_is_named(self) -> Self:
        if self.second_arm == "endpoint" and self.embeddings_base_url is None:
            raise ValueError("the second arm is an endpoint, but YOUJU_KNOWLEDGE_EMBEDDINGS_BASE_URL is not set")
        if self.embeddings_base_url is not None and not self.embeddings_model:
            raise ValueError("an embeddings endpoint is named, but YOUJU_KNOWLEDGE_EMBEDDINGS_MODEL is not set")
        return self


class WorkerSettings(KnowledgeSettings):
    """The settings of the worker, which does not start without its key."""

    mask_key: SecretStr = Field()  # pyright: ignore[reportIncompatibleVariableOverride]  # settings are frozen

    @property
    def mask_key_bytes(self) -> bytes:
        """Give the key as what hashes are made with."""
        return bytes.fromhex(self.mask_key.get_secret_value())
