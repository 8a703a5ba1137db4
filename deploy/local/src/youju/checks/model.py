"""Check the models that may word answers: named where a tenant wants one, reachable, and not left alone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import httpx
from prometheus_client.parser import text_string_to_metric_families

from knowledge.settings import KnowledgeSettings
from runtime.settings import SettingsError, load_settings
from runtime.tenants import read_tenants
from youju.addresses import staff_url
from youju.checks.finding import Finding

_SECONDS: Final = 3.0
_BREAKER: Final = "youju_knowledge_breaker_open"
_KEY_REFUSED: Final = (401, 403)


def check_model(settings: Mapping[str, str]) -> Finding:
    """Look whether the endpoint of the first model answers, and whether the running process lets it be asked.

    The settings are read from this process's environment, the way knowledge reads them itself.
    """
    try:
        read = load_settings(KnowledgeSettings)
        wanting = _tenants_that_want_one(Path(settings["YOUJU_TENANTS_FILE"]))
    except SettingsError:
        # The lines on settings and tenants say what is wrong with them.
        return Finding("model", "not looked at")
    if read.model_base_url is None:
        remedy = "set YOUJU_KNOWLEDGE_MODEL_BASE_URL and _NAME, see docs/writers.md" if wanting else ""
        named = f"none, but {', '.join(wanting)} wants one" if wanting else "none is named: answers are quoted"
        return Finding("model", named, remedy)
    resting = _left_alone(staff_url(settings))
    if resting:
        remedy = "see the events breaker_changed in `youju logs knowledge`; it is tried again by itself"
        return Finding("model", f"{' and '.join(resting)} left alone after trouble", remedy)
    key = read.model_api_key.get_secret_value() if read.model_api_key else None
    return _reached(read.model_base_url, read.model_name, key)


def _tenants_that_want_one(file: Path) -> list[str]:
    return [key for key, tenant in read_tenants(file).tenants.items() if tenant.writer == "openai"]


def _reached(base_url: str, name: str, key: str | None) -> Finding:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    address = f"{base_url.rstrip('/')}/models"
    try:
        status = httpx.get(address, headers=headers, timeout=_SECONDS, trust_env=False).status_code
    except (httpx.HTTPError, httpx.InvalidURL) as lost:
        return Finding("model", f"{base_url} does not answer: {lost}", "answers are quoted meanwhile; see the endpoint")
    if status in _KEY_REFUSED:
        return Finding("model", f"{base_url} refuses the key", "set YOUJU_KNOWLEDGE_MODEL_API_KEY or its _FILE")
    if status >= httpx.codes.INTERNAL_SERVER_ERROR:
        return Finding("model", f"{base_url} answers {status}", "answers are quoted meanwhile; see the endpoint")
    return Finding("model", f"{name} at {base_url}")


def _left_alone(knowledge_url: str) -> list[str]:
    """Name the models whose breaker is open in the running process; none when it does not run."""
    try:
        metrics = httpx.get(f"{knowledge_url}/metrics", timeout=_SECONDS, trust_env=False).text
    except httpx.HTTPError:
        return []
    samples = (sample for family in text_string_to_metric_families(metrics) for sample in family.samples)
    return sorted(sample.labels["model"] for sample in samples if sample.name == _BREAKER and sample.value)
