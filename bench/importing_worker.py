"""Take an import to its end in a process of its own, and its sentences after it, the way the worker of knowledge does.

python -m bench.importing_worker DATABASE_URL TENANT IMPORT_ID
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from sqlalchemy import text

from bench.installation import make_bench
from knowledge.adapters.embedder import UseEmbedder
from knowledge.tasks.building import advance_import
from knowledge.tasks.sentences import embed_sentences
from runtime.database import SyncDatabase

_LOW_PRIORITY = 10
_PENDING = text("SELECT version FROM sentence_backlog")


def main() -> None:
    """Take one step after the other until none follows."""
    url, tenant, import_id = sys.argv[1:4]
    os.nice(_LOW_PRIORITY)
    database = SyncDatabase(url, pool_size=4)
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        bench = make_bench(database, threads, embedder=UseEmbedder(), second=None)
        while advance_import(bench, tenant=tenant, import_id=UUID(import_id)):
            pass
        with database.transaction(tenant) as connection:
            versions = connection.execute(_PENDING).scalars().all()
        for version in versions:
            while embed_sentences(bench, tenant=tenant, version=version):
                pass
    database.close()


if __name__ == "__main__":
    main()
