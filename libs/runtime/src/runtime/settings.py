"""Settings: default < file < environment < flag; secrets also as `*_FILE`; every error listed at once.

The file is TOML and named by YOUJU_CONFIG; its tables are the services (`[knowledge]`, `[bff]`, `[ticketing]`).
"""

import os
import tomllib
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from contracts.faults import reason_of

Environment = Literal["local", "test", "production"]


class SettingsError(Exception):
    """The settings are not usable; `sentences` holds one line per fault."""

    def __init__(self, sentences: tuple[str, ...]) -> None:
        """Join the sentences for printing."""
        self.sentences = sentences
        super().__init__("\n".join(sentences))


class _FileSecrets(PydanticBaseSettingsSource):
    """Reads `YOUJU_X_PASSWORD_FILE` where `YOUJU_X_PASSWORD` is a setting."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[str | None, str, bool]:
        del field
        path = os.environ.get(f"{self.config.get('env_prefix', '')}{field_name}_FILE".upper())
        text = Path(path).read_text(encoding="utf-8").strip() if path else None
        return text, field_name, False

    def __call__(self) -> dict[str, Any]:  # the values of arbitrary settings, validated right after
        found = {name: self.get_field_value(field, name)[0] for name, field in self.settings_cls.model_fields.items()}
        return {name: value for name, value in found.items() if value is not None}


class _ConfigFile(PydanticBaseSettingsSource):
    """Reads the service's table of the TOML file that YOUJU_CONFIG names."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[object, str, bool]:
        del field
        return self().get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:  # the values of arbitrary settings, validated right after
        path = os.environ.get("YOUJU_CONFIG")
        if not path:
            return {}
        table = self.config.get("env_prefix", "").removeprefix("YOUJU_").removesuffix("_").lower()
        return dict(tomllib.loads(Path(path).read_text(encoding="utf-8")).get(table, {}))


class SourcedSettings(BaseSettings):
    """Settings that follow the order of sources: flag, environment, secret file, config file."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources."""
        del dotenv_settings, file_secret_settings
        return init_settings, env_settings, _FileSecrets(settings_cls), _ConfigFile(settings_cls)


class ServiceSettings(SourcedSettings):
    """What every service is told from outside. Subclasses set `env_prefix` and add their own."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    environment: Environment = Field(
        default="local",
        validation_alias="YOUJU_ENVIRONMENT",
        description="In `production` knowledge starts only with published versions that were proved",
    )
    redis_url: str = Field(
        validation_alias="YOUJU_REDIS_URL", description="Valkey or Redis: queues, limits and live events"
    )
    keys_directory: Path = Field(
        validation_alias="YOUJU_KEYS_DIRECTORY", description="Folder of the keys that sign and check tokens"
    )
    tenants_file: Path = Field(
        validation_alias="YOUJU_TENANTS_FILE",
        description="YAML: every tenant and its rules; read again when it changes",
    )
    otlp_endpoint: str | None = Field(
        default=None,
        validation_alias="YOUJU_OTLP_ENDPOINT",
        description="Where traces and events go over OTLP/HTTP (/v1/traces, /v1/logs); nothing is sent without it",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", validation_alias="YOUJU_LOG_LEVEL", description="The least that is logged"
    )
    database_url: str = Field(description="Postgres, as the role that obeys the policies of tenants")
    owner_database_url: str | None = Field(
        default=None, description="Postgres, as the owner of the tables; for migrations alone"
    )
    sweeper_database_url: str | None = Field(
        default=None,
        description="Postgres, as the role that sees what is due of all tenants; for the pulse and the relay",
    )
    host: str = Field(default="127.0.0.1", description="The address to listen on")
    database_pool_size: int = Field(default=10, ge=1, le=100, description="Connections of a process")


SettingsT = TypeVar("SettingsT", bound=SourcedSettings)


def load_settings(kind: type[SettingsT], **flags: object) -> SettingsT:
    """Read the settings of a service.

    Errors: SettingsError with one sentence for every missing or malformed value, and for an unreadable file.
    """
    try:
        return kind(**flags)
    except ValidationError as invalid:
        raise SettingsError(tuple(_sentence(kind, error) for error in invalid.errors())) from invalid
    except (OSError, tomllib.TOMLDecodeError) as unreadable:
        raise SettingsError((f"A settings file cannot be read: {unreadable}.",)) from unreadable


def _sentence(kind: type[SourcedSettings], error: Any) -> str:  # pydantic's ErrorDetails is a loose TypedDict
    reason = reason_of(error)
    if not error["loc"]:
        # What is wrong with several settings together names them itself.
        return f"{reason[:1].upper()}{reason[1:]}."
    place = str(error["loc"][0])
    name = place if place.startswith("YOUJU_") else f"{kind.model_config.get('env_prefix', '')}{place}".upper()
    if error["type"] == "missing":
        return f"{name} is not set."
    return f"{name} is not valid: {reason}."
