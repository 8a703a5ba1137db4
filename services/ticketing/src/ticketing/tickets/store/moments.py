"""Write moments by the clock of the database, which all workers share."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, func, select


def after(seconds: float) -> ColumnElement[datetime]:
    """Give the moment some seconds from now."""
    return func.clock_timestamp() + func.make_interval(0, 0, 0, 0, 0, 0, seconds)


def now(connection: Connection) -> datetime:
    """Read the clock of the database."""
    return connection.execute(select(func.clock_timestamp())).scalar_one()
