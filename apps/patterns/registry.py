"""The patterns by room: every module of `pages` holds one, without being named elsewhere."""

import pkgutil
from dataclasses import replace
from functools import cache
from importlib import import_module
from types import ModuleType

from django.urls import reverse

from apps.patterns import pages
from apps.patterns.pattern import Pattern, Room
from apps.redis_kit import schema

#: What a newcomer reads in turn: each page uses what the ones before it have shown.
LESSONS = (
    "cache",
    "one-round-trip",
    "ids",
    "rate-limits",
    "locks",
    "flash-sale",
    "streams",
    "delayed-jobs",
    "feed",
    "geo",
    "hyperloglog",
)


@cache
def rooms() -> tuple[Room, ...]:
    """Every room with its patterns, in the order of the list."""
    packages = [
        import_module(f"{pages.__name__}.{found.name}") for found in pkgutil.iter_modules(pages.__path__)
    ]
    complete = [replace(package.ROOM, patterns=_read_patterns(package)) for package in packages]
    return tuple(sorted(complete, key=lambda room: room.order))


def all_patterns() -> tuple[Pattern, ...]:
    """Every pattern in the order of the list."""
    return tuple(pattern for room in rooms() for pattern in room.patterns)


def lessons() -> tuple[Pattern, ...]:
    """The patterns to begin with, in the order of reading."""
    by_slug = {pattern.slug: pattern for pattern in all_patterns()}
    return tuple(by_slug[slug] for slug in LESSONS)


def find(slug: str) -> Pattern | None:
    """The pattern of that slug, if there is one."""
    return next((pattern for pattern in all_patterns() if pattern.slug == slug), None)


def find_page(declaration: schema.Key) -> str:
    """The URL of the page that explains keys of this declaration, or ""."""
    for pattern in all_patterns():
        if any(live.key is declaration for live in pattern.keys):
            return reverse("patterns:page", args=[pattern.slug])
    return ""


def _read_patterns(package: ModuleType) -> tuple[Pattern, ...]:
    names = (found.name for found in pkgutil.iter_modules(package.__path__))
    return tuple(import_module(f"{package.__name__}.{name}").PATTERN for name in names)
