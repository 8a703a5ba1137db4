"""Hand tickets to any system that takes a signed webhook, and hear from it the same way."""

from datetime import timedelta
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, field_validator
from pydantic.alias_generators import to_camel

from contracts.messages import CreateTicket
from runtime.clock import utc_now
from ticketing.adapters.connection import Call, HelpdeskSettings, Line, json_bytes, read_settings, understood
from ticketing.tickets.helpdesk import (
    Guarantee,
    Helpdesk,
    HelpdeskStatus,
    HelpdeskTicket,
    KeyTakenError,
    Limits,
    RefusedError,
)
from ticketing.tickets.rendering import Lengths, Write, key_stamp
from ticketing.tickets.signing import secret_bytes, signed_headers

EVENT: Final = "youju.ticket.v1"
_LENGTHS: Final = Lengths(subject=200, body=100_000)
# Source: draft-ietf-httpapi-idempotency-key-header, the answer to a known key with another body.
_OTHER_CONTENT: Final = 422
_Short = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class WebhookSettings(HelpdeskSettings):
    """Settings of a webhook. Several secrets, apart by spaces, are all in use: that is how one is replaced by the next."""

    secrets: SecretStr = Field(description="whsec_… for what we send")
    inbound_secrets: SecretStr | None = Field(default=None, description="whsec_… for what we receive; none: nothing is")
    key_hours: float | None = Field(
        default=None, gt=0, description="How long the receiver remembers an id; none: for good"
    )

    @field_validator("secrets", "inbound_secrets")
    @classmethod
    def _are_secrets(cls, secrets: SecretStr | None) -> SecretStr | None:
        if secrets is not None and not secret_list(secrets):
            raise ValueError("at least one secret is needed")
        return secrets

    @property
    def inbound_keys(self) -> tuple[bytes, ...]:
        """Give what signatures are checked with."""
        return () if self.inbound_secrets is None else secret_list(self.inbound_secrets)


class _Answer(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")

    external_id: _Short
    number: _Short


class Webhook:
    """A system that takes our tickets by webhook.

    Promise: `native_key`. The receiver answers a repeated `webhook-id` with the first ticket; it takes this on by being
    connected this way. Where it forgets ids after some hours, a person is asked after that.
    """

    is_polled: bool = False

    def __init__(self, name: str, settings: WebhookSettings, write: Write) -> None:
        """Take the name in the ledger, the settings and who words tickets; nothing is called yet."""
        self.name = name
        self.limits: Limits | None = settings.limits
        self._write = write
        lives = None if settings.key_hours is None else timedelta(hours=settings.key_hours)
        self.guarantee = Guarantee("native_key", key_lives=lives, believes_absence=False)
        self._secrets = secret_list(settings.secrets)
        self._line = Line(settings, headers={"Content-Type": "application/json"})

    def create(self, ticket: CreateTicket) -> HelpdeskTicket:
        """Send a ticket. Repeat: the same id, to which the receiver gives its first answer. Errors: HelpdeskError."""
        body = json_bytes(self._event(ticket))
        headers = signed_headers(self._secrets, message_id=key_stamp(ticket.ticket_key), body=body, now=utc_now())
        reply = self._line.send(Call(method="POST", path="", headers=headers, content=body))
        if reply.status == _OTHER_CONTENT:
            raise KeyTakenError("Status 422: the id is known with other content.")
        answer = understood(reply, _Answer)
        return HelpdeskTicket(external_id=answer.external_id, number=answer.number)

    def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
        """Refuse: a webhook cannot be asked. Errors: RefusedError always."""
        del tenant, ticket_key
        raise RefusedError("A webhook cannot be asked for a ticket.")

    def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
        """Give nothing: the receiver tells every move itself."""
        del tenant, external_id

    def _event(self, ticket: CreateTicket) -> dict[str, object]:
        text = self._write(ticket, _LENGTHS)
        return {
            "type": EVENT,
            "timestamp": ticket.requested_at.isoformat(),
            "data": {
                **ticket.model_dump(mode="json"),
                "subject": text.subject,
                "textPlain": text.plain,
                "textHtml": text.html,
            },
        }


def connect_webhook(name: str, write: Write) -> Helpdesk:
    """Build a webhook from its settings. Errors: SettingsError."""
    return Webhook(name, read_settings(WebhookSettings, name), write)


def secret_list(secrets: SecretStr) -> tuple[bytes, ...]:
    """Read secrets that stand apart by spaces. Errors: MalformedSecretError."""
    return tuple(secret_bytes(each) for each in secrets.get_secret_value().split())
