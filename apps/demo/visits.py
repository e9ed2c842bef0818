"""A month of visitors for the admin's charts, and what they look at today."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from hashlib import blake2b
from random import Random

from apps.blog.models import Note
from apps.redis_kit import client
from apps.shops.models import Shop
from apps.uv import counting, days, keys, snapshots
from apps.uv.models import DailyVisits
from apps.uv.pages import SITE, Scope

DAYS, PEOPLE, FEWEST, MOST = 30, 900, 90, 240
#: Shops and notes that anybody looks at, and views of this moment, which make some of them popular.
PLACES, VIEWS_NOW = 60, 80
Seen = dict[Scope, list[str]]


def make(*, seed: int) -> int:
    """Visits of thirty days in Redis and SQL, unless there are any; returns the page views."""
    if DailyVisits.objects.exists():
        return 0
    chance, places = Random(f"{seed}:visits"), _places()
    people = [blake2b(f"{seed}:{number}".encode(), digest_size=16).hexdigest() for number in range(PEOPLE)]
    views = sum(_write(day, _seen(day, chance, people, places)) for day in days.ending(days.today(), DAYS))
    for _ in range(VIEWS_NOW if places else 0):
        counting.count(counting.View(_one(chance, places), people[0]))
    snapshots.take()
    return views


def _places() -> list[Scope]:
    """Shops and notes in turn, the best known first."""
    shops = Shop.objects.open_to_public().order_by("-popularity", "pk").values_list("pk", flat=True)
    notes = Note.objects.published().order_by("-heat", "pk").values_list("pk", flat=True)
    pairs = zip(shops[:PLACES], notes[:PLACES], strict=False)
    return [Scope(*place) for shop, note in pairs for place in (("shop", shop), ("note", note))]


def _seen(day: date, chance: Random, people: list[str], places: Sequence[Scope]) -> Seen:
    """Each scope's views of a day, as the visitors who made them; weekends are busier."""
    seen: Seen = defaultdict(list)
    for visitor in chance.sample(
        people, chance.randint(FEWEST, MOST) * (3 if day.weekday() >= 5 else 2) // 2
    ):
        pages = [Scope("home"), *(_one(chance, places) for _ in range(chance.randint(0, 4) if places else 0))]
        pages += [
            Scope(name) for name in ("shops", "notes", "sales", "map", "other") if chance.random() < 0.3
        ]
        for page in pages:
            for scope in {Scope(SITE), Scope(page.name), page}:
                seen[scope].append(visitor)
    return seen


def _one(chance: Random, places: Sequence[Scope]) -> Scope:
    """The better known, the likelier."""
    return places[int(len(places) * chance.random() ** 3)]


def _write(day: date, seen: Seen) -> int:
    with client.get().pipeline(transaction=False) as pipe:
        for scope, visitors in seen.items():
            views, people = keys.VIEWS(scope=scope.name, day=str(day)), _people(scope, day)
            pipe.hincrby(views, str(scope.object_id or "all"), len(visitors))
            pipe.pfadd(people, *visitors)
            for key in (views, people):
                pipe.expire(key, keys.DAYS_KEPT)
        pipe.execute()
    return len(seen[Scope(SITE)])


def _people(scope: Scope, day: date) -> str:
    return snapshots.visitors_key(scope.name, scope.object_id, day)
