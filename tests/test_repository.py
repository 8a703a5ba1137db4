"""Guards over the repository itself: sizes, names, addresses, migrations, and what the README promises."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

pytestmark = pytest.mark.unit

ROOT: Final = Path(__file__).resolve().parent.parent

_LINE_LIMITS: Final = ((".vue", 150), (".ts", 400), (".py", 400))
_TEST_LINE_LIMIT: Final = 500
_BYTES_LIMIT: Final = 1_000_000
_GENERATED: Final = ("requirements/", "openapi/", "web/package-lock.json", "web/packages/client/src/generated.ts")
_TEXT: Final = frozenset(
    [
        ".py",
        ".md",
        ".toml",
        ".yaml",
        ".yml",
        ".in",
        ".lock",
        ".json",
        ".jsonl",
        ".ts",
        ".vue",
        ".css",
        ".html",
        ".js",
        ".sql",
        ".sh",
        ".svg",
        ".conf",
    ]
)
# Written in pieces, so that this file does not find itself.
_REGISTRIES: Final = tuple(
    "".join(pieces)
    for pieces in (
        ("pypi", ".org"),
        ("pythonhosted", ".org"),
        ("npmjs", ".org"),
        ("npmmirror", ".com"),
        ("yarnpkg", ".com"),
        ("tsinghua", ".edu.cn"),
        ("mirrors.", "aliyun"),
    )
)
_MACHINE_PATH: Final = re.compile(r"""(?<=["'\s(=:])/(?:work|root|tmp|home/\w+|Users/\w+)/[\w.]""")
_MAGNETS: Final = frozenset(["utils", "helpers", "common", "manager", "managers", "service", "base", "misc", "lib"])
# What they name lies inside an image, not on the machine that wrote them.
_IMAGE_FILES: Final = frozenset(["Dockerfile", "docker-compose.yml"])
_UNFINISHED: Final = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")


def tracked() -> Iterator[Path]:
    """Give every file that is committed and still there."""
    git = shutil.which("git")
    assert git is not None
    listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            yield Path(name)


def texts() -> Iterator[tuple[Path, str]]:
    """Give every tracked text file with its content."""
    for path in tracked():
        if path.suffix in _TEXT or not path.suffix:
            yield path, (ROOT / path).read_text(encoding="utf-8", errors="replace")


def is_generated(path: Path) -> bool:
    return path.as_posix().startswith(_GENERATED)


def line_limit(path: Path) -> int | None:
    limit = next((limit for ending, limit in _LINE_LIMITS if path.suffix == ending), None)
    return _TEST_LINE_LIMIT if limit is not None and "tests" in path.parts else limit


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))


def test_no_file_is_longer_than_its_limit() -> None:
    too_long = {
        path.as_posix(): lines
        for path, text in texts()
        if not is_generated(path)
        and (limit := line_limit(path)) is not None
        and (lines := len(text.splitlines())) > limit
    }

    assert too_long == {}


def test_no_tracked_file_is_large() -> None:
    large = [path.as_posix() for path in tracked() if (ROOT / path).stat().st_size > _BYTES_LIMIT]

    assert large == []


def test_no_file_names_a_package_registry() -> None:
    naming = {path.as_posix(): host for path, text in texts() for host in _REGISTRIES if host in text}

    assert naming == {}


def test_no_file_names_a_path_of_some_machine() -> None:
    naming = {
        path.as_posix(): found[0]
        for path, text in texts()
        if path.name not in _IMAGE_FILES and (found := _MACHINE_PATH.search(text))
    }

    assert naming == {}


def test_no_module_has_a_name_that_attracts_everything() -> None:
    magnets = [path.as_posix() for path in tracked() if path.suffix == ".py" and path.stem in _MAGNETS]

    assert magnets == []


def test_nothing_is_marked_as_unfinished() -> None:
    marked = {path.as_posix(): found[0] for path, text in texts() if (found := _UNFINISHED.search(text))}

    assert marked == {}


@pytest.mark.parametrize("service", ["knowledge", "bff", "ticketing"])
def test_migrations_have_exactly_one_head(service: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "services" / service / "src" / service / "migrations"))
    config.set_main_option("path_separator", "os")

    assert len(ScriptDirectory.from_config(config).get_heads()) == 1


def test_continuous_integration_runs_only_what_the_readme_names() -> None:
    used = re.findall(r"\bmake ([a-z-]+)", (ROOT / ".ci" / "run").read_text())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert used == ["test"]
    assert all(f"make {target}" in readme for target in used)


def test_every_make_target_the_documents_name_exists() -> None:
    named = {
        (path.as_posix(), target)
        for path, text in texts()
        if path.suffix == ".md"
        for target in re.findall(r"`make ([a-z][a-z-]*)", text)
    }

    assert {(path, target) for path, target in named if target not in make_targets()} == set()
