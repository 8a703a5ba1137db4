"""Write moments by the clock of the database, which all workers share."""

from datetime import datetime

from sqlalchemy import ColumnElement, func


def after(seconds: float) -> ColumnElement[datetime]:
    """Give the moment some seconds from now."""
    return func.clock_timestamp() + func.make_interval(0, 0, 0, 0, 0, 0, seconds)
