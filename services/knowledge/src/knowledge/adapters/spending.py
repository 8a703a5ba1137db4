"""Adds up what models cost a tenant: its attempts with their second opinions, and its evaluation runs."""

from datetime import datetime
from decimal import Decimal

from knowledge.adapters.budgets import SpentSince
from knowledge.answering.store import AnswerLogStore
from knowledge.evaluation.store.spending import spent_by_runs
from runtime.database import Database


def spending_in(database: Database) -> SpentSince:
    """Give what adds up costs since a moment, in a transaction of its own. Units: the currency of the price table."""

    async def spent_since(tenant: str, moment: datetime) -> Decimal:
        async with database.transaction(tenant) as connection:
            attempts = await AnswerLogStore(connection).spent_since(tenant, moment)
            return attempts + await spent_by_runs(connection, moment)

    return spent_since
