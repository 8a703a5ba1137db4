"""List the keys of this installation, and let new ones take their place."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final

import typer

from runtime.clock import utc_now
from runtime.tokens import made_at, private_file, public_file, read_keys, revoke_others, rotate
from youju.home import find_home
from youju.keys import NAMES
from youju.settings import settings_of
from youju.terminal import TICK
from youju.trouble import Trouble

keys = typer.Typer(help="List and rotate the keys that sign tokens.", no_args_is_help=True)

# How long a token of each kind lives at most, with room for clocks that disagree.
_LONGEST_LIVES: Final = {
    "service": timedelta(minutes=2),
    "guest": timedelta(hours=24, minutes=1),
    "staff": timedelta(hours=24, minutes=1),
}


@keys.command("list")
def list_() -> None:
    """List the keys: the last of each kind signs, all of them verify."""
    folder = _folder()
    for name in NAMES:
        found = list(_known(folder, name))
        for key_id in found:
            does = "signs" if key_id == found[-1] else "verifies"
            print(f"  {name:<8} {key_id}  {made_at(key_id):%Y-%m-%d %H:%M} UTC  {does}")


@keys.command("rotate")
def rotate_(
    name: Annotated[str, typer.Argument(help="service, staff or guest.")],
    *,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="End every earlier token at once: the old key is known to others.")
    ] = False,
) -> None:
    """Let a new key sign from now on. Running processes notice by themselves; no request fails.

    Earlier keys verify until the last token they signed has expired, and are dropped by a later rotation.
    """
    folder = _folder()
    _known(folder, name)
    pair = private_file(folder, name), public_file(folder, name)
    key_id = revoke_others(*pair) if revoke else rotate(*pair, now=utc_now(), longest_life=_LONGEST_LIVES[name])
    count = len(read_keys(pair[1]).verifying)
    print(f"  {TICK} {name} tokens are signed with {key_id}; {count} key{'s' * (count != 1)} verify them.")


def _folder() -> Path:
    return Path(settings_of(find_home())["YOUJU_KEYS_DIRECTORY"])


def _known(folder: Path, name: str) -> tuple[str, ...]:
    if name not in NAMES:
        raise Trouble(f"{name} is no kind of key; there are {', '.join(NAMES)}.")
    try:
        return tuple(read_keys(private_file(folder, name)).verifying)
    except ValueError as missing:
        raise Trouble(f"There is no {name} key in {folder} yet; `make up` makes it.") from missing
