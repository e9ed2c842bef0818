"""What the page of a pattern shows apart from runs: the site's own Lua and Python, keys, and figures."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from apps.accounts import auth
from apps.patterns import comparisons, key_pictures, registry
from apps.patterns.comparisons import Result
from apps.patterns.key_pictures import LivePicture
from apps.patterns.pattern import Pattern
from apps.redis_kit import client
from apps.web.page_metadata import PageMetadata

#: The folder that holds `apps`.
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class SourceText:
    """A piece of code: its file, the first line's number (0: the whole file), its text and language."""

    path: str
    line: int
    text: str
    language: str

    @property
    def name(self) -> str:
        """The file, with the line where only a part of it is shown."""
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True)
class PageContent:
    """A pattern with its code, the newest figures, the live keys (None: Redis is away) and its neighbours."""

    pattern: Pattern
    code: list[SourceText]
    pictures: list[LivePicture] | None
    figures: Result | None
    may_measure: bool
    previous: Pattern | None
    following: Pattern | None

    @property
    def metadata(self) -> PageMetadata:
        """What the page says of itself to machines."""
        return PageMetadata(title=str(self.pattern.title), description=str(self.pattern.summary))


def build(request: HttpRequest, pattern: Pattern) -> PageContent:
    """Everything that the page reads."""
    listed = registry.all_patterns()
    place = listed.index(pattern)
    return PageContent(
        pattern=pattern,
        code=for_pattern(pattern),
        pictures=_draw(pattern),
        figures=comparisons.read_newest(pattern.slug),
        may_measure=may_measure(request),
        previous=listed[place - 1] if place else None,
        following=listed[place + 1] if place + 1 < len(listed) else None,
    )


def may_measure(request: HttpRequest) -> bool:
    """Managers who may look at Redis, and everybody in a demo."""
    if settings.DEMO:
        return True
    user = auth.user_or_none(request)
    return user is not None and user.is_staff and user.has_perm("monitoring.view_redis")


def _draw(pattern: Pattern) -> list[LivePicture] | None:
    try:
        return key_pictures.draw(pattern.keys)
    except client.UNAVAILABLE:
        return None


def for_pattern(pattern: Pattern) -> list[SourceText]:
    """Its scripts, then its functions."""
    lua = [SourceText(f"{script.name}.lua", 0, script.text, "Lua") for script in pattern.scripts]
    return [*lua, *map(_read_function, pattern.functions)]


def _read_function(function: Callable[..., Any]) -> SourceText:
    lines, first = inspect.getsourcelines(inspect.unwrap(function))
    path = Path(inspect.getsourcefile(inspect.unwrap(function)) or "").resolve()
    return SourceText(str(path.relative_to(_ROOT)), first, inspect.cleandoc("\n" + "".join(lines)), "Python")
