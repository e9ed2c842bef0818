"""Celery tasks of search."""

from celery import shared_task

from apps.search.index import draining, rebuilding


@shared_task(name="search.index")
def index() -> int:
    """Bring what changed into the index."""
    return draining.index_waiting()


@shared_task(name="search.sweep")
def sweep() -> int:
    """Every few seconds: index changes that no task brought over, and rebuild what Redis lost.

    What is over, such as a sale, is taken out.
    """
    rebuilding.rebuild_missing()
    draining.remove_past()
    return draining.index_waiting()
