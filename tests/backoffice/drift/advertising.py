"""Drift of ads: money, rules, counts and the index."""

import json
from collections.abc import Callable
from types import SimpleNamespace as World

from django.utils import timezone
from redis import Redis

from apps.ads import keys, targeting
from apps.ads.models import Campaign
from apps.redis_kit.schema import Key
from tests.backoffice.drift.injected import Drift, edit_field, plant

LOST = (keys.ADS, keys.PLACE)


def _ads(name: str, aspect: str, key: Key, inject: Callable[[World, Redis], object]) -> Drift:
    return Drift(f"ads: {name}", inject, "ads.campaigns", aspect, [key, *LOST])


def _place() -> str:
    return keys.PLACE(place=targeting.EVERYWHERE)


def _today() -> str:
    return keys.SPENT(day=keys.day_name(timezone.localdate()))


def _cheaper(rules: str) -> str:
    return json.dumps(json.loads(rules) | {"cost": 1})


def _campaign(world: World) -> str:
    return str(world.campaign.pk)


def _ad(world: World) -> str:
    return str(world.ad.pk)


ALL = [
    _ads("more is left", "left", keys.LEFT, lambda w, s: s.hincrby(keys.LEFT(), _campaign(w), 5_000)),
    _ads("less is left", "left", keys.LEFT, lambda w, s: s.hincrby(keys.LEFT(), _campaign(w), -5_000)),
    _ads("more was spent today", "spent", keys.SPENT, lambda w, s: s.hincrby(_today(), _campaign(w), 5_000)),
    _ads("today's spending lost", "spent", keys.SPENT, lambda w, s: s.delete(_today())),
    Drift(
        "ads: a campaign's charges",
        lambda w, s: Campaign.objects.filter(pk=w.campaign.pk).update(charged_micros=7),
        "ads.campaigns",
        "charged",
        [keys.CAMPAIGNS, keys.LEFT, *LOST],
        [Campaign],
    ),
    Drift(
        "ads: another cost",
        lambda w, s: edit_field(s, keys.CAMPAIGNS(), _campaign(w), _cheaper),
        "ads.campaigns",
        "rules",
        [keys.CAMPAIGNS, *LOST],
        [Campaign],
    ),
    _ads("a record lost", "index", keys.ADS, lambda w, s: s.hdel(keys.ADS(), _ad(w))),
    _ads("out of its place", "index", keys.PLACE, lambda w, s: s.zrem(_place(), _ad(w))),
    _ads("a higher ceiling", "index", keys.PLACE, lambda w, s: s.zincrby(_place(), 10**6, _ad(w))),
    _ads("a stranger in a place", "place", keys.PLACE, lambda w, s: s.zadd(_place(), {"99999": 10**9})),
    _ads(
        "an ad in another place",
        "place",
        keys.PLACE,
        lambda w, s: s.zadd(keys.PLACE(place="city:nowhere"), {_ad(w): 5}),
    ),
    _ads(
        "a record without a row",
        "row",
        keys.ADS,
        lambda w, s: s.hset(keys.ADS(), "99999", s.hget(keys.ADS(), _ad(w)) or ""),
    ),
    _ads("fewer views", "counts", keys.COUNTS, lambda w, s: s.hset(keys.COUNTS(ad=w.ad.pk), "views", 0)),
    _ads("counts lost", "counts", keys.COUNTS, lambda w, s: s.delete(keys.COUNTS(ad=w.ad.pk))),
    Drift("ads: place of another type", lambda w, s: plant(_place()), "keys.types", "type", LOST),
    Drift("ads: records of another type", lambda w, s: plant(keys.ADS()), "keys.types", "type", LOST),
]
