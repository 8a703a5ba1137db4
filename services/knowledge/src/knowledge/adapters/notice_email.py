"""Send a notice by mail over SMTP."""

import asyncio
import smtplib
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Final

from contracts.errors import GiveUpError, TryAgainError

_SECONDS: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """Where mail goes out, and who sends it. Without a user nobody logs in."""

    host: str
    port: int
    sender: str
    starttls: bool
    user: str | None = None
    password: str | None = None


async def send(server: MailServer, *, to: Sequence[str], subject: str, text: str, message: str) -> None:
    """Send a mail; its Message-ID is the same at every try.

    Errors: GiveUpError when the server refuses every receiver, else TryAgainError.
    """
    await asyncio.to_thread(_send, server, _mail(server, to=to, subject=subject, text=text, message=message))


def _mail(server: MailServer, *, to: Sequence[str], subject: str, text: str, message: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = server.sender, ", ".join(to), subject
    mail["Message-ID"] = f"<{message}@{server.sender.rpartition('@')[2]}>"
    mail.set_content(text)
    return mail


def _send(server: MailServer, mail: EmailMessage) -> None:
    try:
        with smtplib.SMTP(server.host, server.port, timeout=_SECONDS) as smtp:
            if server.starttls:
                smtp.starttls(context=ssl.create_default_context())
            if server.user is not None:
                smtp.login(server.user, server.password or "")
            smtp.send_message(mail)
    except smtplib.SMTPRecipientsRefused as refused:
        raise GiveUpError("The mail server refused every receiver.") from refused
    except (smtplib.SMTPException, OSError) as failed:
        raise TryAgainError(f"The mail server did not take the mail ({type(failed).__name__}).") from failed
