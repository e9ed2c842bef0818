"""What visitors do on a pattern page: run, be limited, measure; what a killed run leaves; Redis away."""

import json
from dataclasses import replace
from io import StringIO

import pytest
import redis
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons import keys as coupon_keys
from apps.patterns import comparisons, key_pictures, keys, limits, queue_designs, registry, scratch, views
from apps.patterns.pattern import LiveKey, Outcome, Text
from apps.redis_kit import client as redis_client

HTMX = {"HX-Request": "true"}
RUN = "/patterns/flash-sale/run/"
COMPARE = "/patterns/flash-sale/compare/"
pytestmark = pytest.mark.django_db


def test_the_list_links_every_pattern(client: Client) -> None:
    page = client.get(reverse("patterns:index")).content.decode()
    assert all(f'href="/patterns/{pattern.slug}/"' in page for pattern in registry.all_patterns())
    assert len(registry.all_patterns()) >= 20


def test_an_unknown_pattern_is_not_found(client: Client) -> None:
    assert client.get("/patterns/no-such/").status_code == 404
    assert client.post("/patterns/no-such/run/").status_code == 404


def test_a_run_shows_its_commands_and_outcome(client: Client) -> None:
    part = client.post(RUN, {"way": "naive"}, headers=HTMX).content.decode()
    assert "It breaks" in part
    assert "DECR …string:stock" in part
    assert "<html" not in part
    ours = client.post(RUN, {"way": "ours"}, headers=HTMX).content.decode()
    assert "It holds" in ours
    assert "EVALSHA claim.lua" in ours
    assert "hash:buyers" in ours, "the keys that it left are drawn"


def test_a_run_without_javascript_is_a_whole_page(client: Client) -> None:
    page = client.post(RUN, {"way": "naive"}).content.decode()
    assert "<html" in page
    assert "It breaks" in page
    assert "The problem" in page


def test_a_visitor_who_runs_too_often_waits(client: Client) -> None:
    for _ in range(limits.RUNS.allowed):
        client.post("/patterns/ids/run/", {"way": "naive"}, headers=HTMX)
    answer = client.post("/patterns/ids/run/", {"way": "naive"}, headers=HTMX)
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) >= 1


@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_page_is_read_and_says_why_nothing_runs(client: Client) -> None:
    page = client.get("/patterns/flash-sale/").content.decode()
    assert "The problem" in page
    assert "Redis is away" in page
    answer = client.post(RUN, {"way": "ours"}, headers=HTMX)
    assert answer.status_code == 200
    assert "Redis is away" in answer.content.decode()


def test_only_staff_measure_outside_a_demo(client: Client, alice: User, settings: Settings) -> None:
    settings.DEMO = False
    assert client.post(COMPARE, headers=HTMX).status_code == 403
    assert "Measure here" not in client.get("/patterns/flash-sale/").content.decode()


def test_a_measurement_is_kept_for_the_page(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DEMO = True
    monkeypatch.setattr(comparisons, "SMALL_BUDGET_SECONDS", 0.01)
    part = client.post(COMPARE, headers=HTMX).content.decode()
    stored = comparisons.read_newest("flash-sale")
    assert stored
    assert f"{stored.ours.rounds} rounds each" in part
    assert stored.naive.trips == 4
    assert stored.ours.trips == 1
    assert f"{stored.ours.rounds} rounds each" in client.get("/patterns/flash-sale/").content.decode()


def test_the_command_measures_and_stores(settings: Settings) -> None:
    printed = StringIO()
    call_command("compare", "ids", "--seconds", "0.01", "--json", "--store", stdout=printed)
    (result,) = json.loads(printed.getvalue())
    assert result["pattern"] == "ids"
    assert comparisons.read_newest("ids") == comparisons.parse(result)
    table = StringIO()
    call_command("compare", "ids", "--seconds", "0.01", stdout=table)
    assert "ids" in table.getvalue()


@pytest.mark.parametrize("arguments", [["no-such"], ["ids", "--seconds", "0"], ["ids", "--seconds", "99"]])
def test_the_command_refuses_what_it_does_not_know(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("compare", *arguments)


def test_what_a_killed_run_left_is_removed_by_a_later_one() -> None:
    run = scratch.Scratch()
    left = run.key("string", "left")
    run.do("SET", left, 1)
    # Its time is over: the noted second lies in the past.
    run.do("ZADD", keys.SCRATCH_NAMES(), 1, left)
    with scratch.opened():
        assert not run.do("EXISTS", left)
    assert not run.do("EXISTS", keys.SCRATCH_NAMES())


def test_a_run_that_fails_leaves_nothing() -> None:
    def fail(run: scratch.Scratch) -> Outcome:
        run.do("SET", run.key("string", "left"), 1)
        raise ZeroDivisionError

    pattern = registry.all_patterns()[0]
    with pytest.raises(ZeroDivisionError):
        views.run_way(replace(pattern, naive=replace(pattern.naive, run=fail)), "naive")
    assert not list(redis_client.get().scan_iter("*scratch*"))


def test_a_run_has_a_bounded_number_of_keys() -> None:
    with scratch.opened() as run:
        for number in range(scratch.MAX_KEYS):
            run.key("string", str(number))
        with pytest.raises(ValueError, match="at most"):
            run.key("string", "last")


def test_commands_of_other_threads_are_not_shown() -> None:
    pattern = registry.find("ids")
    assert pattern
    log = views.run_way(pattern, "naive").log
    assert {command.split()[0] for trip in log.trips for command in trip.commands} == {"SET", "GET"}


def test_live_keys_are_drawn_and_masked() -> None:
    key_pictures.forget()
    connected = redis_client.get()
    buyers = coupon_keys.BUYERS(partition=7, voucher=7)
    connected.hset(buyers, "123456", "987654:secret-token")
    connected.expire(buyers, 60)
    (picture,) = key_pictures.draw([LiveKey(coupon_keys.BUYERS, Text("buyers", "买家"))])
    (drawn,) = picture.keys
    assert (drawn.name, drawn.size) == (buyers, 1)
    assert drawn.elements == [("1•••••", "9•••••••")]
    assert 0 < drawn.ttl <= 60


def test_figures_that_come_with_the_project_are_of_its_patterns() -> None:
    shipped = comparisons.read_shipped()
    assert set(shipped) <= {pattern.slug for pattern in registry.all_patterns()}
    assert len(shipped) >= 20
    assert comparisons.read_newest("ids") == shipped["ids"]


def test_a_key_leads_to_the_page_that_explains_it() -> None:
    assert registry.find_page(coupon_keys.STOCK) == "/patterns/flash-sale/"
    assert registry.find_page(coupon_keys.NEW_SALE) == ""


def test_a_month_of_bits_is_drawn_as_days() -> None:
    pattern = registry.find("bitmaps")
    assert pattern
    (month,) = views.run_way(pattern, "ours").keys
    assert month.name == "string:month"
    assert [day for day, is_set in enumerate(month.bits, start=1) if is_set] == [1, 2, 3, 4, 5]


def test_what_is_sent_ends_by_itself_when_nobody_clears_it(guarded_redis: redis.Redis) -> None:
    for design, key in (
        (queue_designs.ListQueue, keys.COMPARED_QUEUE),
        (queue_designs.StreamQueue, keys.COMPARED_STREAM),
    ):
        design("left").send(["00000001"])
        assert 590 < guarded_redis.ttl(key(run="left")) <= 600
