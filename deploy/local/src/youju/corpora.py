"""Give every scope of a golden file a tenant with its documents published, importing only what is not there yet."""

import hashlib
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from contracts.tenants import Tenant
from knowledge.evaluation.scoring import Library
from knowledge.ingestion.manifest import Row
from youju.home import Home
from youju.importing import import_material, required_version, staff
from youju.manifest import gather_manifest, header_of, rows_of
from youju.material import Material, combined
from youju.releasing import PUBLISHED, list_versions, publish_version, wait_for_sentences
from youju.tenants import add_tenant

# Where a scope is not named like the documents that a customer of that company would be asking.
_DOCUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "37signals": ("basecamp/",),
    "airline": ("tau2/airline/",),
    "retail": ("tau2/retail/",),
    "telecom": ("tau2/telecom/",),
    "microsoft": ("msft-support-zh/", "msft-partner-zh/"),
}


class _Published(BaseModel):
    """What this installation published for a tenant."""

    model_config = ConfigDict(frozen=True)

    digest: str
    version: int


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True)

    tenants: dict[str, _Published]


def read_library(manifest: Path, *, today: date) -> Library:
    """Say which title and label every version bears, and which are not in force today. Errors: Trouble."""
    rows = rows_of(manifest)
    return Library(
        revisions={(row.doc_id, row.version): (row.title, str(row.version)) for row in rows},
        not_in_force=frozenset((row.title, str(row.version)) for row in rows if not _is_in_force(row, today)),
    )


def gather_scope(scope: str, manifest: Path) -> Material:
    """Take the documents that a customer of a scope would be asking. Errors: Trouble when there are none."""
    return combined([gather_manifest(manifest, only=prefix) for prefix in _DOCUMENTS.get(scope, (f"{scope}/",))])


def publish_scope(
    home: Home, settings: Mapping[str, str], *, scope: str, manifest: Path, show: Callable[[str], None]
) -> None:
    """Publish the documents of a scope for the tenant of the same name and wait until the last sentence has its vector.

    Repeat: the same content is left published. Errors: Trouble when there are none, or the import fails.
    """
    material = gather_scope(scope, manifest)
    digest = _digest(material)
    add_tenant(Path(settings["YOUJU_TENANTS_FILE"]), scope, Tenant(name=scope, second_arm=False))
    with staff(settings, scope) as client:
        published = {each.number for each in list_versions(client) if each.state == PUBLISHED}
        known = _read(home).tenants.get(scope)
        if known is not None and known.digest == digest and known.version in published:
            wait_for_sentences(client, known.version, lambda _: None)
            return
        show(f"{scope}: importing {len(material.files)} files")
        state = import_material(client, material, lambda _: None)
        if state.problems_total:
            show(f"{scope}: {state.problems_total} problem(s), faulty files are left out")
        version = required_version(state)
        publish_version(client, version)
        wait_for_sentences(client, version, lambda _: None)
    _remember(home, scope, _Published(digest=digest, version=version))


def _is_in_force(row: Row, today: date) -> bool:
    header = header_of(row)
    begins, ends = header.effective_from or date.min, header.effective_to or date.max
    return begins <= today <= ends


def _digest(material: Material) -> str:
    total = hashlib.sha256()
    for file in material.files:
        header = file.header.model_dump_json() if file.header is not None else ""
        total.update(f"{file.path}\n{header}\n".encode())
        total.update(hashlib.sha256(file.place.read_bytes()).digest())
    return total.hexdigest()


def _place(home: Home) -> Path:
    return home.folder / "evaluation.json"


def _read(home: Home) -> _Record:
    try:
        return _Record.model_validate_json(_place(home).read_bytes())
    except (OSError, ValidationError):
        return _Record(tenants={})


def _remember(home: Home, tenant: str, published: _Published) -> None:
    record = _Record(tenants={**_read(home).tenants, tenant: published})
    _place(home).write_text(record.model_dump_json(indent=1), encoding="utf-8")
