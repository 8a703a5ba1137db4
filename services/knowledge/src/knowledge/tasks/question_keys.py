"""Wraps the keys of questions anew once installation keys were exchanged, so that the old one can go."""

from functools import partial
from typing import Final

from knowledge.adapters.question_cipher import QuestionCipher
from knowledge.auditing.store.questions import questions_of_keys, write_key
from runtime.database import Database
from runtime.logging import get_logger
from runtime.pulse import run_for_each
from runtime.sealing import UnopenedError
from runtime.tenants import TenantDirectory

_BATCH: Final = 200

_log = get_logger("questions")


async def wrap_stale(app: Database, tenants: TenantDirectory, cipher: QuestionCipher) -> int:
    """Wrap a batch of every tenant, and say how many keys were wrapped.

    Repeat: a key is taken under a lock, so several pulses share the work. One that does not open is told and left.
    """
    if not cipher.older:
        return 0
    return await run_for_each(tenants.keys(), partial(_wrap, app, cipher))


async def _wrap(app: Database, cipher: QuestionCipher, tenant: str) -> int:
    wrapped = 0
    async with app.transaction(tenant) as connection:
        for attempt_id, original in await questions_of_keys(connection, tenant, cipher.older, limit=_BATCH):
            try:
                anew = cipher.wrap_anew(original, tenant=tenant, attempt_id=attempt_id)
            except UnopenedError:
                _log.warning("question_unopened", attempt=str(attempt_id))
                continue
            await write_key(connection, tenant, attempt_id, anew)
            wrapped += 1
    return wrapped
