"""Look before starting whether there is room and the ports are free."""

import errno
import shutil
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from youju.environment import port_of
from youju.table import DEFAULT_PORTS
from youju.trouble import Trouble

_MEBIBYTE: Final = 1 << 20
# An empty cluster, its write-ahead log and the logs take about this much.
ROOM_MEBIBYTES: Final = 300


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def check_room(folder: Path, free_bytes: Callable[[Path], int] = _free_bytes) -> None:
    """Refuse to start on a disk that is all but full.

    Errors: Trouble with what is free and what is needed.
    """
    free = free_bytes(folder) // _MEBIBYTE
    if free < ROOM_MEBIBYTES:
        raise Trouble(
            f"The disk is full: {free} MB are free for {folder}, {ROOM_MEBIBYTES} MB are needed; make room and try again."
        )


def check_ports(given: Mapping[str, str]) -> None:
    """Refuse to start when a port is taken.

    Errors: Trouble naming the port and the setting that changes it.
    """
    for setting in DEFAULT_PORTS:
        port = port_of(setting, given)
        if not is_free(port):
            raise Trouble(
                f"Port {port} is in use by another program: stop that program, or choose another port "
                f"with {setting}, for example `{setting}={port + 100} make up`."
            )


def is_free(port: int) -> bool:
    """Say whether we could listen on a local port.

    Errors: Trouble when we may not use that port at all.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError as refused:
            raise Trouble(f"Port {port} may be used by root only: choose one above 1023.") from refused
        except OSError as taken:
            if taken.errno != errno.EADDRINUSE:
                raise
            return False
    return True
