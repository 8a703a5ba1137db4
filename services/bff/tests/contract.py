"""Read the committed contract; a test holds it equal to the served one."""

from pathlib import Path
from typing import Any

import yaml

CONTRACT: dict[str, Any] = yaml.safe_load(  # an OpenAPI document is JSON
    (Path(__file__).parents[3] / "openapi" / "customer-bff-v1.yaml").read_text(encoding="utf-8")
)
