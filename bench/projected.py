"""A second arm for large corpora: it costs a question what E5 costs, but its vectors come from the first arm's."""

from collections.abc import Sequence

import numpy as np

from knowledge.ingestion.embedding import Embedder, SecondEmbedder, Vector


class ProjectedSecond:
    """Fulfils `SecondEmbedder`. Hundreds of thousands of passages would take E5 hours, and only time is measured here."""

    def __init__(self, first: Embedder, model: SecondEmbedder, dimension_of_first: int = 512) -> None:
        """Take the arm whose vectors are projected and the model that a question has to wait for."""
        self._first = first
        self._model = model
        shape = (dimension_of_first, model.dimension)
        self._projection = np.random.default_rng(384).standard_normal(shape, dtype=np.float32)
        self.identity = model.identity
        self.dimension = model.dimension
        self.is_remote = False
        self._prepared: dict[str, Vector] = {}

    def prepare(self, texts: Sequence[str]) -> None:
        """Project questions beforehand, so that whoever asks one waits for the model alone."""
        self._prepared |= {text: vector for text in texts for vector in self.passages([text])}

    def questions(self, texts: Sequence[str]) -> list[Vector]:
        """Wait for the model, then give what can be compared with the passages."""
        self._model.questions(texts)
        return [self._prepared[text] if text in self._prepared else self.passages([text])[0] for text in texts]

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Project the first arm's vectors. Shapes: one float32 vector of length one a text."""
        if not texts:
            return []
        projected = np.stack(self._first.embed(texts)) @ self._projection
        return list(np.asarray(projected / np.linalg.norm(projected, axis=1, keepdims=True), dtype=np.float32))
