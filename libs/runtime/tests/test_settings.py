from pathlib import Path
from typing import Self

import pytest
from pydantic import field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from runtime.settings import ServiceSettings, SettingsError, load_settings

LONGEST = 10
SHARED = {
    "YOUJU_REDIS_URL": "unix:///valkey.sock",
    "YOUJU_KEYS_DIRECTORY": "keys",
    "YOUJU_TENANTS_FILE": "tenants.yaml",
}


class Settings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="YOUJU_DEMO_")

    port: int = 8100
    name: str = "demo"

    @field_validator("name")
    @classmethod
    def _short(cls, name: str) -> str:
        if len(name) > LONGEST:
            raise ValueError("a name has ten letters at most")
        return name

    @model_validator(mode="after")
    def _together(self) -> Self:
        if self.name == str(self.port):
            raise ValueError("the name is the port")
        return self


@pytest.fixture(autouse=True)
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SHARED.items():
        monkeypatch.setenv(name, value)


def test_a_flag_beats_the_environment_which_beats_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = tmp_path / "youju.toml"
    config.write_text('[demo]\ndatabase_url = "from-file"\nport = 1\nhost = "0.0.0.0"\n', encoding="utf-8")
    monkeypatch.setenv("YOUJU_CONFIG", str(config))
    monkeypatch.setenv("YOUJU_DEMO_PORT", "2")

    from_environment = load_settings(Settings)
    from_flag = load_settings(Settings, port=3)

    assert (from_environment.database_url, from_environment.port, from_flag.port) == ("from-file", 2, 3)


def test_a_secret_may_come_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    secret = tmp_path / "url"
    secret.write_text("postgresql://from-file\n", encoding="utf-8")
    monkeypatch.setenv("YOUJU_DEMO_DATABASE_URL_FILE", str(secret))

    assert load_settings(Settings).database_url == "postgresql://from-file"


def test_every_fault_is_listed_in_one_sentence_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("YOUJU_REDIS_URL")
    monkeypatch.setenv("YOUJU_DEMO_PORT", "many")

    with pytest.raises(SettingsError) as refused:
        load_settings(Settings)

    text = "\n".join(refused.value.sentences)
    assert "YOUJU_REDIS_URL is not set." in text
    assert "YOUJU_DEMO_DATABASE_URL is not set." in text
    assert "YOUJU_DEMO_PORT is not valid" in text


def test_what_our_own_checks_say_stands_there_as_we_wrote_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YOUJU_DEMO_DATABASE_URL", "postgresql://")

    with pytest.raises(SettingsError) as of_one:
        load_settings(Settings, name="far too long")
    with pytest.raises(SettingsError) as of_both:
        load_settings(Settings, name="81", port=81)

    assert of_one.value.sentences == ("YOUJU_DEMO_NAME is not valid: a name has ten letters at most.",)
    assert of_both.value.sentences == ("The name is the port.",)


def test_a_missing_secret_file_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("YOUJU_DEMO_DATABASE_URL_FILE", str(tmp_path / "nowhere"))

    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(Settings)
