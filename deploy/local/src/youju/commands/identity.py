"""Add tenants, sign staff tokens, and prepare databases elsewhere."""

import secrets
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final, cast, get_args

import typer

from contracts.service_token import StaffRole
from contracts.tenants import Tenant
from youju.database_urls import SERVICES, Passwords, database_of
from youju.environment import database_settings
from youju.home import find_home
from youju.provisioning import provision
from youju.settings import settings_of
from youju.staff_tokens import staff_token
from youju.tenants import DEMO, add_tenant, known_tenants, make_tenants_file
from youju.terminal import TICK
from youju.trouble import Trouble

_ROLES: Final = get_args(StaffRole)

tenants = typer.Typer(help="Add and list tenants.", no_args_is_help=True)


@tenants.command("add")
def add(
    key: Annotated[str, typer.Argument(help="Its key in tokens and commands.")],
    *,
    name: Annotated[str | None, typer.Option(help="Its name for people; the key when left out.")] = None,
    time_zone: Annotated[str, typer.Option(help="Where its business days begin.")] = "Asia/Shanghai",
) -> None:
    """Add a tenant; running services notice it by themselves."""
    home = find_home()
    home.prepare()
    make_tenants_file(home.tenants)
    if not add_tenant(home.tenants, key, Tenant(name=name or key, time_zone=time_zone)):
        raise Trouble(f"There is a tenant {key} already.")
    print(f"  {TICK} Tenant {key} is added.")


@tenants.command("list")
def list_() -> None:
    """List the tenants."""
    for key, tenant in known_tenants(find_home().tenants).items():
        print(f"  {key:<20} {tenant.name}")


def token(
    *,
    tenant: Annotated[str, typer.Option("--tenant", "-t", help="Whose staff.")] = DEMO,
    role: Annotated[list[str], typer.Option(help="owner, publisher, reviewer, operator or support; may be repeated.")],
    actor: Annotated[str, typer.Option(help="Who, as the records will name them.")] = "terminal",
    hours: Annotated[int, typer.Option(min=1, max=24)] = 8,
) -> None:
    """Print a token for a member of staff."""
    settings = settings_of(find_home())
    unknown = [each for each in role if each not in _ROLES]
    if unknown:
        raise Trouble(f"{unknown[0]} is no role; there are {', '.join(_ROLES)}.")
    if tenant not in known_tenants(Path(settings["YOUJU_TENANTS_FILE"])):
        raise Trouble(f"There is no tenant {tenant}; add it with `youju tenant add {tenant}`.")
    roles = cast("list[StaffRole]", role)  # every one was just found among them
    keys = Path(settings["YOUJU_KEYS_DIRECTORY"])
    print(staff_token(keys, tenant=tenant, actor=actor, roles=roles, lifetime=timedelta(hours=hours)))


def provision_databases(
    admin_url: Annotated[
        str,
        typer.Argument(
            envvar="YOUJU_ADMIN_DATABASE_URL",
            help="postgresql+psycopg:// URL of a role that may create databases; arguments can be seen by others.",
        ),
    ],
) -> None:
    """Create databases and roles on a Postgres of your own, and print the settings that lead there."""
    for service in SERVICES:
        passwords = Passwords(owner=secrets.token_hex(24), app=secrets.token_hex(24), sweeper=secrets.token_hex(24))
        made = provision(admin_url, service, database=database_of(service), passwords=passwords)
        for name, value in database_settings(service, made).items():
            print(f"export {name}='{value}'")
