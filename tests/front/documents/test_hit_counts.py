"""The hit rate of documents is a metric like that of caches."""

import asyncio

from apps.front.documents.route import CACHE_NAME, DocumentRoute
from apps.monitoring import memory
from tests.front.documents.site import age, fetch


async def test_readers_are_counted_with_those_of_caches(documents: DocumentRoute) -> None:
    await asyncio.gather(*(fetch(documents) for _ in range(99)))
    age(documents, 2)
    documents._counts_due = 0
    await fetch(documents)
    documents._renderer._threads.shutdown(wait=True)
    (stats,) = await asyncio.to_thread(lambda: memory.read_cache_stats(memory.newest_report(fresh=True)))
    assert (stats.name, stats.hit_percent) == (CACHE_NAME, 99)
