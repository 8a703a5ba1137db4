"""Hold the metadata that all tables of knowledge belong to."""

from typing import Final

from runtime.database import new_metadata

metadata: Final = new_metadata()
