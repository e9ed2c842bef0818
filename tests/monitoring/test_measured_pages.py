"""The admin's pages of what the site measures: with numbers, empty, without Redis, and who may see them."""

from html import unescape

import pytest
import redis
from django.test import Client

from apps.accounts.models import User
from apps.metrics import keys, log_lines, samples
from apps.metrics.gathering import Gathered, Sample
from apps.metrics.log_lines import Waiting
from apps.monitoring import measured
from apps.redis_kit import client as redis_client
from tests.coupons.admin.test_permissions import grant_permissions

pytestmark = pytest.mark.django_db
PAGES = ("/admin/activity/", "/admin/activity/charts/", "/admin/slowest/", "/admin/log/")


def text(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


@pytest.mark.parametrize("path", PAGES)
def test_only_who_may_sees_them(path: str, client: Client, bob: User) -> None:
    assert client.get(path).status_code == 302
    bob.is_staff = True
    bob.save()
    client.force_login(bob)
    assert client.get(path).status_code == 403
    grant_permissions(bob, "view_metrics")
    assert client.get(path).status_code == 200


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.usefixtures("redis_away")
def test_without_redis_a_page_says_so(path: str, boss: Client) -> None:
    assert "Redis is away, and with it what was measured" in text(boss, path)


@pytest.mark.usefixtures("guarded_redis")
def test_empty_pages_say_so(boss: Client) -> None:
    assert text(boss, "/admin/activity/").count("Nothing of this in the time shown") == 6
    assert "Nothing was measured in the last two hours" in text(boss, "/admin/slowest/")
    assert "No process has logged anything like this" in text(boss, "/admin/log/")


def test_every_precision_that_is_kept_has_a_chart() -> None:
    assert [period.precision for period in measured.PERIODS.values()] == [*keys.PRECISIONS]
    assert all(period.samples <= keys.SAMPLES_KEPT for period in measured.PERIODS.values())


@pytest.mark.parametrize("period", [key for key in measured.PERIODS if key != "minutes"])
def test_a_chart_shows_what_happened(boss: Client, guarded_redis: redis.Redis, period: str) -> None:
    samples.add(guarded_redis, Gathered([], {"hits": 4_321, "claims.sold_out": 77}))
    page = text(boss, f"/admin/activity/?period={period}")
    assert ">4,321</strong>" in page
    assert '"label": "sold out"' in page
    assert '"label": "accepted"' not in page
    assert page.count("Nothing of this in the time shown") == 4


def test_the_newest_seconds_are_left_out_until_all_processes_have_sent_them(
    boss: Client, guarded_redis: redis.Redis
) -> None:
    samples.add(guarded_redis, Gathered([], {"hits": 5}))
    second = next(iter(guarded_redis.scan_iter("*counter:1:hits")))
    (start,) = guarded_redis.hkeys(second)
    guarded_redis.hset(second, str(int(start) - 60), 3)
    page = text(boss, "/admin/activity/charts/?period=minutes")
    assert ">3</strong>" in page or ">8</strong>" in page
    assert 'hx-trigger="every 2s' in text(boss, "/admin/activity/")


def test_the_slowest_are_listed_in_either_order(boss: Client, guarded_redis: redis.Redis) -> None:
    steady = [Sample("shops:detail", 0.050, 200)] * 200
    spiky = [Sample("verb/search", 0.001)] * 195 + [Sample("verb/search", 0.9)] * 5
    samples.add(guarded_redis, Gathered(steady + spiky, {}))
    by_p99, by_mean = text(boss, "/admin/slowest/"), text(boss, "/admin/slowest/?by=mean")
    assert by_p99.index("<code>search<") < by_p99.index("<code>shops:detail<")
    assert by_mean.index("<code>shops:detail<") < by_mean.index("<code>search<")
    assert "from 1.00 to 900.00 ms" in by_p99


def test_the_slowest_have_twenty_rows_a_page(boss: Client, guarded_redis: redis.Redis) -> None:
    timed = [Sample(f"verb/step{number:02}", 0.100 - number / 1_000) for number in range(25)]
    samples.add(guarded_redis, Gathered(timed, {}))
    first, second = text(boss, "/admin/slowest/?by=mean"), text(boss, "/admin/slowest/?by=mean&page=2")
    assert "<code>step19<" in first
    assert "<code>step20<" not in first
    assert "page=2" in first
    assert "<code>step24<" in second
    for odd in ("0", "99", "x", "-1"):
        assert "<code>step" in text(boss, f"/admin/slowest/?page={odd}")


def test_lines_are_filtered_and_messages_counted(boss: Client, guarded_redis: redis.Redis) -> None:
    log_lines.add(
        guarded_redis,
        [
            Waiting(
                1_800_000_000, "apps.coupons", "ERROR", "order %d failed", "order 7 failed\nTraceback: x"
            ),
            Waiting(1_800_000_001, "apps.coupons", "ERROR", "order %d failed", "order 8 failed"),
            Waiting(1_800_000_002, "django.request", "WARNING", "Not Found: %s", "Not Found: /x"),
        ],
    )
    page = text(boss, "/admin/log/")
    assert page.index("Not Found: /x") < page.index("order 8 failed") < page.index("order 7 failed")
    assert "<code>order %d failed</code>" in page
    assert "Traceback: x" in page
    page = text(boss, "/admin/log/?severity=WARNING&logger=django.request")
    assert "Not Found: /x" in page
    assert "order 8 failed" not in page
    assert "No process has logged anything" in text(boss, "/admin/log/?severity=DEBUG")


def test_a_page_costs_few_round_trips(
    boss: Client, guarded_redis: redis.Redis, round_trips: list[object]
) -> None:
    names = [Sample(f"route{number}", 0.01, 200) for number in range(50)]
    samples.add(guarded_redis, Gathered(names, {"hits": 1}))
    for path in PAGES:
        text(boss, path)
    redis_client.get("metrics").ping()
    for path in PAGES:
        del round_trips[:]
        text(boss, path)
        assert len(round_trips) <= 6, path
