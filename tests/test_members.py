"""Every member of the workspace names the packages it imports, so that an image holds what its service needs."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Final

import pytest

pytestmark = pytest.mark.unit

ROOT: Final = Path(__file__).resolve().parent.parent
MEMBERS: Final = sorted(
    folder.parent for kind in ("libs/*", "services/*", "deploy/local") for folder in ROOT.glob(f"{kind}/pyproject.toml")
)
_OURS: Final = frozenset(
    ["contracts", "personal_data", "runtime", "knowledge", "bff", "ticketing", "youju", "youju_client"]
)
# Parts of a package that are published under names of their own.
_PARTS: Final = {"starlette": "fastapi", "kombu": "celery", "pydantic-core": "pydantic"}


def name_of(requirement: str) -> str:
    """Give the normalised name a requirement begins with."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s;\[<>=#]", requirement.strip(), maxsplit=1)[0]).lower()


def declared(member: Path) -> set[str]:
    """Name the packages a member declares."""
    project = tomllib.loads((member / "pyproject.toml").read_text())["project"]
    return {name_of(each) for each in project["dependencies"]}


def imported(member: Path) -> set[str]:
    """Name the top-level modules of others that a member imports."""
    found: set[str] = set()
    for file in (member / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found - _OURS - set(sys.stdlib_module_names)


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_a_member_declares_what_it_imports(member: Path) -> None:
    providers = packages_distributions()
    known = declared(member)

    missing = {
        module
        for module in imported(member)
        if not {_PARTS.get(name, name) for name in map(name_of, providers[module])} & known
    }

    assert missing == set()


def test_what_members_declare_is_locked() -> None:
    locked = {name_of(line) for line in (ROOT / "requirements/run.in").read_text().splitlines() if line.strip()}

    assert set[str]().union(*map(declared, MEMBERS)) <= locked
