"""A terminal says how far an import is, and names what was left out."""

import pytest

from youju.import_progress import progress_line, show_import
from youju.importing import Changes, ImportProblem, ImportState

pytestmark = pytest.mark.unit


def state(*, problems: int = 0, seconds_left: int | None = None, changes: Changes | None = None) -> ImportState:
    told = ImportProblem(path="a.md", field=None, code="EMPTY", sentence="The file is empty.")
    return ImportState(
        import_id="job_1",
        status="STAGED",
        files_total=1200,
        files_done=100,
        passages=40,
        vectors=30,
        seconds_left=seconds_left,
        problems=(told,) * min(problems, 100),
        problems_total=problems,
        version=4,
        changes=changes,
    )


@pytest.mark.parametrize(
    ("seconds", "end"),
    [(None, "passages"), (7, ", about 7 s left in this step"), (200, ", about 3 min left in this step")],
)
def test_the_line_counts_files_and_passages(seconds: int | None, end: str) -> None:
    line = progress_line(state(seconds_left=seconds))

    assert line.startswith("100 of 1,200 files, 30 of 40 passages")
    assert line.endswith(end)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (Changes(added=0, changed=0, removed=0, unchanged=9), "; no document changed."),
        (Changes(added=2, changed=0, removed=1, unchanged=9), "; documents: 2 new, 1 removed, 9 unchanged."),
    ],
)
def test_what_changed_is_said(changes: Changes, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    show_import(state(changes=changes), 4)

    assert capsys.readouterr().out.rstrip().endswith(told)


def test_a_long_list_of_problems_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    show_import(state(problems=150), 4)

    lines = capsys.readouterr().out.splitlines()
    assert (lines[1], lines[-1]) == (
        "  ✗ Faulty files are left out, 150 problem(s):",
        "    … and 130 more; the staff API lists all of them.",
    )
    assert len(lines) == 23
