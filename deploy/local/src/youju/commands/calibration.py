"""Fit the evidence of a tenant to labelled questions."""

from pathlib import Path
from typing import Annotated

import typer

from youju.calibrating import Calibrated, calibrate, read_labelled
from youju.commands.knowledge import TenantOption
from youju.home import find_home
from youju.importing import staff
from youju.settings import settings_of
from youju.tenants import DEMO, of_tenant
from youju.terminal import TICK


def calibrate_(
    labelled: Annotated[
        Path, typer.Argument(metavar="LABELLED.jsonl", help='Lines such as {"question": "…", "answerable": true}.')
    ],
    *,
    most_wrong: Annotated[
        float, typer.Option(help="The share of unanswerable questions that may be answered.", min=0.01, max=0.99)
    ] = 0.15,
    tenant: TenantOption = DEMO,
) -> None:
    """Learn from 50 to 100 labelled questions how strong evidence has to be, and stage a version that knows it."""
    questions = read_labelled(labelled)
    with staff(settings_of(find_home()), tenant, roles=("publisher",)) as client:
        found = calibrate(client, questions, most_wrong=most_wrong)
    _show(found)
    print(
        f"  {TICK} Version {found.version} is version {found.calibrated_from} with this calibration;"
        f" `youju publish {found.version}{of_tenant(tenant)}` puts it in force."
    )


def _show(found: Calibrated) -> None:
    print("  chance said    questions  said on average  answerable")
    for each in found.reliability:
        print(f"  {each.lowest:.1f} to {each.highest:.1f} {each.questions:>13} {each.said:>16.2f} {each.was:>11.2f}")
    print("                          before  after (questions left out of the fit)")
    rows = (
        ("answered", found.answered_before, found.answered_after),
        ("wrong answers", found.wrong_before, found.wrong_after),
        ("needless refusals", found.needless_before, found.needless_after),
    )
    for name, before, after in rows:
        print(f"  {name:<22} {before:>6.0%} {after:>6.0%}")
