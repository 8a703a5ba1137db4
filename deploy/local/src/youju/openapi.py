"""Write the API descriptions from the code that serves them, or check that the committed ones are the same."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import yaml
from fastapi import FastAPI

from bff.main import create_app as create_bff
from bff.settings import BffSettings
from knowledge.main import create_app as create_knowledge
from knowledge.settings import KnowledgeSettings
from youju.home import CHECKOUT
from youju.keys import make_missing_keys
from youju.tenants import make_tenants_file

FOLDER: Final = CHECKOUT / "openapi"
# Nothing connects while a description is made, so any address will do.
_NOWHERE: Final = "postgresql+psycopg://nobody@/nothing"


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or with --check compare them and return 1 when they differ."""
    parser = argparse.ArgumentParser(description="Write openapi/*.yaml from the code.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when a file differs")
    only_check: bool = parser.parse_args(arguments).check
    described = describe_all()
    if only_check:
        return report_differences(described, FOLDER)
    for name, text in described.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


def report_differences(described: Mapping[str, str], folder: Path) -> int:
    """Print each file that differs from what is served, and return 1 when there is one."""
    outdated = [name for name, text in described.items() if _committed(folder / name) != text]
    for name in outdated:
        print(f"openapi/{name} differs from what is served; run `make openapi` and commit it.", file=sys.stderr)
    return 1 if outdated else 0


def describe_all() -> dict[str, str]:
    """Give the text of every description by file name."""
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
        builders: dict[str, Callable[[], FastAPI]] = {
            "customer-bff-v1.yaml": lambda: create_bff(BffSettings.model_validate(settings)),
            "knowledge-v1.yaml": lambda: create_knowledge(KnowledgeSettings.model_validate(settings)),
        }
        return {name: described_as_yaml(build()) for name, build in builders.items()}


def described_as_yaml(app: FastAPI) -> str:
    """Give one application's description in a form that diffs well."""
    return yaml.safe_dump(app.openapi(), allow_unicode=True, sort_keys=False, width=120)


def _committed(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
