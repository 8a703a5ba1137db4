"""Write the page that lists every setting of every service, from the classes that read them."""

import json
from collections.abc import Iterator
from typing import Final, Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from bff.settings import BffSettings
from knowledge.settings import KnowledgeSettings
from runtime.settings import ServiceSettings
from ticketing.settings import TicketingSettings
from youju.home import CHECKOUT

SETTINGS_PAGE: Final = CHECKOUT / "docs" / "settings.md"
SERVICES: Final[tuple[type[ServiceSettings], ...]] = (KnowledgeSettings, BffSettings, TicketingSettings)
_INTRODUCTION: Final = """# Settings

A setting comes from the environment, else from a file, else it has its default. The file is TOML, named by `YOUJU_CONFIG`; its tables are the services
(`[bff]`, with `attempt_seconds = 20` for `YOUJU_BFF_ATTEMPT_SECONDS`). A name that begins with the service's own prefix can end in `_FILE` and then names a file
that holds the value, as secrets should. A process that is told something unusable says so, a sentence for each fault, and ends with status 78: starting it again changes nothing. Units stand in the
names: seconds, days, bytes. In containers all of them go into `.env` or into the files that `.env.example` names. Helpdesks have settings of their own:
[helpdesks](helpdesks.md). What differs from tenant to tenant stands in the tenants file, `.youju/tenants.yaml` on a local installation: `youju tenant add` writes every key of it with its
default, and the pages on each subject say what it means. A test holds this page equal to the code; `make openapi` writes it.
"""


def settings_page() -> str:
    """Give the page: first what all services are told, then each service's own."""
    parts = [_INTRODUCTION, "## All services\n", *_table(ServiceSettings, dict(ServiceSettings.model_fields))]
    for kind in SERVICES:
        own = {name: field for name, field in kind.model_fields.items() if name not in ServiceSettings.model_fields}
        parts += [f"\n## {kind.__name__.removesuffix('Settings').lower()}\n", *_table(kind, own)]
    return "\n".join((*parts, ""))


def variable(kind: type[ServiceSettings], name: str) -> str:
    """Give the environment variable of a setting; `<SERVICE>` stands in those that every service has for itself."""
    prefix = str(kind.model_config.get("env_prefix")) or "YOUJU_<SERVICE>_"
    return str(kind.model_fields[name].validation_alias or f"{prefix}{name}".upper())


def _table(kind: type[ServiceSettings], fields: dict[str, FieldInfo]) -> Iterator[str]:
    yield "| setting | default | meaning |"
    yield "|---|---|---|"
    for name, field in fields.items():
        meaning = (field.description or "").replace("|", "\\|")
        secret = " Secret." if SecretStr in (field.annotation, *get_args(field.annotation)) else ""
        yield f"| `{variable(kind, name)}` | {_default(field)} | {meaning}.{secret}{_choices(field)} |"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default: object = field.get_default(call_default_factory=True, validated_data={})
    if default in (None, "", {}, PydanticUndefined):
        return ""
    return f"`{json.dumps(default) if isinstance(default, bool) else default}`"


def _choices(field: FieldInfo) -> str:
    if get_origin(field.annotation) is not Literal:
        return ""
    return f" One of {', '.join(f'`{each}`' for each in get_args(field.annotation))}."
