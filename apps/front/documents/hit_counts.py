"""How many readers found a ready document, in Redis with the hits of all caches (/admin/redis/)."""

from collections.abc import Mapping

from apps.redis_kit import client, keys, transport

#: The documents' name among the caches.
NAME = "documents"


def add(outcomes: Mapping[str, int]) -> None:
    """Add to the counts of all processes: readers by outcome; without Redis they are lost."""
    counts = keys.CACHE_COUNTS(cache=NAME)
    try:
        transport.execute_many(
            client.get(), [("HINCRBY", counts, outcome, times) for outcome, times in outcomes.items()]
        )
    except client.UNAVAILABLE:
        return
