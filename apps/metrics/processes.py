"""The processes that measure themselves, with the use of their Redis pools: reported every five seconds."""

import os
from collections import Counter
from dataclasses import dataclass
from secrets import token_hex
from typing import NamedTuple, Self

import redis

from apps.metrics import keys
from apps.redis_kit import client, transport

REPORT_EVERY_SECONDS = 5.0
#: A process that has not reported for so long is gone.
ALIVE_SECONDS = 15


@dataclass(frozen=True)
class Process:
    """A process: its part on the site ("web", "consumer"), and a name that no other has."""

    role: str
    name: str

    @classmethod
    def new(cls, role: str) -> Self:
        """This process."""
        return cls(role, f"{role}-{os.getpid()}-{token_hex(4)}")


class PoolUse(NamedTuple):
    """How many of a client's connections are in use now, of at most so many."""

    in_use: int
    limit: int


@dataclass(frozen=True)
class Report:
    """Living processes by role, and over all of them the use of their pools by connection's name."""

    roles: Counter[str]
    in_use: Counter[str]
    limits: Counter[str]


def pool_use() -> dict[str, PoolUse]:
    """The use of this process's sync clients, by name: of a Cluster's, that of all its nodes.

    Those of Sentinel keep no such count.
    """
    found = {name: client.pools(made) for name, made in client.made_clients().items()}
    return {
        name: PoolUse(
            sum(pool.max_connections - pool.pool.qsize() for pool in pools),
            sum(pool.max_connections for pool in pools),
        )
        for name, pools in found.items()
        if pools
    }


def report(connected: redis.Redis, process: Process) -> None:
    """Say that the process lives, and how many connections it uses; two round trips."""
    now = int(connected.time()[0])
    key, fields = keys.PROCESS(process=process.name), ["role", process.role]
    for name, use in pool_use().items():
        fields += [f"in_use|{name}", str(use.in_use), f"limit|{name}", str(use.limit)]
    transport.execute_many(
        connected,
        [
            ("DEL", key),
            ("HSET", key, *fields),
            ("EXPIRE", key, ALIVE_SECONDS),
            ("ZADD", keys.PROCESSES(), now, process.name),
            ("ZREMRANGEBYSCORE", keys.PROCESSES(), "-inf", now - ALIVE_SECONDS),
            ("EXPIRE", keys.PROCESSES(), ALIVE_SECONDS),
        ],
    )


def read(connected: redis.Redis) -> Report:
    """What the living processes reported."""
    names = connected.zrange(keys.PROCESSES(), 0, -1)
    with connected.pipeline(transaction=False) as pipe:
        for name in names:
            pipe.hgetall(keys.PROCESS(process=str(name)))
        found = [fields for fields in pipe.execute() if fields]
    report = Report(Counter(), Counter(), Counter())
    for fields in found:
        report.roles[fields.pop("role")] += 1
        for field, number in fields.items():
            kind, _, name = field.partition("|")
            (report.in_use if kind == "in_use" else report.limits)[name] += int(number)
    return report
