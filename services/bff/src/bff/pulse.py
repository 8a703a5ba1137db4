"""The clock of bff: `python -m bff.pulse` sends the outbox, ends abandoned attempts, erases what grew old."""

import asyncio

from bff.adapters.clients import Clients, open_clients
from bff.adapters.lineages import Lineages
from bff.adapters.reaping import Reaper
from bff.adapters.reconciling import Reconciler
from bff.adapters.retention import Retention
from bff.escalations.store import OUTBOX_TABLE
from bff.settings import BffSettings
from runtime.database import Database
from runtime.outbox import CHANNEL, Relay
from runtime.pulse import Duty, run_pulse
from runtime.queue import make_celery
from runtime.refusing_start import refusing_plainly
from runtime.settings import SettingsError
from runtime.starting import start_process

_SOURCE = "bff"
_REAP_SECONDS = 5.0
_RECONCILE_SECONDS = 10.0
_RETAIN_SECONDS = 60.0


def duties(clients: Clients, *, sweeper: Database) -> tuple[Duty, ...]:
    """List what the pulse looks after."""
    relay = Relay(
        table=OUTBOX_TABLE,
        app=clients.database,
        sweeper=sweeper,
        celery=make_celery(_SOURCE, redis_url=clients.settings.redis_url),
        source=_SOURCE,
    )
    reaper = Reaper(clients, sweeper=sweeper)
    retention = Retention(clients)
    return (
        Duty(name="relay", run=relay.run, channel=CHANNEL),
        Duty(name="retain", run=retention.run, every_seconds=_RETAIN_SECONDS),
        Duty(name="drop_repeats", run=retention.drop_repeats, every_seconds=_RETAIN_SECONDS),
        Duty(name="lineages", run=Lineages(clients).run, every_seconds=_RETAIN_SECONDS),
        Duty(name="reconcile", run=Reconciler(clients).run, every_seconds=_RECONCILE_SECONDS),
        Duty(name="reap", run=reaper.run, every_seconds=_REAP_SECONDS),
    )


async def pulse(settings: BffSettings, *, sweeper_url: str) -> None:
    """Run the duties until told to stop."""
    sweeper = Database(sweeper_url, pool_size=2)
    try:
        async with open_clients(settings) as clients:
            await run_pulse(
                duties(clients, sweeper=sweeper),
                listen_url=settings.database_url,
                metrics_port=settings.pulse_metrics_port,
            )
    finally:
        await sweeper.close()


@refusing_plainly(_SOURCE)
def run() -> None:
    """Run the pulse of bff; leave plainly without a sweeper."""
    settings = start_process(BffSettings, service=_SOURCE)
    if settings.sweeper_database_url is None:
        raise SettingsError(("YOUJU_BFF_SWEEPER_DATABASE_URL is not set.",))
    asyncio.run(pulse(settings, sweeper_url=settings.sweeper_database_url))


if __name__ == "__main__":
    run()
