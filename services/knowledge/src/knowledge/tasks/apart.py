"""Keeps trouble with one tenant from the others while a duty goes from tenant to tenant."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from prometheus_client import Counter

from contracts.errors import TryAgainError, UnavailableError
from runtime.logging import bound, get_logger

_TROUBLE: Final = Counter("youju_tenant_turns_lost_total", "Turns of a tenant that a duty could not take", ["duty"])
_log = get_logger("duties")


@contextmanager
def apart(tenant: str, *, duty: str) -> Generator[None]:
    """Take one tenant's turn of a duty: trouble with it is told and counted, and the next tenant has its turn.

    Its rows remain, so that the duty comes back to them; what fails for good is asked again at every round.
    Errors: TryAgainError, because an outside system that does not answer keeps it from all tenants.
    """
    with bound(tenant=tenant):
        try:
            yield
        except TryAgainError:
            raise
        except (UnavailableError, TimeoutError):
            _TROUBLE.labels(duty).inc()
            _log.warning("turn_delayed", duty=duty)
        except Exception:  # noqa: BLE001 - the outermost frame of one tenant's turn; the others have theirs
            _TROUBLE.labels(duty).inc()
            _log.exception("turn_failed", duty=duty)
