"""Prepare the container stack: databases, roles, passwords that nobody has to know, and keys.

`python -m youju.containers` is the job that the services wait for. Below YOUJU_SECRETS_DIRECTORY it writes one folder for
each service with exactly what that service may know, one for the migrations, and one for whoever operates the stack.
Repeat: passwords and keys that exist stay, so that running services keep their access.
"""

import json
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from runtime.tokens import private_file, public_file
from youju.database_urls import SERVICES, Passwords, ServiceDatabase, database_of
from youju.keys import make_missing_keys, mask_key_file, originals_keys_file
from youju.provisioning import provision
from youju.trouble import Trouble

MIGRATIONS: Final = "migrations"
OPERATOR: Final = "operator"

# bff signs calls to knowledge and its guests' tokens; only the operator can sign as staff.
_SIGNS: Final[Mapping[str, tuple[str, ...]]] = {"knowledge": (), "bff": ("service", "guest"), "ticketing": ()}
_VERIFIES: Final = ("service", "staff", "guest")


# Creates the database of a service with these passwords, or writes them again.
Create = Callable[[str, Passwords], ServiceDatabase]


def prepare(folder: Path, create: Create) -> None:
    """Prepare databases and secrets of the whole stack."""
    passwords = _keep_passwords(folder / MIGRATIONS / "passwords.json")
    make_missing_keys(folder / OPERATOR / "keys")
    for service in SERVICES:
        _write_urls(folder, service, create(service, passwords[service]))
        _share_keys(folder / OPERATOR / "keys", folder / service / "keys", signs=_SIGNS[service])
    keys, mine = folder / OPERATOR / "keys", folder / "knowledge"
    shutil.copy(mask_key_file(keys), mine / "mask_key")
    shutil.copy(originals_keys_file(keys), mine / "originals_keys")


def main() -> int:
    """Run the job; trouble is one sentence and status 1."""
    try:
        admin_url, folder = os.environ["YOUJU_ADMIN_DATABASE_URL"], Path(os.environ["YOUJU_SECRETS_DIRECTORY"])
        prepare(
            folder, lambda service, own: provision(admin_url, service, database=database_of(service), passwords=own)
        )
    except KeyError as missing:
        print(f"{missing.args[0]} is not set.", file=sys.stderr)
        return 1
    except Trouble as trouble:
        print(trouble, file=sys.stderr)
        return 1
    return 0


def _keep_passwords(file: Path) -> dict[str, Passwords]:
    if not file.exists():
        made = {service: {role: secrets.token_hex(24) for role in ("owner", "app", "sweeper")} for service in SERVICES}
        _write_secret(file, json.dumps(made))
    return {service: Passwords(**roles) for service, roles in json.loads(file.read_text()).items()}


def _write_urls(folder: Path, service: str, database: ServiceDatabase) -> None:
    _write_secret(folder / service / "database_url", database.app)
    _write_secret(folder / service / "sweeper_database_url", database.sweeper)
    _write_secret(folder / MIGRATIONS / f"{service}_owner_database_url", database.owner)


def _share_keys(source: Path, target: Path, *, signs: tuple[str, ...]) -> None:
    files = [public_file(source, name) for name in _VERIFIES] + [private_file(source, name) for name in signs]
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    for file in files:
        shutil.copy(file, target / file.name)


def _write_secret(file: Path, text: str) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.new")
    draft.touch(mode=0o600)
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)


if __name__ == "__main__":
    sys.exit(main())
