"""The TypeScript client against the running system."""

import subprocess
import sys

import pytest

from tests.support.system import System
from youju.home import CHECKOUT

pytestmark = pytest.mark.journey


def test_the_typescript_client_speaks_with_the_running_system(system: System) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "youju.npm", "run", "test:service"],
        env={**system.environment, "YOUJU_BFF_URL": system.bff},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )

    assert run.returncode == 0, run.stdout + run.stderr
