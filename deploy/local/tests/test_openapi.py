"""The committed API descriptions are what the code serves."""

from pathlib import Path

import pytest
import yaml

from youju.openapi import FOLDER, describe_all, report_differences
from youju.staff_openapi import ClashingSchemasError, Document, staff_document

pytestmark = pytest.mark.unit


def test_the_committed_descriptions_are_what_is_served() -> None:
    assert report_differences(describe_all(), FOLDER) == 0


def test_all_that_staff_may_call_stands_in_one_description_and_nowhere_else() -> None:
    paths: dict[str, list[str]] = {
        name: list(yaml.safe_load(text).get("paths", {})) for name, text in describe_all().items()
    }

    staff = paths.pop("staff-v1.yaml")
    assert all(path.startswith("/v1/staff/") for path in staff)
    assert {"/v1/staff/versions/{number}/approve", "/v1/staff/tickets", "/v1/staff/audit"} <= set(staff)
    assert not [path for listed in paths.values() for path in listed if "/staff" in path]


def test_two_services_may_not_mean_different_things_by_one_name() -> None:
    def described(kind: str) -> Document:
        schema = {"$ref": "#/components/schemas/Thing"}
        return {
            "paths": {f"/v1/staff/{kind}": {"get": {"responses": {"200": {"schema": schema}, "422": {}}}}},
            "components": {"schemas": {"Thing": {"type": kind}, "Unused": {"type": "null"}}},
        }

    alone = staff_document({"a": described("string")}, {"a": "http://a"})
    assert list(alone["components"]["schemas"]) == ["Thing"]
    assert list(alone["paths"]["/v1/staff/string"]["get"]["responses"]) == ["200"]
    with pytest.raises(ClashingSchemasError, match="Thing"):
        staff_document({"a": described("string"), "b": described("number")}, {"a": "", "b": ""})


def test_a_description_that_differs_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text("paths: {}\n")

    status = report_differences({"a.yaml": "paths: {/v1: {}}\n"}, tmp_path)

    assert status == 1
    assert "openapi/a.yaml differs from what is served; run `make openapi`" in capsys.readouterr().err
