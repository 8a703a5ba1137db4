"""Know with which secrets helpdesks sign what they tell us."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ticketing.adapters.connection import NotifyingSettings, read_settings
from ticketing.adapters.webhook import WebhookSettings
from ticketing.adapters.zammad import ZammadSettings
from ticketing.adapters.zendesk import ZendeskSettings
from ticketing.settings import HelpdeskKind

_SETTINGS: Final[Mapping[HelpdeskKind, type[NotifyingSettings | WebhookSettings]]] = {
    "webhook": WebhookSettings,
    "zendesk": ZendeskSettings,
    "zammad": ZammadSettings,
}


@dataclass(frozen=True, slots=True)
class Inbound:
    """In which way a helpdesk signs, and with which secrets: one, or one and its successor."""

    kind: HelpdeskKind
    secrets: tuple[bytes, ...]


def inbound_helpdesks(kinds: Mapping[str, HelpdeskKind]) -> dict[str, Inbound]:
    """Give the helpdesks that may tell us something, by name. Errors: SettingsError."""
    found = {
        name: Inbound(kind, read_settings(_SETTINGS[kind], name).inbound_keys)
        for name, kind in kinds.items()
        if kind in _SETTINGS
    }
    return {name: inbound for name, inbound in found.items() if inbound.secrets}


def secrets_of(helpdesks: Mapping[str, Inbound], name: str, kind: HelpdeskKind) -> tuple[bytes, ...]:
    """Give the secrets of a helpdesk that signs in this way; none for any other."""
    found = helpdesks.get(name)
    return found.secrets if found is not None and found.kind == kind else ()
