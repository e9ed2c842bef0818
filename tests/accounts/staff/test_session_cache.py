"""Managers' sessions in Redis: JSON that a person reads, and no pickle that runs."""

import json

import pytest
import redis
from django.contrib.sessions.backends.cached_db import SessionStore
from django.core.cache import cache
from django.test import Client

from apps.accounts.models import User
from tests.key_guard import DJANGO_PREFIX

pytestmark = [pytest.mark.django_db, pytest.mark.one_server("Django's cache takes one server")]
MODULE = "django.contrib.sessions.cached_db"


def test_a_session_is_json_in_redis(guarded_redis: redis.Redis, client: Client, manager: User) -> None:
    client.force_login(manager)
    session = client.session
    session["filter"] = {"city": "杭州", "none": None, "many": [1, 2.5, True]}
    session.save()
    stored = guarded_redis.get(f"{DJANGO_PREFIX}2:{MODULE}{session.session_key}")
    assert json.loads(str(stored))["filter"] == {"city": "杭州", "none": None, "many": [1, 2.5, True]}
    assert SessionStore(session.session_key)["filter"]["city"] == "杭州"
    assert client.get("/admin/").status_code == 200


def test_what_another_release_pickled_is_not_read(
    guarded_redis: redis.Redis, client: Client, manager: User
) -> None:
    client.force_login(manager)
    key = client.session.session_key
    pickled = b"cos\nsystem\n(S'false'\ntR."
    guarded_redis.delete(f"{DJANGO_PREFIX}2:{MODULE}{key}")
    guarded_redis.set(f"{DJANGO_PREFIX}1:{MODULE}{key}", pickled, ex=60)
    assert client.get("/admin/").status_code == 200
    with pytest.raises(ValueError, match="utf-8|JSON|Expecting"):
        cache.client.decode(pickled)  # type: ignore[attr-defined]
    guarded_redis.delete(f"{DJANGO_PREFIX}1:{MODULE}{key}")
