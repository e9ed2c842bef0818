"""What operators set while Redis does not answer in time, and while it is full."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest
import redis
from django.core.exceptions import ValidationError
from django.test import Client

from apps.coupons.live_settings import SALES
from apps.demo import embedded_redis
from apps.redis_kit import client as redis_client
from apps.siteconfig import site_state
from apps.siteconfig.components import changes
from apps.siteconfig.maintenance.switch import close_site, switch

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def full_redis(guarded_redis: redis.Redis) -> Iterator[redis.Redis]:
    """A server that has reached its maxmemory and refuses what needs more."""
    guarded_redis.config_set("maxmemory", 1)
    yield guarded_redis
    guarded_redis.config_set("maxmemory", 0)


@pytest.fixture
def stopped_redis(impatient_redis: None, redis_server: embedded_redis.Server) -> Iterator[None]:
    """A server that takes commands and answers none; its clients wait half a second."""
    redis_client.get().ping()
    os.kill(redis_server.pid, signal.SIGSTOP)
    yield
    os.kill(redis_server.pid, signal.SIGCONT)


@pytest.mark.both_databases
@pytest.mark.one_server("its memory is full")
@pytest.mark.usefixtures("full_redis")
def test_a_full_redis_refuses_to_close_and_still_opens_the_site(boss: Client) -> None:
    answer = boss.post("/admin/maintenance/close/", {"ends": "30"}, follow=True)
    assert "nothing was changed" in answer.content.decode()
    assert switch.closed is None
    assert boss.post("/admin/maintenance/open/").status_code == 302


def test_a_full_redis_can_be_closed_for_and_opened_again(guarded_redis: redis.Redis) -> None:
    close_site(until=None, changed_by="Manager")
    guarded_redis.config_set("maxmemory", 1)
    try:
        site_state.poller.read_now()
        assert switch.closed is not None
        guarded_redis.delete("savor:siteconfig:maintenance")
        site_state.poller.read_now()
        assert switch.closed is None
    finally:
        guarded_redis.config_set("maxmemory", 0)


@pytest.mark.one_server("its memory is full")
@pytest.mark.usefixtures("full_redis")
def test_settings_come_from_sql_while_redis_is_full_and_reach_others_when_it_has_room(
    guarded_redis: redis.Redis,
) -> None:
    changes.change(SALES, {"pay_within_seconds": 120}, changed_by="Manager", based_on=0)
    assert SALES.current().pay_within_seconds == 120
    assert not guarded_redis.exists("savor:siteconfig:settings")
    guarded_redis.config_set("maxmemory", 0)
    site_state.poller.read_now()
    assert guarded_redis.hget("savor:siteconfig:settings", "sales") == '1 {"pay_within_seconds": 120}'


def test_a_stopped_redis_opens_the_site_within_a_deadline(
    stopped_redis: None, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    reader = threading.Thread(target=site_state.poller.read_now)
    reader.start()
    # No request waits for the read that hangs.
    assert client.get("/healthz").status_code == 200
    reader.join()
    assert switch.closed is None


def test_a_change_while_redis_is_stopped_is_kept(stopped_redis: None) -> None:
    row = changes.change(SALES, {"pay_within_seconds": 120}, changed_by="Manager", based_on=0)
    assert row.pk
    with pytest.raises(ValidationError):
        changes.change(SALES, {}, changed_by="Alice", based_on=0)
