"""The supervisor starts parts, keeps them alive, gives up in one sentence, and leaves nothing behind."""

import os
import signal

import pytest

from tests.support.fake_installation import FakeInstallation, events_of
from youju.child import Child
from youju.lock import running_supervisor, take_lock
from youju.processes import is_alive, wait_until
from youju.supervisor import stop_all
from youju.table import Part
from youju.trouble import Trouble

pytestmark = pytest.mark.journey


def test_a_start_reports_its_steps_and_then_that_all_is_ready(installation: FakeInstallation) -> None:
    events = events_of(installation.start("api", "worker"))

    assert [event.text for event in events if event.kind == "done"] == ["Migrations", "Services, workers and clocks"]
    assert events[-1].kind == "ready"
    assert [part.name for part in installation.state().parts] == ["api", "worker"]
    assert installation.state().ready


def test_a_stop_ends_every_part(installation: FakeInstallation) -> None:
    process = installation.start("api", "worker")
    events_of(process)
    pids = [part.pid for part in installation.state().parts]

    process.terminate()
    status = process.wait(timeout=60)

    assert status == 0
    assert not any(is_alive(pid) for pid in pids)
    assert not installation.state().ready
    assert not installation.state().sockets.exists()


def test_a_part_that_was_killed_is_started_again(installation: FakeInstallation) -> None:
    events_of(installation.start("worker"))
    before = installation.state().parts[0].pid

    os.kill(before, signal.SIGKILL)

    assert wait_until(lambda: installation.state().parts[0].pid not in {before, 0}, seconds=60)
    assert installation.state().parts[0].restarts == 1


def test_a_part_that_keeps_dying_stops_the_start_with_its_last_lines(installation: FakeInstallation) -> None:
    process = installation.start("worker", "dying")

    trouble = events_of(process)[-1]

    assert trouble.kind == "trouble"
    assert trouble.text.startswith("dying keeps ending before it can work")
    assert "the made-up setting is missing" in trouble.details
    assert process.wait(timeout=60) == 1
    assert installation.state().gave_up == "\n".join((trouble.text, *trouble.details))
    assert all(part.pid == 0 for part in installation.state().parts)


def test_a_part_that_refuses_its_settings_stops_the_start_at_once(installation: FakeInstallation) -> None:
    process = installation.start("worker", "refusing")

    trouble = events_of(process)[-1]

    assert trouble.text.startswith("refusing refuses to start with these settings")
    assert trouble.details == ("the made-up setting is not valid",)
    assert process.wait(timeout=60) == 1


def test_failing_migrations_stop_the_start_with_their_last_lines(installation: FakeInstallation) -> None:
    trouble = events_of(installation.start("worker", migrations="failing_migrations"))[-1]

    assert trouble.kind == "trouble"
    assert "migrations" in trouble.text
    assert trouble.details == ("relation is missing",)


def test_a_disk_that_fills_up_during_the_start_is_said(installation: FakeInstallation) -> None:
    installation.home.prepare()
    installation.home.state.with_suffix(".new").symlink_to("/dev/full")

    trouble = events_of(installation.start("worker"))[-1]

    assert trouble.kind == "trouble"
    assert trouble.text.startswith("The disk is full: nothing more can be written")


def test_a_start_after_the_supervisor_was_killed_ends_what_it_left(installation: FakeInstallation) -> None:
    killed = installation.start("api", "worker")
    events_of(killed)
    orphans = [part.pid for part in installation.state().parts]
    killed.kill()
    killed.wait()

    events = events_of(installation.start("api", "worker"))

    assert events[-1].kind == "ready"
    assert events[0].text == "Ending what an earlier run left behind"
    assert not any(is_alive(pid) for pid in orphans)


def test_a_second_supervisor_is_refused_while_the_first_runs(installation: FakeInstallation) -> None:
    first = installation.start("worker")
    events_of(first)

    second = events_of(installation.start("worker"))

    assert second[-1].text == f"Youju is running already (process {first.pid})."
    assert running_supervisor(installation.home) == first.pid
    with pytest.raises(Trouble, match="running already"):
        take_lock(installation.home)


def test_a_start_can_be_stopped_half_way(installation: FakeInstallation) -> None:
    process = installation.start("worker", "dying")
    assert wait_until(lambda: installation.home.ready.joinpath("worker").exists(), seconds=60)

    process.terminate()

    assert process.wait(timeout=60) in {0, 1}
    assert all(part.pid == 0 for part in installation.state().parts)


def test_a_part_that_does_not_listen_is_ended(installation: FakeInstallation) -> None:
    installation.home.prepare()
    deaf = Child(Part("deaf", "fake_deaf"), installation.home, installation.environment)
    deaf.start()
    assert wait_until(deaf.is_ready, seconds=60)

    stop_all([deaf], patience_seconds=0.2)

    assert not deaf.is_running()
