"""Read tenants' ticket templates from a folder, again when a file changes."""

from pathlib import Path
from typing import Final

import yaml
from pydantic import ValidationError

from contracts.faults import reason_of
from contracts.messages import CreateTicket
from runtime.logging import get_logger
from runtime.settings import SettingsError
from ticketing.tickets.rendering import Lengths, TicketText, render
from ticketing.tickets.templates import TemplateFile

_NOTHING: Final = TemplateFile()
_log = get_logger("templates")


class Templates:
    """One file for each tenant, `<tenant>.yaml`; a tenant without one has the built-in words.

    A changed file is read again at the next ticket; a broken one keeps its last good state.
    """

    def __init__(self, folder: Path | None) -> None:
        """Read every file once, so that a broken one stops the start. Errors: SettingsError naming each fault."""
        self._folder = folder
        self._known: dict[Path, tuple[int, TemplateFile]] = {}
        files = sorted(folder.glob("*.yaml")) if folder else []
        faults = [fault for file in files for fault in self._faults(file)]
        if folder is not None and not folder.is_dir():
            faults = [f"There is no folder {folder} for ticket templates."]
        if faults:
            raise SettingsError(tuple(faults))

    def write(self, order: CreateTicket, lengths: Lengths) -> TicketText:
        """Write a ticket in the words of its tenant and the language of its conversation."""
        return render(order, lengths, template=self._of(order.tenant).template(order.language))

    def _of(self, tenant: str) -> TemplateFile:
        # The key of a tenant comes in a message: a separator in it must not lead elsewhere.
        if self._folder is None or "/" in tenant or "\\" in tenant:
            return _NOTHING
        file = self._folder / f"{tenant}.yaml"
        try:
            return self._fresh(file)
        except FileNotFoundError:
            return _NOTHING
        except (OSError, SettingsError) as broken:
            _log.warning("template_not_read", file=file.name, error_class=type(broken).__name__)
            return self._known.get(file, (0, _NOTHING))[1]

    def _fresh(self, file: Path) -> TemplateFile:
        stamp = file.stat().st_mtime_ns
        known = self._known.get(file)
        if known is None or known[0] != stamp:
            known = self._known[file] = (stamp, _read(file))
        return known[1]

    def _faults(self, file: Path) -> tuple[str, ...]:
        try:
            self._fresh(file)
        except SettingsError as broken:
            return broken.sentences
        return ()


def _read(file: Path) -> TemplateFile:
    try:
        return TemplateFile.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")) or {})
    except (yaml.YAMLError, UnicodeDecodeError) as broken:
        raise SettingsError((f"The ticket template {file} is not YAML: {broken}.",)) from broken
    except ValidationError as invalid:
        faults = (f"{file}: {'.'.join(map(str, each['loc']))}: {reason_of(each)}." for each in invalid.errors())
        raise SettingsError(tuple(faults)) from invalid
