"""Take an import to its end in a process of its own, the way the worker of knowledge does.

python -m bench.importing_worker DATABASE_URL TENANT IMPORT_ID
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from bench.installation import make_bench
from knowledge.adapters.embedder import UseEmbedder
from knowledge.tasks.building import advance_import
from runtime.database import SyncDatabase

_LOW_PRIORITY = 10


def main() -> None:
    """Take one step after the other until none follows."""
    url, tenant, import_id = sys.argv[1:4]
    os.nice(_LOW_PRIORITY)
    database = SyncDatabase(url, pool_size=4)
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        bench = make_bench(database, threads, embedder=UseEmbedder(), second=None)
        while advance_import(bench, tenant=tenant, import_id=UUID(import_id)):
            pass
    database.close()


if __name__ == "__main__":
    main()
