"""Write the API descriptions from the code that serves them, or check them.

A check fails when a committed description differs from what is served, and when what is served breaks a client of the
descriptions that were published with the last release.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from bff.main import create_app as create_bff
from bff.settings import BffSettings
from knowledge.main import create_app as create_knowledge
from knowledge.settings import KnowledgeSettings
from ticketing.main import create_app as create_ticketing
from ticketing.settings import TicketingSettings
from youju.contract_changes import breaking_changes, breaking_messages
from youju.events_document import events_document
from youju.home import CHECKOUT
from youju.keys import make_missing_keys
from youju.problems_page import PAGE, problems_page
from youju.settings_page import SETTINGS_PAGE, settings_page
from youju.staff_openapi import Document, staff_document, without_staff
from youju.table import DEFAULT_PORTS
from youju.tenants import make_tenants_file

FOLDER: Final = CHECKOUT / "openapi"
PUBLISHED: Final = FOLDER / "published"
# What others build on, and how it may change; knowledge's own API is between our services, which are released together.
_PROMISED: Final[Mapping[str, Callable[[Document, Document], list[str]]]] = {
    "customer-bff-v1.yaml": breaking_changes,
    "staff-v1.yaml": breaking_changes,
    "events-v1.yaml": breaking_messages,
}
_ADDRESSES: Final = {
    service: f"http://localhost:{DEFAULT_PORTS[f'YOUJU_{service.upper()}_PORT']}"
    for service in ("bff", "knowledge", "ticketing")
}
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # two classes without a common type
# Nothing connects while a description is made, so any address will do.
_NOWHERE: Final = "postgresql+psycopg://nobody@/nothing"


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or with --check compare them and return 1 when they differ or break a promise."""
    parser = argparse.ArgumentParser(description="Write openapi/*.yaml from the code.")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; fail when a file differs or breaks clients"
    )
    parser.add_argument("--publish", action="store_true", help="also promise them to clients: part of a release")
    options = parser.parse_args(arguments)
    described = describe_all()
    if options.check:
        pages = report_differences({PAGE.name: problems_page(), SETTINGS_PAGE.name: settings_page()}, PAGE.parent)
        return max(pages, report_differences(described, FOLDER), report_breaks(described, PUBLISHED))
    PAGE.write_text(problems_page(), encoding="utf-8")
    SETTINGS_PAGE.write_text(settings_page(), encoding="utf-8")
    for name, text in described.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        if options.publish and name in _PROMISED:
            (PUBLISHED / name).write_text(text, encoding="utf-8")
    return 0


def report_differences(described: Mapping[str, str], folder: Path) -> int:
    """Print each file that differs from what is served, and return 1 when there is one."""
    outdated = [name for name, text in described.items() if _committed(folder / name) != text]
    for name in outdated:
        print(f"{folder.name}/{name} differs from what is served; run `make openapi` and commit it.", file=sys.stderr)
    return 1 if outdated else 0


def report_breaks(described: Mapping[str, str], published: Path) -> int:
    """Print every change that may break a client of what was published, and return 1 when there is one."""
    found = [
        f"openapi/{name}: {each}"
        for name, breaks in _PROMISED.items()
        for each in breaks(_parsed(_committed(published / name)), _parsed(described[name]))
    ]
    if found:
        print(
            "\n".join((*found, "These break clients of the published API; a new major version may.")), file=sys.stderr
        )
    return 1 if found else 0


def served_documents() -> dict[str, Document]:
    """Give what each service says of its own API."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        make_missing_keys(place / "keys")
        make_tenants_file(place / "tenants.yaml")
        settings = {
            "redis_url": "unix:///nothing",
            "keys_directory": place / "keys",
            "tenants_file": place / "tenants.yaml",
            "database_url": _NOWHERE,
        }
        apps = {
            "bff": create_bff(BffSettings.model_validate(settings)),
            "knowledge": create_knowledge(KnowledgeSettings.model_validate(settings)),
            "ticketing": create_ticketing(TicketingSettings.model_validate(settings)),
        }
        return {service: app.openapi() for service, app in apps.items()}


def describe_all() -> dict[str, str]:
    """Give the text of every description by file name."""
    documents = served_documents()
    described = {
        "customer-bff-v1.yaml": without_staff(documents["bff"]),
        "knowledge-v1.yaml": without_staff(documents["knowledge"]),
        "staff-v1.yaml": staff_document(documents, _ADDRESSES),
        "events-v1.yaml": events_document(),
    }
    return {name: as_yaml(document) for name, document in described.items()}


def as_yaml(document: Document) -> str:
    """Give a description in a form that diffs well."""
    return yaml.dump(document, Dumper=_Plain, allow_unicode=True, sort_keys=False, width=120)


class _Plain(yaml.SafeDumper):
    """Writes what stands at two places twice: readers of OpenAPI know no anchors."""

    def ignore_aliases(self, data: object) -> bool:
        """Repeat everything."""
        del data
        return True


def _parsed(text: str) -> Document:
    parsed: Document = yaml.load(text, Loader=_LOADER) or {}  # noqa: S506 - both are safe loaders
    return parsed


def _committed(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
