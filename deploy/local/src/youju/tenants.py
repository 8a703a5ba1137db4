"""Keep the tenants file of a local installation."""

import errno
from pathlib import Path
from typing import Final

import yaml

from contracts.tenants import Tenant, TenantsFile
from runtime.settings import SettingsError
from runtime.tenants import read_tenants
from youju.home import CHECKOUT
from youju.trouble import Trouble

DEMO: Final = "demo"
# One source for both installations: what is reviewed for the containers is what a local start begins with.
FIRST_TENANTS: Final = CHECKOUT / "deploy" / "images" / "tenants.yaml"


def of_tenant(tenant: str) -> str:
    """Give what a command that is named to people needs, so that it means the tenant they spoke of."""
    return "" if tenant == DEMO else f" --tenant {tenant}"


def make_tenants_file(file: Path) -> None:
    """Create the file with the tenants of the container stack. Repeat: an existing file stays.

    Errors: Trouble when that file cannot be read.
    """
    if not file.exists():
        _write(file, _read(FIRST_TENANTS))


def add_tenant(file: Path, key: str, tenant: Tenant) -> bool:
    """Add a tenant; say whether it is new. Repeat: a known tenant stays as it is.

    Errors: Trouble when the file cannot be read, or may not be written.
    """
    known = known_tenants(file)
    if key in known:
        return False
    _write(file, {**known, key: tenant})
    return True


def known_tenants(file: Path) -> dict[str, Tenant]:
    """Read all tenants; none when there is no file.

    Errors: Trouble naming the fault.
    """
    return _read(file) if file.exists() else {}


def _read(file: Path) -> dict[str, Tenant]:
    try:
        return read_tenants(file).tenants
    except SettingsError as broken:
        raise Trouble(broken.sentences[0], details=broken.sentences[1:]) from broken


def _write(file: Path, tenants: dict[str, Tenant]) -> None:
    body = TenantsFile(tenants=tenants).model_dump(mode="json")
    draft = file.with_suffix(".new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(yaml.safe_dump(body, allow_unicode=True, sort_keys=False), encoding="utf-8")
        draft.replace(file)
    except OSError as refused:
        if refused.errno == errno.ENOSPC:
            raise
        # The containers mount it for reading only.
        raise Trouble(f"{file} cannot be written ({refused.strerror}): add the tenant where it is kept.") from refused
