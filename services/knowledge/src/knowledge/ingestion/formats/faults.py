"""What keeps a file from being read."""

from knowledge.ingestion.problems import ProblemCode


class UnreadableFileError(Exception):
    """A file gives no text. The sentence says why and is shown to its owner."""

    def __init__(self, code: ProblemCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
