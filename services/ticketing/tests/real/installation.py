"""Configure and run the Request Tracker that Debian packages, on loopback, with a database of its own."""

import os
import signal
import socket
import subprocess
import time
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

_LIBRARY: Final = Path("/usr/share/request-tracker5")
_DEADLINE_SECONDS: Final = 90
QUEUE: Final = "General"

_SITE: Final = """
Set($rtname, 'rt.example');
Set($Organization, 'rt.example');
Set($WebDomain, '127.0.0.1');
Set($WebPort, {port});
Set($DatabaseType, 'SQLite');
Set($DatabaseName, '{folder}/rt.db');
Set($MasonDataDir, '{folder}/mason');
Set($MasonSessionDir, '{folder}/session');
Set($MailCommand, 'sendmailpipe');
Set($SendmailPath, '/bin/true');
Set($LogToSyslog, undef);
Set($LogToSTDERR, 'warning');
1;
"""
# One account with exactly the rights that we document, and one that does what people do.
_ACCOUNTS: Final = """
use strict; use warnings;
use lib '{library}/lib';
use RT; RT::LoadConfig(); RT::Init();
my $queue = RT::Queue->new(RT->SystemUser); $queue->Load('{queue}');
sub account {{
  my ($name, @rights) = @_;
  my $user = RT::User->new(RT->SystemUser);
  my ($id, $said) = $user->Create(Name => $name, EmailAddress => "$name\\@rt.example", Privileged => 1);
  die $said unless $id;
  for my $right (@rights) {{
    my ($ok, $why) = $user->PrincipalObj->GrantRight(Right => $right, Object => $queue); die $why unless $ok;
  }}
  my $token = RT::AuthToken->new(RT->SystemUser);
  my ($made, $why, $text) = $token->Create(Owner => $user->id, Description => $name); die $why unless $made;
  print "$text\\n";
}}
account('youju', qw(SeeQueue CreateTicket ShowTicket));
account('agent', qw(SeeQueue ShowTicket ModifyTicket OwnTicket));
"""


@dataclass
class Installation:
    """A Request Tracker in a folder. `token` is ours, `agent` speaks as a person of support."""

    folder: Path
    port: int = 0
    token: str = ""
    agent: httpx.Client = field(default_factory=httpx.Client)
    _server: subprocess.Popen[bytes] | None = None

    def set_up(self) -> None:
        """Write the configuration, make the database and the accounts."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        for name in ("mason", "session", "site.d"):
            (self.folder / name).mkdir()
        (self.folder / "site.pm").write_text(_SITE.format(port=self.port, folder=self.folder))
        (self.folder / "accounts.pl").write_text(_ACCOUNTS.format(library=_LIBRARY, queue=QUEUE))
        self._run("rt-setup-database-5", "--action", "init", "--dba", "root", "--dba-password", "")
        printed = self._run("perl", str(self.folder / "accounts.pl")).split()
        self.token = printed[0]
        headers = {"Authorization": f"token {printed[1]}"}
        self.agent = httpx.Client(base_url=self.url, headers=headers, trust_env=False, timeout=30)

    @property
    def url(self) -> str:
        """Give its address."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = ["perl", str(_LIBRARY / "libexec/rt-server"), "--server", "Starlet", "--host", "127.0.0.1"]
        with (self.folder / "server.log").open("ab") as log:
            self._server = subprocess.Popen(
                [*command, "--port", str(self.port), "--max-workers", "2"],
                env=self._environment(),
                stderr=log,
                stdout=log,
                start_new_session=True,
            )
        self.until(self._answers)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all of its processes."""
        assert self._server is not None
        os.killpg(self._server.pid, number)

    def kill(self) -> None:
        """End all of its processes at once."""
        assert self._server is not None
        self.signal(signal.SIGKILL)
        self._server.wait(30)

    def tickets(self) -> list[str]:
        """List the ids of all tickets."""
        answer = self.agent.get("/REST/2.0/tickets", params={"query": "id > 0", "per_page": 100})
        return [item["id"] for item in answer.raise_for_status().json()["items"]]

    def text_of(self, ticket_id: str) -> str:
        """Give what the first message of a ticket says."""
        found = self.agent.get(f"/REST/2.0/ticket/{ticket_id}/attachments").raise_for_status().json()
        bodies = [self._attachment(item["id"]) for item in found["items"]]
        return "\n".join(bodies)

    def move(self, ticket_id: str, status: str) -> None:
        """Do what a person of support does."""
        self.agent.put(f"/REST/2.0/ticket/{ticket_id}", json={"Status": status}).raise_for_status()

    def until(self, happened: Callable[[], object]) -> None:
        """Wait for something with a deadline."""
        deadline = time.monotonic() + _DEADLINE_SECONDS
        while not happened():
            assert time.monotonic() < deadline, (self.folder / "server.log").read_text()[-2_000:]
            time.sleep(0.2)

    def _answers(self) -> bool:
        try:
            return self.agent.get("/REST/2.0/rt").is_success
        except httpx.TransportError:
            return False

    def _attachment(self, attachment_id: str) -> str:
        found: dict[str, Any] = self.agent.get(f"/REST/2.0/attachment/{attachment_id}").raise_for_status().json()
        return b64decode(found.get("Content") or "").decode(errors="replace")

    def _run(self, *command: str) -> str:
        done = subprocess.run(
            command, env=self._environment(), capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
        return done.stdout

    def _environment(self) -> dict[str, str]:
        ours = {"RT_SITE_CONFIG": str(self.folder / "site.pm"), "RT_SITE_CONFIG_DIR": str(self.folder / "site.d")}
        return {**os.environ, **ours, "PATH": f"{os.environ['PATH']}:/usr/sbin"}
