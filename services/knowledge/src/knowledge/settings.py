"""What the knowledge processes are told from outside."""

import re
from decimal import Decimal
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from runtime.sealing import KeyRing
from runtime.settings import ServiceSettings

_MASK_KEY: Final = re.compile("[0-9a-fA-F]{64}")


class ModelPrice(BaseModel):
    """What a million tokens of a model cost, in the one currency of the price table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)


class KnowledgeSettings(ServiceSettings):
    """The settings of api, worker and pulse."""

    model_config = SettingsConfigDict(env_prefix="YOUJU_KNOWLEDGE_", frozen=True, extra="ignore", populate_by_name=True)

    port: int = Field(default=8101, ge=0, le=65535, description="Where it listens")
    worker_concurrency: int = Field(default=2, ge=1, le=32, description="Processes of the worker")
    pulse_metrics_port: int | None = Field(
        default=None, description="Where the pulse shows its measures, on loopback; nowhere without it"
    )
    mask_key: SecretStr | None = Field(
        default=None, description="64 hexadecimal digits; the worker names masked values by hashes under it"
    )
    originals_keys: SecretStr | None = Field(
        default=None, description="64 hexadecimal digits a line: the first encrypts originals, each of them opens"
    )
    keep_originals: bool = Field(default=True, description="Whether originals are kept, unless a tenant says no")
    embedding_queue: int = Field(default=512, ge=1, le=10_000, description="Questions that may wait for the embedder")
    most_running_attempts: int = Field(
        default=256, ge=1, le=1_000, description="More questions at once are refused; as many as all bff processes run"
    )
    second_arm: Literal["auto", "e5", "endpoint", "off"] = Field(
        default="auto", description="auto: the endpoint when one is named, else e5 where this platform has it"
    )
    embeddings_base_url: str | None = Field(default=None, description="OpenAI-compatible, such as https://…/v1/")
    embeddings_model: str = Field(default="", description="The model that makes its vectors")
    embeddings_api_key: SecretStr | None = Field(default=None, description="Sent as a bearer token")
    embeddings_dimension: Literal[384, 768, 1024, 1536] = Field(default=1024, description="Numbers of a vector")
    embeddings_question_prefix: str = Field(default="", description="What the model wants before a question")
    embeddings_passage_prefix: str = Field(default="", description="What the model wants before a passage")
    embeddings_batch: int = Field(default=32, ge=1, le=2_048, description="Passages of a call")
    embeddings_seconds: float = Field(default=20.0, gt=0, le=60, description="For a batch of passages")
    embeddings_question_seconds: float = Field(
        default=2.0, gt=0, le=30, description="For a question; then it is answered without this arm"
    )
    rerank_url: str | None = Field(default=None, description="A /rerank endpoint; none is asked without it")
    rerank_model: str = Field(default="", description="The model that judges candidates")
    rerank_api_key: SecretStr | None = Field(default=None, description="Sent as a bearer token")
    rerank_seconds: float = Field(default=1.5, gt=0, le=10, description="For a question; then the order stays")
    model_base_url: str | None = Field(default=None, description="OpenAI-compatible, such as https://…/v1/")
    model_name: str = Field(default="", description="The model that words answers where a tenant's writer is openai")
    model_api_key: SecretStr | None = Field(default=None, description="Sent as a bearer token")
    model_fallback_name: str = Field(default="", description="Asked when the first model is in trouble")
    model_fallback_base_url: str | None = Field(default=None, description="The same endpoint when not set")
    model_fallback_api_key: SecretStr | None = Field(
        default=None, description="Of the fallback; at the same endpoint the first key when not set"
    )
    model_first_byte_seconds: float = Field(
        default=5.0, gt=0, le=28, description="Until a model begins; then the next is asked"
    )
    model_seconds: float = Field(
        default=12.0,
        gt=0,
        le=28,
        description="For one draft, both models together: the first leaves a third of it to the second",
    )
    model_output_tokens: int = Field(default=1_200, ge=64, le=16_000, description="Of one draft at most")
    model_output_tokens_field: Literal["max_tokens", "max_completion_tokens"] = Field(
        default="max_tokens", description="How the endpoint calls that limit"
    )
    model_temperature: float | None = Field(default=None, ge=0, le=2, description="Not sent when not set")
    model_prices: dict[str, ModelPrice] = Field(
        default_factory=dict[str, ModelPrice],
        description='Per million tokens, as JSON: {"name": {"input": 0.1, "output": 0.4}}',
    )
    model_daily_budget: Decimal | None = Field(
        default=None, ge=0, description="Per tenant, second opinions and runs included, unless it says otherwise"
    )
    head_file: Path | None = Field(
        default=None, description="Where heads of the answer log's chains are added as lines, besides the log"
    )
    head_url: str | None = Field(
        default=None, pattern=r"^https?://[^\s]+$", description="Where heads of the answer log's chains are posted"
    )
    checker_base_url: str | None = Field(default=None, description="A second model's endpoint; none checks without it")
    checker_model: str = Field(default="", description="The model that checks answers; never one that words them")
    checker_api_key: SecretStr | None = Field(default=None, description="Sent as a bearer token")
    checker_seconds: float = Field(default=20.0, gt=0, le=40, description="For one answer")
    checker_output_tokens: int = Field(default=1_000, ge=64, le=16_000, description="Of one judgement at most")
    checker_daily_budget: Decimal | None = Field(default=None, ge=0, description="For checks of a tenant's answers")
    smtp_host: str | None = Field(default=None, description="Where notices to owners go out as mail; no mail without")
    smtp_port: int = Field(default=587, ge=1, le=65535, description="Of that server")
    smtp_starttls: bool = Field(default=True, description="Whether the connection is encrypted before anything is said")
    smtp_sender: str = Field(default="youju@localhost", description="The address that mail comes from")
    smtp_user: str | None = Field(default=None, description="Who signs in there; nobody without it")
    smtp_password: SecretStr | None = Field(default=None, description="Of that user")

    @field_validator("mask_key")
    @classmethod
    def _a_key_is_whole(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None and not _MASK_KEY.fullmatch(key.get_secret_value()):
            raise ValueError("a key is 64 hexadecimal digits")
        return key

    @field_validator("originals_keys")
    @classmethod
    def _keys_are_whole(cls, keys: SecretStr | None) -> SecretStr | None:
        if keys is not None:
            KeyRing.parse(keys.get_secret_value())
        return keys

    @property
    def originals_ring(self) -> KeyRing | None:
        """Give the keys of originals, None when there are none."""
        return None if self.originals_keys is None else KeyRing.parse(self.originals_keys.get_secret_value())

    @model_validator(mode="after")
    def _an_endpoint_is_named(self) -> Self:
        if self.second_arm == "endpoint" and self.embeddings_base_url is None:
            raise ValueError("the second arm is an endpoint, but YOUJU_KNOWLEDGE_EMBEDDINGS_BASE_URL is not set")
        if self.embeddings_base_url is not None and not self.embeddings_model:
            raise ValueError("an embeddings endpoint is named, but YOUJU_KNOWLEDGE_EMBEDDINGS_MODEL is not set")
        return self

    @model_validator(mode="after")
    def _a_model_is_named(self) -> Self:
        if self.model_base_url is not None and not self.model_name:
            raise ValueError("an endpoint of a model is named, but YOUJU_KNOWLEDGE_MODEL_NAME is not set")
        return self

    @model_validator(mode="after")
    def _a_checker_is_another_model(self) -> Self:
        if self.checker_base_url is None:
            return self
        if not self.checker_model:
            raise ValueError("a checker's endpoint is named, but YOUJU_KNOWLEDGE_CHECKER_MODEL is not set")
        if self.checker_model in (self.model_name, self.model_fallback_name):
            raise ValueError(
                "the checker is a model that words answers; YOUJU_KNOWLEDGE_CHECKER_MODEL names another one"
            )
        if self.checker_daily_budget is not None and self.checker_model not in self.model_prices:
            raise ValueError(
                "the checker has a daily budget, but YOUJU_KNOWLEDGE_MODEL_PRICES says nothing of its model"
            )
        return self

    @model_validator(mode="after")
    def _a_budget_has_prices(self) -> Self:
        named = {name for name in (self.model_name, self.model_fallback_name) if name}
        unpriced = sorted(named - self.model_prices.keys())
        if self.model_daily_budget is not None and unpriced:
            raise ValueError(f"a daily budget is set, but YOUJU_KNOWLEDGE_MODEL_PRICES says nothing of {unpriced[0]}")
        return self


class WorkerSettings(KnowledgeSettings):
    """The settings of the worker, which does not start without its keys."""

    mask_key: SecretStr = Field()  # pyright: ignore[reportIncompatibleVariableOverride]  # settings are frozen

    @model_validator(mode="after")
    def _originals_have_a_key(self) -> Self:
        if self.keep_originals and self.originals_keys is None:
            raise ValueError(
                "originals are kept, but YOUJU_KNOWLEDGE_ORIGINALS_KEYS is not set; set it, or"
                " YOUJU_KNOWLEDGE_KEEP_ORIGINALS to false"
            )
        return self

    @property
    def mask_key_bytes(self) -> bytes:
        """Give the key as what hashes are made with."""
        return bytes.fromhex(self.mask_key.get_secret_value())
