"""Embeds texts in a worker: only what the tenant's cache does not hold, on all of the worker's threads."""

from collections.abc import Callable, Sequence
from typing import Final

from knowledge.ingestion import store as index_store
from knowledge.ingestion.embedding import SecondEmbedder, Vector, embedded_hash
from knowledge.tasks.bench import Bench

Embed = Callable[[Sequence[str]], list[Vector]]

_TEXTS_A_CALL: Final = 24
# A call of the second arm takes a second for so many passages, and an endpoint cuts batches of its own.
_TEXTS_A_SLOW_CALL: Final = 8
_QUESTIONS: Final = "/questions"


def first_vectors(bench: Bench, tenant: str, forms: Sequence[str]) -> dict[str, Vector]:
    """Give the first arm's vector of every string."""
    return _vectors(
        bench, tenant, forms, identity=bench.embedder.identity, embed=bench.embedder.embed, call=_TEXTS_A_CALL
    )


def second_vectors(bench: Bench, tenant: str, forms: Sequence[str], *, second: SecondEmbedder) -> dict[str, Vector]:
    """Give the second arm's vector of every passage."""
    return _vectors(bench, tenant, forms, identity=second.identity, embed=second.passages, call=_TEXTS_A_SLOW_CALL)


def question_vectors(bench: Bench, tenant: str, forms: Sequence[str], *, second: SecondEmbedder) -> dict[str, Vector]:
    """Give the second arm's vector of every string, read as a question."""
    identity = second.identity + _QUESTIONS
    return _vectors(bench, tenant, forms, identity=identity, embed=second.questions, call=_TEXTS_A_SLOW_CALL)


def _vectors(  # noqa: PLR0913 - a bench, a tenant, texts, and how they are embedded
    bench: Bench, tenant: str, forms: Sequence[str], *, identity: str, embed: Embed, call: int
) -> dict[str, Vector]:
    hashes = {form: embedded_hash(form) for form in dict.fromkeys(forms)}
    with bench.database.transaction(tenant) as connection:
        known = index_store.cached_vectors(connection, embedder=identity, hashes=list(hashes.values()))
    missing = [form for form in hashes if hashes[form] not in known]
    fresh = {hashes[form]: vector for form, vector in _embedded(bench, missing, embed, call).items()}
    with bench.database.transaction(tenant) as connection:
        index_store.cache_vectors(connection, tenant=tenant, embedder=identity, vectors=fresh)
    return {form: (known | fresh)[hashes[form]] for form in hashes}


def _embedded(bench: Bench, forms: list[str], embed: Embed, call: int) -> dict[str, Vector]:
    # Texts of one length make a batch without padding.
    ordered = sorted(forms, key=len)
    calls = [ordered[at : at + call] for at in range(0, len(ordered), call)]
    vectors = (vector for called in bench.threads.map(embed, calls) for vector in called)
    return dict(zip(ordered, vectors, strict=True))
