"""Say in one sentence why a command cannot go on."""


class Trouble(Exception):  # noqa: N818  # it is read by people in a terminal, where "error" adds nothing
    """Something the person at the terminal can set right; the text is the whole message."""

    def __init__(self, sentence: str, *, details: tuple[str, ...] = ()) -> None:
        """Keep the sentence, and the lines of a log that explain it."""
        super().__init__(sentence)
        self.sentence = sentence
        self.details = details
