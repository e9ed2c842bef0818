"""Makes a month of page views for the admin's charts, and current views of shops and notes."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from hashlib import blake2b
from random import Random

from apps.blog.models import Note
from apps.redis_kit import client
from apps.shops.models import Shop
from apps.uv import counting, days, keys, visits
from apps.uv.models import DailyVisits
from apps.uv.page_kinds import SITE_SCOPE, Scope

DAYS, VISITOR_POOL, MIN_VISITORS, MAX_VISITORS = 30, 900, 90, 240
#: Most shops and most notes that get views, and the number of current views, which make some popular.
MAX_PLACES, VIEWS_NOW = 60, 80
DayViews = dict[Scope, list[str]]


def make(*, seed: int) -> int:
    """Make visits of thirty days in Redis and SQL; return the page views, 0 when SQL has visits already."""
    if DailyVisits.objects.exists():
        return 0
    chance, places = Random(f"{seed}:visits"), _known_objects()
    people = _make_visitors(seed, "month", VISITOR_POOL)
    views = sum(
        _write_day(day, _views_of_day(day, chance, people, places))
        for day in days.ending_on(days.today(), DAYS)
    )
    # Each from a new visitor: one counts once a day, and equal counts rank nothing.
    for newcomer in _make_visitors(seed, "now", VIEWS_NOW if places else 0):
        counting.count(counting.View(_pick_object(chance, places), newcomer))
    visits.write_counts()
    return views


def _make_visitors(seed: int, kind: str, count: int) -> list[str]:
    """Return the digests of so many browsers of a kind; the same for the same seed."""
    return [
        blake2b(f"{seed}:{kind}:{number}".encode(), digest_size=16).hexdigest() for number in range(count)
    ]


def _known_objects() -> list[Scope]:
    """Return the scopes of shops and notes alternately, the most popular first."""
    shops = Shop.objects.open_to_public().order_by("-popularity", "pk").values_list("pk", flat=True)
    notes = Note.objects.published().order_by("-heat", "pk").values_list("pk", flat=True)
    pairs = zip(shops[:MAX_PLACES], notes[:MAX_PLACES], strict=False)
    return [Scope(*place) for shop, note in pairs for place in (("shop", shop), ("note", note))]


def _views_of_day(day: date, chance: Random, people: list[str], places: Sequence[Scope]) -> DayViews:
    """Return scope -> visitor of each view, for one random day; weekends have more visitors."""
    seen: DayViews = defaultdict(list)
    for visitor in chance.sample(
        people, chance.randint(MIN_VISITORS, MAX_VISITORS) * (3 if day.weekday() >= 5 else 2) // 2
    ):
        pages = [
            Scope("home"),
            *(_pick_object(chance, places) for _ in range(chance.randint(0, 4) if places else 0)),
        ]
        pages += [
            Scope(name) for name in ("shops", "notes", "sales", "map", "other") if chance.random() < 0.3
        ]
        for page in pages:
            for scope in {Scope(SITE_SCOPE), Scope(page.name), page}:
                seen[scope].append(visitor)
    return seen


def _pick_object(chance: Random, places: Sequence[Scope]) -> Scope:
    """Return a random scope; the earlier in `places`, the likelier."""
    return places[int(len(places) * chance.random() ** 3)]


def _write_day(day: date, seen: DayViews) -> int:
    with client.get().pipeline(transaction=False) as pipe:
        for scope, visitors in seen.items():
            views, people = keys.VIEWS(scope=scope.name, day=str(day)), _visitors_key(scope, day)
            pipe.hincrby(views, str(scope.object_id or "all"), len(visitors))
            pipe.pfadd(people, *visitors)
            for key in (views, people):
                pipe.expire(key, keys.DAYS_KEPT)
        pipe.execute()
    return len(seen[Scope(SITE_SCOPE)])


def _visitors_key(scope: Scope, day: date) -> str:
    return visits.visitors_key(scope.name, scope.object_id, day)
