"""The Redis page: every declared key with live numbers, caches with their shares, words without Redis."""

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote

import pytest
import redis
from django.test import Client
from pytest_django import Settings

from apps.monitoring import memory, rebuilding, redis_facts
from apps.redis_kit import client as redis_client
from apps.redis_kit import keys as kit_keys
from apps.redis_kit import schema
from tests.sites import free_port


@pytest.fixture
def dead_redis(settings: Settings) -> Iterator[None]:
    gone = {"url": f"redis://127.0.0.1:{free_port()}/0", "deadline": 0.5, "connections": 5}
    settings.REDIS_CONNECTIONS = settings.REDIS_CONNECTIONS | {"default": gone}
    redis_client.close_all()
    yield
    redis_client.close_all()


@pytest.mark.django_db
def test_every_declared_key_and_every_rebuild_is_on_the_page(boss: Client) -> None:
    page = unescape(boss.get("/admin/redis/").content.decode())
    assert [key.pattern for key in schema.declared() if f"<code>{key.pattern}</code>" not in page] == []
    assert [name for name, _ in schema.rebuilders() if f"/{name}/" not in unquote(page)] == []
    labels = [str(rebuild.label) for rebuild in rebuilding.REBUILDS.entries()]
    assert len(labels) == len(dict(schema.rebuilders()))
    assert [label for label in labels if f">{label}<" not in page] == []


@pytest.mark.django_db
def test_the_keys_of_an_app_stand_together(boss: Client) -> None:
    page = boss.get("/admin/redis/").content.decode()
    names = re.findall(r"<summary>\s*<code>([^<]*)</code>", page)
    assert len(names) == len(set(names)) > 10


@pytest.mark.django_db
@pytest.mark.usefixtures("dead_redis")
def test_without_redis_the_declarations_stay(boss: Client) -> None:
    answer = boss.get("/admin/redis/")
    assert answer.status_code == 200
    assert "Redis does not answer" in answer.content.decode()
    assert "coupons:{p&lt;partition&gt;}:stock:&lt;voucher&gt;" in answer.content.decode()


def test_a_cache_shows_the_share_that_needed_no_sql(guarded_redis: redis.Redis) -> None:
    guarded_redis.hset(
        kit_keys.CACHE_COUNTS(cache="shops.detail"),
        mapping={"hit": 80, "stale": 10, "miss": 10, "rebuild": 11},
    )
    found = memory.read_cache_stats(memory.newest_report(fresh=True))
    assert [(cache.name, cache.hit_percent) for cache in found] == [("shops.detail", 90)]


def test_facts_are_what_the_server_says(guarded_redis: redis.Redis) -> None:
    read = redis_facts.read_facts()
    assert (read.policy, read.aof, read.fsync, read.snapshots) == ("noeviction", True, "everysec", "")
    assert read.used > 0
    assert read.version.split()[-1][0].isdigit()


def test_a_server_that_forbids_config_still_gives_facts(guarded_redis: redis.Redis) -> None:
    # Not acl_setuser(): it switches the user off as well, for every later connection.
    guarded_redis.execute_command("ACL SETUSER", "default", "-config")
    try:
        assert redis_facts.read_facts().fsync == ""
    finally:
        guarded_redis.execute_command("ACL SETUSER", "default", "+config")
