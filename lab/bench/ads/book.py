"""The book's way to choose an ad, by unions and intersections of sets (Redis in Action, chapter 7.3)."""

from collections.abc import Mapping, Sequence
from typing import cast
from uuid import uuid4

from redis.client import Pipeline

from apps.ads.learning.prices import Record
from apps.redis_kit import client

PREFIX = "book:"
VALUES = PREFIX + "value"
TEMPORARY_SECONDS = 3


def load(records: Mapping[int, Record]) -> None:
    """Index ads as the book does: a set a place, a ZSET of bonuses a word, a ZSET of all eCPMs."""
    with client.get().pipeline(transaction=False) as pipe:
        for number, record in records.items():
            for place in record.places:
                pipe.sadd(f"{PREFIX}req:{place}", number)
            for word, bonus in record.words.items():
                pipe.zadd(f"{PREFIX}word:{word}", {str(number): bonus})
            pipe.zadd(VALUES, {str(number): record.ecpm})
            if number % 5_000 == 0:
                pipe.execute()
        pipe.execute()


def choose(words: Sequence[str], places: Sequence[str]) -> tuple[str, float] | None:
    """The best ad and its value, in one transaction."""
    with client.get().pipeline(transaction=True) as pipe:
        matched = _store(pipe, "ZUNIONSTORE", {f"{PREFIX}req:{place}": 1 for place in places})
        value = _store(pipe, "ZINTERSTORE", {matched: 0, VALUES: 1})
        bonuses = {
            _store(pipe, "ZINTERSTORE", {matched: 0, f"{PREFIX}word:{word}": 1}): 1.0 for word in words
        }
        if bonuses:
            least = _store(pipe, "ZUNIONSTORE", bonuses, "MIN")
            most = _store(pipe, "ZUNIONSTORE", bonuses, "MAX")
            value = _store(pipe, "ZUNIONSTORE", {value: 1, least: 0.5, most: 0.5})
        pipe.zrevrange(value, 0, 0, withscores=True)
        found = cast(list[tuple[str, float]], pipe.execute()[-1])
    return found[0] if found else None


def _store(pipe: Pipeline, command: str, weights: Mapping[str, float], aggregate: str = "SUM") -> str:
    target = f"{PREFIX}tmp:{uuid4()}"
    parts = [command, target, len(weights), *weights, "WEIGHTS", *weights.values(), "AGGREGATE", aggregate]
    pipe.execute_command(*parts)
    pipe.expire(target, TEMPORARY_SECONDS)
    return target
