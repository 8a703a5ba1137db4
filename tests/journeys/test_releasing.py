"""A release from the terminal: compared, published, rolled back, withdrawn and brought back, with customers asking."""

from pathlib import Path

import pytest

from tests.support.system import System

pytestmark = pytest.mark.journey

_TENANT = "releases"
_QUESTION = "普通快递的运费是多少？"


def _write(folder: Path, fee: str, owner: str) -> None:
    front = f"slug: help/fee\nlabel: '1'\nlanguage: zh\nowner: {owner}\nreview_date: 2020-01-01\n"
    body = f"# 普通快递的运费\n\n普通快递的运费是{fee}元。\n"
    (folder / "fee.md").write_text(f"---\n{front}---\n{body}", encoding="utf-8")


class Terminal:
    """The commands of one tenant."""

    def __init__(self, system: System) -> None:
        """Remember the system."""
        self._system = system

    def __call__(self, *arguments: str) -> str:
        """Run a command and give what it prints."""
        return self._system.command(*arguments, "--tenant", _TENANT).stdout

    def answer(self) -> str:
        """Ask for the fee."""
        return self._system.command("ask", _QUESTION, "--tenant", _TENANT, check=False).stdout


@pytest.fixture
def youju(system: System) -> Terminal:
    """Give a terminal for one tenant."""
    return Terminal(system)


def test_a_release_is_compared_published_rolled_back_and_withdrawn(youju: Terminal, tmp_path: Path) -> None:
    _write(tmp_path, "十", "olga")
    youju("import", str(tmp_path), "--publish")
    _write(tmp_path, "二十", "otto")
    youju("import", str(tmp_path))

    listed = youju("versions").splitlines()
    versions, texts = youju("diff", "1", "2"), youju("diff", "help/fee")
    before = youju.answer()
    youju("publish")
    published = youju.answer()
    youju("rollback")
    rolled_back = youju.answer()
    youju("withdraw", "help/fee")
    withdrawn = youju.answer()
    youju("restore", "help/fee")
    restored = youju.answer()

    assert [line.split()[:2] for line in listed[1:]] == [["2", "STAGED"], ["1", "PUBLISHED"]]
    assert "changed  help/fee" in versions
    assert "owner: olga → otto" in versions
    assert ("- 普通快递的运费是十元。" in texts, "+ 普通快递的运费是二十元。" in texts) == (True, True)
    assert ["二十元" in each for each in (before, published, rolled_back)] == [False, True, False]
    assert ["十元" in each for each in (before, rolled_back, withdrawn, restored)] == [True, True, False, True]
    assert "overdue  2020-01-01  help/fee" in youju("documents", "--due", "30")
    assert "help/fee" in youju("documents")
    told = [line.split()[2] for line in youju("timeline", "help/fee").splitlines()]
    assert told[-2:] == ["withdrawn", "restored"]
    assert (told.count("stored"), told.count("brought")) == (2, 3)


def test_a_version_that_waits_is_given_up(youju: Terminal, tmp_path: Path) -> None:
    _write(tmp_path, "三十", "olga")
    youju("import", str(tmp_path))
    number = youju("versions").splitlines()[1].split()[0]

    youju("discard", number)

    assert youju("versions").splitlines()[1].split()[:2] == [number, "DISCARDED"]
