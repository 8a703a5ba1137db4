"""The page of settings is the code's own list."""

import pytest

from runtime.settings import ServiceSettings
from youju.settings_page import SERVICES, SETTINGS_PAGE, settings_page, variable

pytestmark = pytest.mark.unit


def test_the_page_is_what_the_code_gives() -> None:
    assert SETTINGS_PAGE.read_text(encoding="utf-8") == settings_page(), "run `make openapi`"


@pytest.mark.parametrize("kind", SERVICES)
def test_every_setting_says_what_it_means(kind: type[ServiceSettings]) -> None:
    page = settings_page()

    assert [name for name, field in kind.model_fields.items() if not field.description] == []
    own = kind.model_fields.keys() - ServiceSettings.model_fields.keys()
    assert [name for name in own if f"| `{variable(kind, name)}` |" not in page] == []
