import os
from pathlib import Path

import pytest

from runtime.settings import SettingsError
from services.ticketing.tests.fakes import order
from ticketing.adapters.templates import Templates
from ticketing.tickets.rendering import Lengths, render

pytestmark = pytest.mark.unit

LENGTHS = Lengths(subject=190, body=5_000)


def _file(folder: Path, text: str, *, tenant: str = "shop", age: int = 0) -> None:
    file = folder / f"{tenant}.yaml"
    file.write_text(text)
    os.utime(file, ns=(age, age))


def test_a_tenant_has_its_own_words_and_the_others_the_built_in_ones(tmp_path: Path) -> None:
    _file(tmp_path, "zh: {headings: {question: 顾客说}}")
    templates = Templates(tmp_path)

    assert "顾客说" in templates.write(order("shop"), LENGTHS).plain
    assert templates.write(order("other"), LENGTHS) == render(order("other"), LENGTHS)
    assert templates.write(order("../shop"), LENGTHS) == render(order("../shop"), LENGTHS)
    assert Templates(None).write(order("shop"), LENGTHS) == render(order("shop"), LENGTHS)


def test_a_changed_file_is_read_again_and_a_broken_one_keeps_the_last_words(tmp_path: Path) -> None:
    _file(tmp_path, "zh: {headings: {question: 一}}", age=1)
    templates = Templates(tmp_path)

    _file(tmp_path, "zh: {headings: {question: 二}}", age=2)
    second = templates.write(order("shop"), LENGTHS).plain
    _file(tmp_path, "zh: [broken", age=3)

    assert "二\n" in second
    assert templates.write(order("shop"), LENGTHS).plain == second


def test_every_fault_of_every_file_stops_the_start(tmp_path: Path) -> None:
    _file(tmp_path, "zh: [broken", tenant="a")
    _file(tmp_path, "zh: {sections: [question]}\nen: {opening: 7}", tenant="b")

    with pytest.raises(SettingsError) as unusable:
        Templates(tmp_path)

    assert len(unusable.value.sentences) == 3


def test_a_folder_that_is_missing_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no folder"):
        Templates(tmp_path / "none")
