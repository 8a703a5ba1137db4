"""Rank passages with one peer and its own defaults. `bench.peers` runs it in the peers' virtual environment.

    python peer_rankings.py haystack FOLDER

FOLDER holds `passages.jsonl` and `questions.jsonl` with `id` and `text`; `rankings.jsonl` is written beside them, one
line a question with the ids of the best passages and the milliseconds they took. Only the standard library and the
peer itself are used, so that nothing of ours takes part.
"""

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

DEPTH = 10

Search = Callable[[str], list[str]]
Texts = dict[str, str]


def main() -> None:
    """Index the passages, ask every question, write the rankings."""
    peer, folder = sys.argv[1], Path(sys.argv[2])
    search = PEERS[peer](_read(folder / "passages.jsonl"))
    with (folder / "rankings.jsonl").open("w", encoding="utf-8") as output:
        for question_id, text in _read(folder / "questions.jsonl").items():
            started = time.perf_counter()
            ranking = search(text)
            milliseconds = (time.perf_counter() - started) * 1000
            row = {"id": question_id, "ranking": ranking[:DEPTH], "milliseconds": milliseconds}
            output.write(json.dumps(row) + "\n")


# The peers come by name: each one is loaded only in its own run, and the checks of this repository do not know them.
def _haystack(passages: Texts) -> Search:
    store = import_module("haystack.document_stores.in_memory").InMemoryDocumentStore()
    document = import_module("haystack").Document
    store.write_documents([document(id=key, content=text) for key, text in passages.items()])
    retriever = import_module("haystack.components.retrievers.in_memory").InMemoryBM25Retriever(store, top_k=DEPTH)
    return lambda question: [str(each.id) for each in retriever.run(query=question)["documents"]]


def _llama_index(passages: Texts) -> Search:
    node = import_module("llama_index.core.schema").TextNode
    nodes = [node(id_=key, text=text) for key, text in passages.items()]
    retriever_class = import_module("llama_index.retrievers.bm25").BM25Retriever
    retriever = retriever_class.from_defaults(nodes=nodes, similarity_top_k=min(DEPTH, len(nodes)))
    return lambda question: [str(each.node.node_id) for each in retriever.retrieve(question)]


def _langchain(passages: Texts) -> Search:
    document = import_module("langchain_core.documents").Document
    documents = [document(id=key, page_content=text) for key, text in passages.items()]
    retriever = import_module("langchain_community.retrievers").BM25Retriever.from_documents(documents, k=DEPTH)
    return lambda question: [str(each.id) for each in retriever.invoke(question)]


def _txtai(passages: Texts) -> Search:
    index = import_module("txtai.embeddings").Embeddings(keyword=True)
    index.index(passages.items())
    return lambda question: [str(key) for key, _ in index.search(question, DEPTH)]


PEERS: dict[str, Callable[[Texts], Search]] = {
    "haystack": _haystack,
    "llama-index": _llama_index,
    "langchain": _langchain,
    "txtai": _txtai,
}


def _read(file: Path) -> Texts:
    rows = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    return {row["id"]: row["text"] for row in rows}


if __name__ == "__main__":
    main()
