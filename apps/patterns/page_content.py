"""What the page of a pattern shows, apart from runs."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest

from apps.accounts import auth
from apps.patterns import comparisons, key_pictures, registry, source_texts
from apps.patterns.comparisons import Result
from apps.patterns.key_pictures import LivePicture
from apps.patterns.pattern import Pattern
from apps.patterns.source_texts import SourceText
from apps.redis_kit import client
from apps.web.page_metadata import PageMetadata


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
        code=source_texts.for_pattern(pattern),
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
