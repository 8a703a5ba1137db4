"""Embeds texts in a worker: only what the tenant's cache does not hold, on all of the worker's threads."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final
from uuid import UUID

from knowledge.ingestion import store as index_store
from knowledge.ingestion.embedding import SecondEmbedder, Vector, embedded_hash
from knowledge.tasks.bench import Bench

Embed = Callable[[Sequence[str]], list[Vector]]

_TEXTS_A_CALL: Final = 24
# A thread that embeds gives the interpreter away for every product of matrices, some hundred times a call, and has to wait
# for it beside one that cuts texts: with Python's usual five milliseconds it reaches a tenth of its pace, so half of it.
_TURN_SECONDS: Final = 0.0001
# A call of the second arm takes a second for so many passages, and an endpoint cuts batches of its own.
_TEXTS_A_SLOW_CALL: Final = 8
_QUESTIONS: Final = "/questions"


def shorten_turns() -> None:
    """Let the threads of this process take the interpreter from each other soon. Repeat: nothing happens."""
    sys.setswitchinterval(_TURN_SECONDS)


def first_vectors(bench: Bench, tenant: str, forms: Sequence[str]) -> dict[str, Vector]:
    """Give the first arm's vector of every string."""
    return _vectors(
        bench, tenant, forms, identity=bench.embedder.identity, embed=bench.embedder.embed, call=_TEXTS_A_CALL
    )


def begin_vectors(bench: Bench, tenant: str, import_id: UUID, forms: Iterable[str]) -> None:
    """Let the threads embed what `first_vectors_by_batch` will ask for, unless they have begun or the cache holds it.

    No more forms are taken than there is room for.
    """
    room = bench.ahead.room(import_id)
    named = {embedded_hash(form): form for form in islice(forms, room)}
    hashes = {each: named[each] for each in bench.ahead.lacking(import_id, named)}
    if not hashes:
        return
    with bench.database.transaction(tenant) as connection:
        known = index_store.cached_hashes(connection, embedder=bench.embedder.identity, hashes=list(hashes))
    missing = sorted(hashes.keys() - known, key=lambda each: (len(hashes[each]), each))
    for at in range(0, len(missing), _TEXTS_A_CALL):
        called = missing[at : at + _TEXTS_A_CALL]
        embedding = bench.threads.submit(bench.embedder.embed, [hashes[each] for each in called])
        bench.ahead.put(import_id, called, embedding)


def first_vectors_by_batch(
    bench: Bench, tenant: str, import_id: UUID, forms: Mapping[UUID, str], *, batch: int
) -> Iterator[dict[UUID, Vector]]:
    """Give the first arm's vectors of an import's passages as they come, so many at a time, the shortest first.

    What the cache does not hold is embedded by the threads while the receiver works with the batch before.
    """
    identity = bench.embedder.identity
    ordered = sorted(forms, key=lambda passage_id: len(forms[passage_id]))
    hashes = {form: embedded_hash(form) for form in dict.fromkeys(forms[each] for each in ordered)}
    with bench.database.transaction(tenant) as connection:
        known = index_store.cached_vectors(connection, embedder=identity, hashes=list(hashes.values()))
    begun = bench.ahead.take(import_id, hashes.values())
    missing = [form for form, named in hashes.items() if named not in known and named not in begun]
    coming = _coming(bench, missing, bench.embedder.embed, _TEXTS_A_CALL)
    for at in range(0, len(ordered), batch):
        taken = ordered[at : at + batch]
        lacking = dict.fromkeys(hashes[forms[each]] for each in taken if hashes[forms[each]] not in known)
        fresh = {named: begun[named][0].result()[begun[named][1]] for named in lacking if named in begun}
        fresh |= {hashes[form]: vector for form, vector in islice(coming, len(lacking) - len(fresh))}
        known |= fresh
        with bench.database.transaction(tenant) as connection:
            index_store.cache_vectors(connection, tenant=tenant, embedder=identity, vectors=fresh)
        yield {each: known[hashes[forms[each]]] for each in taken}


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
    return dict(_coming(bench, sorted(forms, key=len), embed, call))


def _coming(bench: Bench, forms: Sequence[str], embed: Embed, call: int) -> Iterator[tuple[str, Vector]]:
    """Give texts with their vectors in their order; the threads begin at once and do not wait for the receiver."""
    calls = [forms[at : at + call] for at in range(0, len(forms), call)]
    vectors = (vector for called in bench.threads.map(embed, calls) for vector in called)
    return zip(forms, vectors, strict=True)
