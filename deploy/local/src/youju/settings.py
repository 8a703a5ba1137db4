"""Know the settings that the running installation was started with."""

import os
from collections.abc import Mapping

from youju.environment import base_environment
from youju.home import Home
from youju.state import read_state


def settings_of(home: Home) -> Mapping[str, str]:
    """Return what the last start used, with the present environment on top."""
    state = read_state(home.state)
    remembered = state.environment if state is not None else {}
    return base_environment(home, {**remembered, **os.environ})
