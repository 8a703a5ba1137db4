"""Time and tries keep out of each other's way."""

import threading
from pathlib import Path

from tests.faults.fence import Fence


def test_no_time_passes_while_somebody_is_inside(tmp_path: Path) -> None:
    fence = Fence(tmp_path / "tries")

    def step() -> bool:
        with fence.alone(patience_seconds=0) as is_quiet:
            return is_quiet

    assert fence.inside(step)() is False
    assert step() is True


def test_two_may_be_inside_at_once(tmp_path: Path) -> None:
    fence = Fence(tmp_path / "tries")
    both = threading.Barrier(2)
    others = [threading.Thread(target=fence.inside(lambda: both.wait(60))) for _ in range(2)]

    for other in others:
        other.start()
    for other in others:
        other.join()

    assert not both.broken


def test_whoever_comes_while_time_passes_waits(tmp_path: Path) -> None:
    fence = Fence(tmp_path / "tries")
    heard: list[str] = []
    late = threading.Thread(target=fence.inside(lambda: heard.append("tried")))

    with fence.alone(patience_seconds=0) as is_quiet:
        late.start()
        heard.append("time passed")
    late.join()

    assert is_quiet
    assert heard == ["time passed", "tried"]
