"""Find Chromium for the browser tests; `python -m tests.support.chromium` installs one when there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium_on_path() -> Path | None:
    """Return the Chromium of this machine, or None."""
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    return None


def find_chromium() -> Path | None:
    """Return a Chromium: the machine's own, else the one playwright installed, else None."""
    own = chromium_on_path()
    if own is not None:
        return own
    with sync_playwright() as playwright:
        installed = Path(playwright.chromium.executable_path)
    return installed if installed.exists() else None


def install_chromium() -> None:
    """Install Chromium the way this machine allows: as a Debian package by root, else through playwright."""
    apt = shutil.which("apt-get")
    if apt is not None and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run([apt, "update", "-qq"], check=False, env=quiet)
        subprocess.run([apt, "install", "-y", "-qq", "chromium"], check=False, env=quiet, stdout=subprocess.DEVNULL)
    if find_chromium() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def main() -> int:
    """Make sure that there is a Chromium, and say which."""
    if find_chromium() is None:
        install_chromium()
    found = find_chromium()
    if found is None:
        print(
            "✗ The browser tests need Chromium and it could not be installed: install it, then try again.",
            file=sys.stderr,
        )
        return 1
    print(f"  ✓ Chromium: {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
