"""Write down what runs, for the other commands and for the run after a crash."""

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError


class RunningPart(BaseModel):
    """One process as the supervisor sees it."""

    model_config = ConfigDict(frozen=True)

    name: str
    pid: int
    mark: str
    restarts: int


class State(BaseModel):
    """What one supervisor says about its installation. `environment` holds only what we set ourselves."""

    model_config = ConfigDict(frozen=True)

    supervisor: int
    ready: bool
    sockets: Path
    environment: dict[str, str]
    parts: tuple[RunningPart, ...]
    gave_up: str | None = None

    def says_ready(self, supervisor: int) -> bool:
        """Say whether this supervisor is ready; a killed one leaves a state that the next has yet to replace."""
        return self.ready and self.supervisor == supervisor


def write_state(file: Path, state: State) -> None:
    """Replace the state at once, readable by its owner only."""
    draft = file.with_suffix(".new")
    draft.write_text(state.model_dump_json(indent=1))
    draft.chmod(0o600)
    draft.replace(file)


def read_state(file: Path) -> State | None:
    """Read the last state; None when there is none or it is not readable."""
    try:
        return State.model_validate(json.loads(file.read_text()))
    except (OSError, ValueError, ValidationError):
        return None
