"""What a supervisor wrote down speaks for that supervisor alone."""

from pathlib import Path

import pytest

from youju.state import State, read_state, write_state

pytestmark = pytest.mark.unit


def test_the_state_of_a_killed_supervisor_does_not_make_the_next_one_ready(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    write_state(file, State(supervisor=100, ready=True, sockets=tmp_path, environment={}, parts=()))

    state = read_state(file)

    assert state is not None
    assert state.says_ready(100)
    assert not state.says_ready(101)
