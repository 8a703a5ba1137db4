"""The tenants file, read again when it changes on disk."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from contracts.faults import reason_of
from contracts.tenants import Tenant, TenantsFile
from runtime.settings import SettingsError

# The parser in C, where PyYAML was built with it, takes 5 ms for two hundred tenants instead of 30; requests wait for it.
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # two classes without a common type


class TenantDirectory:
    """Looks tenants up by key. A changed file is read again at the next look; a broken one keeps the last good state."""

    def __init__(self, path: Path) -> None:
        """Read the file once, so that a broken one stops the start.

        Errors: SettingsError when the file is missing or malformed.
        """
        self._path = path
        self._stamp = -1
        self._tenants: dict[str, Tenant] = {}
        self._refresh(strict=True)

    def find(self, key: str) -> Tenant | None:
        """Give the tenant of that key, or None."""
        self._refresh(strict=False)
        return self._tenants.get(key)

    def keys(self) -> tuple[str, ...]:
        """Give all tenant keys."""
        self._refresh(strict=False)
        return tuple(self._tenants)

    def all(self) -> Mapping[str, Tenant]:
        """Give all tenants by key."""
        self._refresh(strict=False)
        return self._tenants

    def lists_origin(self, origin: str) -> bool:
        """Say whether any tenant lists an origin."""
        self._refresh(strict=False)
        return any(origin in tenant.allowed_origins for tenant in self._tenants.values())

    def _refresh(self, *, strict: bool) -> None:
        try:
            stamp = self._path.stat().st_mtime_ns
            if stamp == self._stamp:
                return
            self._tenants = read_tenants(self._path).tenants
            self._stamp = stamp
        except (OSError, SettingsError):
            if strict:
                raise


def read_tenants(path: Path) -> TenantsFile:
    """Read and check a tenants file.

    Errors: SettingsError naming the file and each fault.
    """
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - both are safe loaders
        return TenantsFile.model_validate(content or {"tenants": {}})
    except OSError as missing:
        raise SettingsError((f"The tenants file {path} cannot be read: {missing.strerror}.",)) from missing
    except (yaml.YAMLError, UnicodeDecodeError) as broken:
        raise SettingsError((f"The tenants file {path} is not YAML: {broken}.",)) from broken
    except ValidationError as invalid:
        faults = tuple(f"{path}: {'.'.join(map(str, e['loc']))}: {reason_of(e)}." for e in invalid.errors())
        raise SettingsError(faults) from invalid
