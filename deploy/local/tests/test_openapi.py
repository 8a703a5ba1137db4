"""The committed API descriptions are what the code serves."""

from pathlib import Path

import pytest
import yaml

from youju.openapi import FOLDER, PUBLISHED, describe_all, report_breaks, report_differences
from youju.staff_openapi import ClashingSchemasError, Document, staff_document

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def served() -> dict[str, str]:
    return describe_all()


def test_the_committed_descriptions_are_what_is_served(served: dict[str, str]) -> None:
    assert report_differences(served, FOLDER) == 0


def test_all_that_staff_may_call_stands_in_one_description_and_nowhere_else(served: dict[str, str]) -> None:
    paths: dict[str, list[str]] = {name: list(yaml.safe_load(text).get("paths", {})) for name, text in served.items()}

    staff = paths.pop("staff-v1.yaml")
    assert all(path.startswith("/v1/staff/") for path in staff)
    assert {"/v1/staff/versions/{number}/approve", "/v1/staff/tickets", "/v1/staff/audit"} <= set(staff)
    assert not [path for listed in paths.values() for path in listed if "/staff" in path]


def test_every_call_of_staff_says_which_problems_it_answers_with(served: dict[str, str]) -> None:
    items: dict[str, Document] = yaml.safe_load(served["staff-v1.yaml"])["paths"]
    calls = {
        f"{method} {path}": call for path, item in items.items() for method, call in item.items() if method != "servers"
    }

    for call, described in calls.items():
        for status in ("400", "401", "403", "503"):
            content = described["responses"].get(status, {}).get("content", {})
            assert list(content) == ["application/problem+json"], (call, status)


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
    assert f"{tmp_path.name}/a.yaml differs from what is served; run `make openapi`" in capsys.readouterr().err


def test_what_is_served_breaks_nobody_who_builds_on_the_published_descriptions(served: dict[str, str]) -> None:
    assert report_breaks(served, PUBLISHED) == 0


def test_a_break_is_named_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described = {f"{name}-v1.yaml": "paths: {}\n" for name in ("customer-bff", "staff", "events")}
    (tmp_path / "customer-bff-v1.yaml").write_text("paths: {/v1/asks: {get: {responses: {}}}}\n")

    assert report_breaks(described, tmp_path) == 1
    assert "openapi/customer-bff-v1.yaml: GET /v1/asks is gone" in capsys.readouterr().err
