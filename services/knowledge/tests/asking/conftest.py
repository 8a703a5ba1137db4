"""Gives tests a scripted model and somebody who asks with it."""

from collections.abc import AsyncIterator

import pytest

from tests.support.model_asking import Asking
from tests.support.scripted_model import ScriptedModel, scripted_model


@pytest.fixture(scope="module")
async def served() -> AsyncIterator[tuple[str, ScriptedModel]]:
    async with scripted_model() as url_and_model:
        yield url_and_model


@pytest.fixture
async def asking(served: tuple[str, ScriptedModel]) -> AsyncIterator[Asking]:
    held = Asking(*served)
    yield held
    for writer in held.opened:
        await writer.close()
    held.model.forget()
