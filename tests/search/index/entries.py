"""Entries of small documents, and everything that a generation says."""

from apps.redis_kit import client
from apps.search.index import records
from apps.web.findable import Document, Field

FIELDS = {"text": Field(1)}


def entry(text: str, version: int, number: int = 7) -> records.Entry:
    return records.build(Document(number, {"text": [text]}, {"newest": version}), FIELDS, version)


def snapshot(kind: str, generation: int) -> dict[str, object]:
    """Everything that a generation says, without the counts of its writes and without words that remained."""
    redis = client.get()
    said: dict[str, object] = {}
    for key in redis.scan_iter(f"*{{{kind}}}:{generation}:*", count=1_000):
        name = key.partition(f":{generation}:")[2]
        if name.startswith("order:name"):
            # The places differ by the turn in which names came; their order says the same.
            said[name] = redis.zrange(key, 0, -1)
        elif redis.type(key) == "zset" and name not in {"vocabulary", "spellings", "stems"}:
            said[name] = redis.zrange(key, 0, -1, withscores=True)
        elif redis.type(key) == "set":
            said[name] = redis.smembers(key)
        elif name == "records":
            said[name] = redis.hgetall(key)
    return said
