"""Entries of small documents, everything that a generation says, and what a rebuild would say instead."""

from apps.redis_kit import client
from apps.search import keys
from apps.search.index import draining, generations, records
from apps.web.findable import KINDS, Document, Field, Kind

FIELDS = {"text": Field(1)}


def entry(text: str, version: int, number: int = 7) -> records.Entry:
    return records.build_entry(Document(number, {"text": [text]}, {"newest": version}), FIELDS, version)


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


def list_stale_keys() -> list[str]:
    """Names of keys of the live generations that say something else than those of a new one would."""
    return [f"{kind.name} {name}" for kind in KINDS.entries() for name in _list_stale_keys(kind)]


def _list_stale_keys(kind: Kind) -> list[str]:
    generation = generations.live(kind.name)
    assert generation, f"{kind.name} has no index"
    actual = snapshot(kind.name, generation)
    average = client.get().hget(keys.STATS(kind=kind.name, generation=generation), "average")
    again = generations.begin(kind.name, float(str(average)))
    ids = [number for some in kind.pk_chunks() for number in some]
    draining.put_versions(kind.name, draining.read_versions(kind.name, ids))
    expected = snapshot(kind.name, again)
    client.get().delete(keys.BUILDING(kind=kind.name))
    generations.expire(kind.name, again)
    return sorted(name for name in actual.keys() | expected.keys() if actual.get(name) != expected.get(name))
