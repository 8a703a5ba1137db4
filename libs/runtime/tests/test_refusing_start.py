from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI

from runtime.application import build_application, serve
from runtime.refusing_start import REFUSED_STATUS, refusing_plainly
from runtime.settings import SettingsError

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("fault", "status"),
    [(SettingsError(("demo was proved with another writer.",)), REFUSED_STATUS), (RuntimeError("a bug"), 3)],
)
def test_a_service_whose_settings_forbid_the_start_ends_with_a_status_of_its_own(fault: Exception, status: int) -> None:
    @asynccontextmanager
    async def failing(_app: FastAPI) -> AsyncGenerator[None]:
        raise fault
        yield

    app = build_application(title="Demo", version="1", lifespan=failing, ready={})

    with pytest.raises(SystemExit) as ended:
        serve(app, host="127.0.0.1", port=0)

    assert ended.value.code == status


def test_a_process_whose_settings_are_not_usable_ends_with_that_status(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, refusing_plainly("bff"):
        raise SettingsError(("YOUJU_REDIS_URL is not set.", "YOUJU_BFF_PORT is not valid."))

    assert ended.value.code == REFUSED_STATUS
    assert capsys.readouterr().err == ("bff cannot start:\nYOUJU_REDIS_URL is not set.\nYOUJU_BFF_PORT is not valid.\n")
