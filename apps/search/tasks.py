"""Celery tasks of search."""

from celery import shared_task

from apps.search.index import draining, rebuilding
from apps.search.query import filtering
from apps.search.suggest import indexing
from apps.search.suggest.sources import SOURCES
from apps.web.findable import KINDS

#: A million documents take a quarter of an hour. Past the broker's patience a second worker gets the task,
#: which ends at once: the first one has the lock of the kind.
REBUILD_SECONDS = 6 * 3_600


@shared_task(name="search.index")
def index() -> int:
    """Bring what changed into the index."""
    return draining.index_waiting()


@shared_task(name="search.sweep")
def sweep() -> int:
    """Every few seconds: index changes that no task brought over, and rebuild what Redis lost.

    What is over, such as a sale, is taken out, and the shops are listed that are open in the next minute.
    """
    rebuilding.rebuild_missing()
    draining.remove_past()
    filtering.prepare_open()
    return draining.index_waiting()


@shared_task(name="search.rebuild")
def rebuild() -> None:
    """At night: have every index filled anew, whatever became of its lists."""
    for kind, _ in KINDS.items():
        rebuild_documents.delay(kind)
    for kind in SOURCES:
        rebuild_name_index.delay(kind)


@shared_task(name="search.rebuild_documents", time_limit=REBUILD_SECONDS, soft_time_limit=REBUILD_SECONDS)
def rebuild_documents(kind: str) -> int:
    """Fill a new generation of a kind; returns its number of documents."""
    return rebuilding.rebuild_kind(kind)


@shared_task(name="search.rebuild_name_index", time_limit=REBUILD_SECONDS, soft_time_limit=REBUILD_SECONDS)
def rebuild_name_index(kind: str) -> int:
    """Fill the index of a kind of names anew; returns its number of rows."""
    return indexing.rebuild_kind(kind)
