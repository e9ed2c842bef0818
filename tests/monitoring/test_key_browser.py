"""The key browser: a map whose areas are bytes, lifetimes and samples of each pattern, and nothing secret."""

from collections.abc import Callable, Iterator
from html import unescape

import pytest
import redis
from django.test import Client
from django.utils import timezone

from apps.accounts import keys as accounts
from apps.accounts.models import User
from apps.chat import keys as chat
from apps.coupons import keys as coupons
from apps.mailbox import keys as mailbox
from apps.monitoring import key_samples, keys, memory, pattern_pages
from apps.monitoring.memory import Rectangle
from apps.queues import keys as queues
from apps.redis_kit import keys as kit
from apps.redis_kit import schema
from apps.shops import keys as shops
from apps.signins import keys as signins
from apps.uv import keys as uv


@pytest.fixture(autouse=True)
def emptied_redis(guarded_redis: redis.Redis) -> Iterator[None]:
    """Drop what a test has planted without its expiry."""
    yield
    guarded_redis.flushall()


PHONE, SECRET = "+8613800000001", "not-for-your-eyes"


def lifetimes(found: key_samples.KeySamples) -> list[int]:
    return [bar.keys for bar in found.lifetimes]


def page_of(client: Client, key: schema.Key) -> str:
    return unescape(client.get(pattern_pages.declaration_url(key)).content.decode())


def test_areas_fill_the_map_by_their_weights() -> None:
    weights = [60, 30, 20, 10, 6, 4, 1]
    places = memory.squarify(weights, Rectangle(0, 0, 400, 300))
    for weight, place in zip(weights, places, strict=True):
        assert place.width * place.height == pytest.approx(400 * 300 * weight / sum(weights))
        assert 0 <= place.x <= place.x + place.width <= 400 + 1e-6
        assert 0 <= place.y <= place.y + place.height <= 300 + 1e-6
    for index, one in enumerate(places):
        for other in places[index + 1 :]:
            across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
            along = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
            assert min(across, along) < 1e-6


def test_the_map_links_to_the_patterns_with_bytes(guarded_redis: redis.Redis) -> None:
    guarded_redis.set(keys.REBUILDING(name="one"), "x" * 1000, ex=60)
    guarded_redis.zadd(signins.LEADERBOARD(day="2026-11-23"), {"7": 3})
    wide, narrow = memory.build_maps(memory.newest_report(fresh=True))
    for drawn in (wide, narrow):
        assert [area.usage.key for area in drawn.areas] == [keys.REBUILDING, signins.LEADERBOARD]
    # How much of the narrower name fits is a matter of bytes, which differ with the connection's server.
    assert wide.areas[0].label == "monitoring:rebuilding"
    assert wide.areas[1].label in ("signins:bo…", "signins:board")
    assert wide.areas[0].url == "/admin/redis/keys/monitoring-rebuilding-name/"
    assert memory.build_maps(memory.Report([], 0, 0, True, timezone.now())) == []


def test_every_pattern_has_a_page_of_its_own() -> None:
    urls = {pattern_pages.declaration_url(key) for key in schema.declared()}
    assert len(urls) == len(schema.declared())
    slugs = [pattern_pages.build_slug(key.pattern) for key in schema.declared()]
    assert [pattern_pages.find_declaration(slug) for slug in slugs] == schema.declared()


def test_lifetimes_are_counted_by_their_length(guarded_redis: redis.Redis) -> None:
    for number, seconds in enumerate([30, 50, 3_000, 80_000, 3_000_000]):
        guarded_redis.set(keys.REBUILDING(name=f"n{number}"), "x", ex=seconds)
    guarded_redis.set(keys.REBUILDING(name="kept"), "x")
    found = key_samples.read(keys.REBUILDING)
    assert lifetimes(found) == [2, 1, 1, 0, 0, 1, 1]
    assert (found.walked, found.sampled, len(found.samples)) == (6, 6, 6)


def test_a_walk_that_ends_early_still_has_the_known_keys(
    guarded_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = keys.REBUILDING(name="known")
    guarded_redis.set(known, "x")
    monkeypatch.setattr(key_samples, "MAX_WALKED_KEYS", 0)
    found = key_samples.read(keys.REBUILDING, [known, keys.REBUILDING(name="gone")])
    assert (found.walked, [sample.name for sample in found.samples]) == (0, [known])


def test_samples_show_a_few_elements_of_each_type(guarded_redis: redis.Redis) -> None:
    guarded_redis.hset(shops.FACTS(), mapping={str(number): f"fact {number}" for number in range(100)})
    guarded_redis.zadd(signins.LEADERBOARD(day="2026-11-23"), {f"u{number}": number for number in range(100)})
    guarded_redis.set(keys.REBUILDING(name="long"), "a text " * 100)
    guarded_redis.pfadd(uv.VISITORS(scope="all", day="2026-11-23"), "a", "b")
    (facts,) = key_samples.read(shops.FACTS).samples
    assert (facts.length, len(facts.elements), facts.seconds) == (100, key_samples.MAX_ELEMENTS, None)
    assert all(value == f"fact {name}" for name, value in facts.elements)
    (board,) = key_samples.read(signins.LEADERBOARD).samples
    assert board.elements == [(str(number), f"u{number}") for number in range(key_samples.MAX_ELEMENTS)]
    (text,) = key_samples.read(keys.REBUILDING).samples
    assert text.elements[0][1].startswith("a text a text")
    assert text.elements[0][1].endswith("…")
    (visitors,) = key_samples.read(uv.VISITORS).samples
    assert visitors.elements == [("", "binary")]


def test_a_stream_shows_its_first_entries(guarded_redis: redis.Redis) -> None:
    for order in range(5):
        guarded_redis.xadd(coupons.ORDERS(partition=3), {"order": order}, id=f"{order + 1}-0")
    shown = key_samples._show_elements("stream", guarded_redis.xrange(coupons.ORDERS(partition=3), count=3))
    assert shown == [("1-0", "order=0"), ("2-0", "order=1"), ("3-0", "order=2")]
    (sample,) = key_samples.read(coupons.ORDERS).samples
    assert (sample.length, sample.elements) == (5, [])


def test_a_key_of_another_type_has_no_elements(guarded_redis: redis.Redis) -> None:
    guarded_redis.rpush(keys.REBUILDING(name="odd"), "x")
    (odd,) = key_samples.read(keys.REBUILDING).samples
    assert (odd.length, odd.elements) == (0, [])


DIGEST = "5e88" * 16


@pytest.mark.django_db
def test_secrets_are_neither_read_nor_shown(boss: Client, guarded_redis: redis.Redis) -> None:
    guarded_redis.hset(accounts.LOGIN_CODE(phone=PHONE), mapping={"code": SECRET})
    guarded_redis.xadd(chat.EVENTS(chat=3), {"data": SECRET})
    guarded_redis.rpush(mailbox.NEWEST(user=7), SECRET)
    guarded_redis.rpush(queues.CELERY_QUEUE(queue="high"), SECRET)
    guarded_redis.set(kit.LIMIT(family="codes", name="minute", subject=PHONE), "1")
    guarded_redis.set(accounts.TOKEN(digest=DIGEST), "7:8:9:1", ex=60)
    assert DIGEST not in page_of(boss, accounts.TOKEN)
    private = [accounts.LOGIN_CODE, chat.EVENTS, mailbox.NEWEST, queues.CELERY_QUEUE, kit.LIMIT]
    for key in private:
        page = page_of(boss, key)
        assert SECRET not in page
        assert PHONE not in page
        assert 'class="sv-wrap"' in page
        assert not key.private or key.private in page


@pytest.mark.django_db
def test_the_page_of_a_pattern_without_keys_and_without_redis(
    boss: Client, redis_away_now: Callable[[], None]
) -> None:
    memory.newest_report(fresh=True)
    assert "There is no such key" in page_of(boss, shops.FACTS)
    assert boss.get("/admin/redis/keys/no-such-pattern/").status_code == 404
    redis_away_now()
    page = page_of(boss, shops.FACTS)
    assert "Redis is away" in page
    assert shops.FACTS.about in page


@pytest.mark.django_db
def test_only_those_who_may_see_redis_see_keys(client: Client, alice: User) -> None:
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    assert client.get(pattern_pages.declaration_url(shops.FACTS)).status_code == 403
