"""Measures what publishing again costs when little has changed: the time of every step, and what was embedded.

    python -m bench.republishing --passages 10000 --changed 0.01

A set of made-up rules is imported and published through the real worker with the built-in embedder, then again as a
whole with a share of its documents changed, then as an addition of the changed ones alone; each time until the last
sentence has its vector, which is after staging.
"""

import argparse
import asyncio
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from bench.installation import Knowledge, installation, knowledge
from bench.measures import Bar, at_most, print_bars
from knowledge.adapters.embedder import UseEmbedder
from knowledge.ingestion.embedding import Vector
from knowledge.ingestion.importing import SourceFile
from knowledge.tasks.building import advance_import
from tests.support.knowledge import policy
from youju.terminal import show_table

_TENANT: Final = "bench"
_LIMIT: Final = 0.05
_SECTIONS: Final = 5
_SENTENCES: Final = 4
# Pairs of these make words enough that two rules are not alike by accident.
_CHARACTERS: Final = "退换运费发票会员积分订单物流快递签收质量包装赠品优惠定金尾款售后维修保地址生鲜制家电图书服饰海外税延迟缺货补原路账户余额客工凭证照片期限门店"


@dataclass(slots=True)
class Counted:
    """The built-in embedder, counting what it is asked for."""

    inner: UseEmbedder = field(default_factory=UseEmbedder)
    texts: int = 0

    @property
    def identity(self) -> str:
        """Name the inner embedder."""
        return self.inner.identity

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed and count."""
        self.texts += len(texts)
        return self.inner.embed(texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one import took."""

    name: str
    seconds: float
    steps: dict[str, float]
    passages: int
    texts: int


def rules(documents: int, *, changed: int) -> Iterator[SourceFile]:
    """Make documents of five sections; the first ones read differently when they are changed."""
    for number in range(documents):
        state = random.Random(f"{number} {number < changed}")  # noqa: S311 - made-up texts
        sections = "\n\n".join(f"# {_word(state)}规则{part}\n\n{_text(state)}" for part in range(_SECTIONS))
        yield policy(f"d{number:05}", sections, title=f"规则{number}")


def _text(state: random.Random) -> str:
    return "".join(
        f"{''.join(_word(state) for _ in range(8))}，须在{state.randint(1, 90)}天内办理。" for _ in range(_SENTENCES)
    )


def _word(state: random.Random) -> str:
    return "".join(state.sample(_CHARACTERS, 2))


async def run(held: Knowledge, counted: Counted, name: str, files: Sequence[SourceFile], *, additive: bool) -> Run:
    """Take an import to its end and publish it; say what each step took."""
    before, begun = counted.texts, time.perf_counter()
    import_id = await held.importer.begin(_TENANT, files, additive=additive)
    steps: dict[str, float] = defaultdict(float)
    steps["SEND"] = time.perf_counter() - begun
    more = True
    while more:
        step, at = held.importer.step_of(_TENANT, import_id), time.perf_counter()
        more = await asyncio.to_thread(advance_import, held.importer.bench, tenant=_TENANT, import_id=import_id)
        steps[step] += time.perf_counter() - at
    at = time.perf_counter()
    await held.importer.embed_all_sentences(_TENANT, import_id)
    steps["SENTENCES"] = time.perf_counter() - at
    await held.importer.publish_staged(_TENANT, import_id)
    progress = await held.importer.progress(_TENANT, import_id)
    return Run(
        name=name,
        seconds=time.perf_counter() - begun,
        steps=dict(steps),
        passages=progress.passages,
        texts=counted.texts - before,
    )


async def measure(passages: int, share: float) -> list[Run]:
    """Import, import again with a share changed, and add the changed ones alone."""
    documents = max(passages // _SECTIONS, 1)
    changed = max(round(documents * share), 1)
    counted = Counted()
    counted.inner.load()
    with installation() as installed:
        async with knowledge(installed.urls, counted) as held:
            first = await run(held, counted, "first build", list(rules(documents, changed=0)), additive=False)
            again = await run(held, counted, "again, whole", list(rules(documents, changed=changed)), additive=False)
            twice = list(rules(documents, changed=2 * changed))[changed : 2 * changed]
            added = await run(held, counted, "added alone", twice, additive=True)
    return [first, again, added]


def show(runs: Sequence[Run]) -> None:
    """Print the runs side by side, each step's share of the first build."""
    names = list(dict.fromkeys(step for each in runs for step in each.steps))
    whole = runs[0].seconds
    head = ("", *(each.name for each in runs))
    rows = [("seconds", *(f"{each.seconds:.2f}" for each in runs))]
    rows.append(("share of the first", *(f"{each.seconds / whole:.1%}" for each in runs)))
    rows.append(("passages", *(str(each.passages) for each in runs)))
    rows.append(("texts embedded", *(str(each.texts) for each in runs)))
    rows += [(step, *(f"{each.steps.get(step, 0.0):.2f}" for each in runs)) for step in names]
    show_table([head, *rows])


def bars_of(runs: Sequence[Run]) -> list[Bar]:
    """Ask both ways of publishing again to cost what has changed."""
    first, *later = runs
    shares = [
        at_most(f"seconds, {each.name}: share of the first build", each.seconds / first.seconds, _LIMIT)
        for each in later
    ]
    return [
        *shares,
        *(at_most(f"texts embedded, {each.name}: share", each.texts / first.texts, _LIMIT) for each in later),
    ]


def main() -> None:
    """Measure and print; end with 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--changed", type=float, default=0.01, help="the share of documents that change")
    given = parser.parse_args()
    runs = asyncio.run(measure(given.passages, given.changed))
    show(runs)
    sys.exit(0 if print_bars(bars_of(runs)) else 1)


if __name__ == "__main__":
    main()
