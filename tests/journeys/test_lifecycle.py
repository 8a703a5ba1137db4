"""What the terminal does with the running system: start it again, check it, feed it, ask it."""

import pytest

from tests.support.system import System

pytestmark = pytest.mark.journey


def test_a_second_start_says_that_all_is_running_and_where(system: System) -> None:
    run = system.command("up")

    assert run.stdout.startswith("  ✓ Youju is running already.")
    assert f"{system.bff}/docs" in run.stdout


def test_doctor_finds_nothing_to_remedy(system: System) -> None:
    run = system.command("doctor", check=False)

    faults = [line for line in run.stdout.splitlines() if "✗" in line and " page " not in line]
    assert faults == []
    assert "knowledge migrations" in run.stdout


def test_an_answer_in_the_terminal_ends_with_zero_and_a_refusal_with_three(system: System) -> None:
    answered = system.command("ask", "能退吗，运费谁承担？", check=False)
    refused = system.command("ask", "我要投诉你们", check=False)

    assert (answered.returncode, refused.returncode) == (0, 3)
    assert "[1]" in answered.stdout
    assert refused.stdout.startswith("— ")


def test_an_import_with_a_fault_names_file_and_field_and_keeps_nothing(system: System) -> None:
    folder = system.home / "faulty"
    folder.mkdir()
    (folder / "policy.md").write_text(
        "---\nslug: policy\ntitle: A policy\neffective_from: 2024-13-01\n---\n\n# A policy\n"
    )

    run = system.command("import", str(folder), "--tenant", "faulty", check=False)

    assert run.returncode == 1
    assert "nothing of it is kept" in run.stderr
    assert "policy.md: effective_from" in run.stderr
    assert "no version that waits" in system.command("publish", "--tenant", "faulty", check=False).stderr


def test_an_import_that_leaves_files_out_is_not_published_by_itself(system: System) -> None:
    folder = system.home / "half"
    folder.mkdir()
    good = "---\nslug: good\nlabel: '1'\nlanguage: zh\n---\n\n# 换货\n\n七天内可以换货。\n"
    (folder / "good.md").write_text(good, encoding="utf-8")
    (folder / "bad.md").write_text(
        good.replace("good", "bad").replace("language: zh", "language: fr"), encoding="utf-8"
    )

    run = system.command("import", str(folder), "--tenant", "half", "--publish", check=False)
    published = system.command("publish", "1", "--tenant", "half")

    assert run.returncode == 3
    assert "Version 1 is not published" in run.stdout
    assert "bad.md: language" in run.stdout + run.stderr
    assert "Version 1 is published" in published.stdout
