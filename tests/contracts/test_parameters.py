"""The customer API says of every parameter what it is."""

from pathlib import Path
from typing import Final

import pytest
import yaml

pytestmark = pytest.mark.unit

_CONTRACT: Final = Path(__file__).resolve().parents[2] / "openapi" / "customer-bff-v1.yaml"


def test_every_parameter_of_the_customer_api_is_described() -> None:
    paths = yaml.safe_load(_CONTRACT.read_text(encoding="utf-8"))["paths"]
    parameters = [
        (path, parameter["name"], parameter.get("description", ""))
        for path, operations in paths.items()
        for operation in operations.values()
        for parameter in operation.get("parameters", [])
    ]

    assert parameters
    assert [(path, name) for path, name, description in parameters if not description] == []
