"""Say what a check found."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One line of `youju doctor`. `remedy` is empty exactly when all is well."""

    subject: str
    text: str
    remedy: str = ""

    @property
    def is_well(self) -> bool:
        """Say whether nothing has to be done."""
        return not self.remedy
