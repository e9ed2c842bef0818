"""A kind of drift: how it comes about, who must tell of it, what its repair may touch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.db import models
from redis import Redis

from apps.redis_kit import client, schema

World = Any


@dataclass(frozen=True)
class Drift:
    """One kind: how it comes about in a world, the part and aspect that must tell of it.

    A repair may change the keys of `keys` and the rows of `rows`, and nothing else.
    """

    name: str
    inject: Callable[[World, Redis], object]
    part: str
    aspect: str
    keys: Sequence[schema.Key] = ()
    rows: Sequence[type[models.Model]] = ()


def plant(*names: str, type_: str = "list") -> None:
    """Put a list, or a string, where another type belongs."""
    server = client.get()
    for name in names:
        server.delete(name)
        if type_ == "list":
            server.rpush(name, "planted")
        else:
            server.set(name, "planted")


def edit_field(server: Redis, key: str, field: str, change: Callable[[str], str]) -> None:
    """Change one field of a hash."""
    server.hset(key, field, change(cast(str, server.hget(key, field) or "")))
