"""Deliver notices over the channels a tenant has: its webhook, its mail addresses."""

from datetime import datetime
from pathlib import Path
from typing import Final

import httpx

from contracts.errors import GiveUpError, TryAgainError
from contracts.tenants import Tenant
from knowledge.adapters import notice_email, notice_webhook
from knowledge.adapters.notice_message import as_json, as_text, headline, message_id
from knowledge.settings import KnowledgeSettings
from knowledge.versions.notices import Channel, Notice
from runtime.http import trust

_SECONDS: Final = 10.0


class NoticeSender:
    """Fulfils `Sender` over HTTP and SMTP."""

    def __init__(self, client: httpx.AsyncClient, mail: notice_email.MailServer | None) -> None:
        """Take what goes out; without a mail server no tenant has the channel `email`."""
        self._client = client
        self._mail = mail

    def channels(self, tenant: Tenant) -> tuple[Channel, ...]:
        """See `Sender.channels`."""
        routes = tenant.notices
        webhook: tuple[Channel, ...] = ("webhook",) if routes.webhook_url is not None else ()
        email: tuple[Channel, ...] = ("email",) if routes.email and self._mail is not None else ()
        return webhook + email

    async def send(self, notice: Notice, *, key: str, tenant: Tenant, channel: Channel, at: datetime) -> None:
        """See `Sender.send`."""
        if channel not in self.channels(tenant):
            raise GiveUpError("This installation has no such channel for the tenant any more.")
        if channel == "webhook":
            await self._post(notice, key=key, tenant=tenant, at=at)
        elif self._mail is not None:
            subject = headline(notice, tenant_name=tenant.name)
            await notice_email.send(
                self._mail, to=tenant.notices.email, subject=subject, text=as_text(notice), message=message_id(notice)
            )

    async def _post(self, notice: Notice, *, key: str, tenant: Tenant, at: datetime) -> None:
        body = as_json(notice, tenant=key)
        secret = _secret(tenant.notices.webhook_secret_file or "")
        headers = notice_webhook.sign(message=message_id(notice), at=at, body=body, secret=secret)
        await notice_webhook.send(self._client, tenant.notices.webhook_url or "", body=body, headers=headers)


def open_sender(settings: KnowledgeSettings) -> NoticeSender:
    """Make a sender of what the settings name."""
    mail = None
    if settings.smtp_host is not None:
        mail = notice_email.MailServer(
            host=settings.smtp_host,
            port=settings.smtp_port,
            sender=settings.smtp_sender,
            starttls=settings.smtp_starttls,
            user=settings.smtp_user,
            password=settings.smtp_password.get_secret_value() if settings.smtp_password else None,
        )
    # Where it goes is reviewed configuration, and a redirect is not.
    client = httpx.AsyncClient(timeout=_SECONDS, follow_redirects=False, trust_env=False, verify=trust())
    return NoticeSender(client, mail)


def _secret(file: str) -> str:
    try:
        return Path(file).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as unreadable:
        raise TryAgainError("The webhook's secret cannot be read.") from unreadable
