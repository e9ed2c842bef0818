"""Compares the type of each Redis key, and that it lives for good, with its declaration.

A key of another type holds nothing that the code could read. The repair deletes it: then the part of its
app, which runs later, finds it missing and fills it, or its readers do.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from django.conf import settings

from apps.redis_kit import client, schema, transport
from apps.redis_kit.findings import Finding
from apps.web.batches import chunked

BATCH_KEYS = 1_000
TYPE_ASPECT, EXPIRY_ASPECT = "type", "expiry"


def check(fix: bool) -> Iterator[Finding]:
    """Yield keys of another type than declared, and keys with an expiry that must have none."""
    names = client.get().scan_iter(match=f"{settings.REDIS_PREFIX}:*", count=BATCH_KEYS)
    for some in chunked(map(str, names), BATCH_KEYS):
        for name, finding in _compare(some):
            if fix:
                _repair(name, finding)
            yield finding


def _compare(names: Sequence[str]) -> Iterator[tuple[str, Finding]]:
    commands = [command for name in names for command in (("TYPE", name), ("PTTL", name))]
    replies = transport.execute_many(client.get(), commands)
    for name, raw_type, ttl in zip(names, replies[::2], replies[1::2], strict=True):
        declared = _declaration(name) if raw_type != "none" else None
        if declared is None:
            continue
        if raw_type != declared.type:
            yield name, Finding(name, TYPE_ASPECT, raw_type, declared.type)
        elif ttl >= 0 and declared.expiry == "none":
            yield name, Finding(name, EXPIRY_ASPECT, f"{ttl / 1_000:.0f} s", "none")


def _repair(name: str, finding: Finding) -> None:
    command = "PERSIST" if finding.aspect == EXPIRY_ASPECT else "UNLINK"
    transport.execute(client.get(), (command, name))


def _declaration(name: str) -> schema.Key | None:
    """The declaration of a key, sought among those of its app alone: a server has millions of keys."""
    app = name.removeprefix(f"{settings.REDIS_PREFIX}:").partition(":")[0]
    return next((declared for declared in _by_app().get(app, ()) if declared.matches(name)), None)


@cache
def _by_app() -> dict[str, list[schema.Key]]:
    """The declarations by app, the most specific first, as schema.match prefers them."""
    grouped: dict[str, list[schema.Key]] = {}
    for declared in sorted(schema.declared(), key=schema.specificity):
        grouped.setdefault(declared.app, []).append(declared)
    return grouped
