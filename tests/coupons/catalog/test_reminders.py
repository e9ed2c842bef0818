"""Bells: asking to be told before a sale begins, through the API and through pages."""

import json
import re
from datetime import timedelta

import factory
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import limits
from apps.coupons.catalog import reminders, sales
from apps.coupons.models import FlashSale, Reminder, Voucher
from apps.redis_kit import limiter
from tests import markup
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import ReminderFactory, UserFactory
from tests.races import race

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


@pytest.fixture
def upcoming_sale(make_sale: MakeSale) -> FlashSale:
    """A sale that begins in an hour."""
    return make_sale(begins_in=3_600)


def reminder_path(sale: FlashSale) -> str:
    return f"/api/vouchers/{sale.pk}/reminder"


def button_pressed(html: str) -> str:
    """The state of the page's bell."""
    found = re.search(r'<button class="[^"]*bell__button"[^>]*aria-pressed="(\w+)"', html)
    assert found, html
    return found[1]


def test_put_and_delete_are_idempotent(upcoming_sale: FlashSale, alice: User, bob: User) -> None:
    api = buyers.api_client(alice)
    buyers.api_client(bob).put(reminder_path(upcoming_sale))
    for _ in range(2):
        answer = api.put(reminder_path(upcoming_sale))
        assert (answer.status_code, answer.json()) == (200, {"reminder": True, "waiting": 2})
    for _ in range(2):
        answer = api.delete(reminder_path(upcoming_sale))
        assert (answer.status_code, answer.json()) == (200, {"reminder": False, "waiting": 1})
    assert Reminder.objects.get().user == bob


@pytest.mark.parametrize("verb", ["put", "delete"])
def test_who_can_not_ask(
    client: Client, upcoming_sale: FlashSale, voucher: Voucher, make_sale: MakeSale, alice: User, verb: str
) -> None:
    withdrawn = make_sale(begins_in=3_600)
    sales.withdraw(withdrawn.voucher)
    for person, number, status in (
        (client, upcoming_sale.pk, 401),
        (buyers.api_client(alice), withdrawn.pk, 404),
        (buyers.api_client(alice), voucher.pk, 404),
        (buyers.api_client(alice), 10_000, 404),
        (buyers.api_client(alice), 0, 422),
        (buyers.api_client(alice), 2**63, 422),
    ):
        answer = getattr(person, verb)(f"/api/vouchers/{number}/reminder")
        assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert not Reminder.objects.exists()


@pytest.mark.parametrize(
    ("begins_in", "code"), [(-60, "begun"), (-7_200, "begun"), (60, "too_late"), (299, "too_late")]
)
def test_when_it_is_too_late_the_refusal_says_so(
    make_sale: MakeSale, alice: User, begins_in: int, code: str
) -> None:
    sale = make_sale(begins_in=begins_in)
    answer = buyers.api_client(alice).put(reminder_path(sale))
    assert (answer.status_code, answer.json()["code"]) == (409, code)
    assert buyers.api_client(alice).delete(reminder_path(sale)).json() == {"reminder": False, "waiting": 0}
    assert not Reminder.objects.exists()
    page = markup.compact(buyers.browser_client(alice).get(f"/vouchers/{sale.pk}/").content)
    assert "bell__button" not in page


def test_a_script_that_rings_and_rings_is_told_to_wait(upcoming_sale: FlashSale, alice: User) -> None:
    limiter.hit([(limits.REMINDER_LIMIT, alice.pk)], cost=limits.REMINDER_LIMIT.allowed)
    answer = buyers.api_client(alice).put(reminder_path(upcoming_sale))
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    assert int(answer["Retry-After"]) > 0
    assert not Reminder.objects.exists()


@pytest.mark.both_databases
def test_of_many_presses_at_once_one_counts(upcoming_sale: FlashSale, alice: User) -> None:
    answers = race(20, lambda _: reminders.add(upcoming_sale.pk, alice.pk))
    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    assert Reminder.objects.count() == 1


def test_the_page_has_a_bell_that_works_without_scripts(upcoming_sale: FlashSale, alice: User) -> None:
    browser, here = buyers.browser_client(alice), f"/vouchers/{upcoming_sale.pk}/"
    page = markup.compact(browser.get(here).content)
    assert button_pressed(page) == "false"
    assert "By text message." in page
    # The page doesn't know whether it rings already: without scripts a press turns it.
    for wanted, rings in (("1", True), ("1", True), ("0", False), ("0", False), ("", True), ("", False)):
        answer = browser.post(f"{here}remind/", {"wanted": wanted, "next": here})
        assert (answer.status_code, answer["Location"]) == (302, here)
        page = markup.compact(browser.get(here).content)
        assert ("We will tell you." in page) == rings


def test_the_page_counts_others_and_not_the_reader(upcoming_sale: FlashSale, alice: User, bob: User) -> None:
    here = f"/vouchers/{upcoming_sale.pk}/"
    reminders.add(upcoming_sale.pk, alice.pk)
    page = markup.compact(buyers.browser_client(alice).get(here).content)
    assert "want to know" not in page
    assert "By text message." in page
    reminders.add(upcoming_sale.pk, bob.pk)
    assert "2 people want to know." in markup.compact(buyers.browser_client(alice).get(here).content)


def test_htmx_gets_the_bell_of_the_page_or_of_the_card(upcoming_sale: FlashSale, alice: User) -> None:
    there = HTMX | {"hx-current-url": "http://testserver/sales/?tab=coming"}
    browser, press = buyers.browser_client(alice), f"/vouchers/{upcoming_sale.pk}/remind/"
    card = markup.compact(browser.post(press, {"wanted": "1", "spot": "card"}, headers=there).content)
    assert (button_pressed(card), "reminder__ask" in card) == ("true", False)
    assert 'name="next" value="/sales/?tab=coming"' in card
    page = markup.compact(browser.post(press, {"wanted": "0", "spot": "page"}, headers=HTMX).content)
    assert (button_pressed(page), "reminder__ask" in page) == ("false", True)
    assert "<html" not in page


@pytest.mark.both_databases
def test_a_refusal_reaches_pages_with_and_without_scripts(make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(begins_in=60)
    browser, press = buyers.browser_client(alice), f"/vouchers/{sale.pk}/remind/"
    answer = browser.post(press, {"wanted": "1", "spot": "page"}, headers=HTMX)
    assert (answer.status_code, button_pressed(markup.compact(answer.content))) == (409, "false")
    assert "five minutes" in json.loads(answer["HX-Trigger"])["toast"]["text"]
    plain = browser.post(press, {"wanted": "1", "next": f"/vouchers/{sale.pk}/"}, follow=True)
    assert "The sale begins in less than five minutes" in markup.compact(plain.content)


def test_a_visitor_logs_in_first_and_comes_back(upcoming_sale: FlashSale) -> None:
    press, here = f"/vouchers/{upcoming_sale.pk}/remind/", f"http://testserver/vouchers/{upcoming_sale.pk}/"
    back = f"/login/?next=%2Fvouchers%2F{upcoming_sale.pk}%2F"
    assert button_pressed(markup.compact(Client().get(f"/vouchers/{upcoming_sale.pk}/").content)) == "false"
    # What was pressed goes along: tests/accounts.
    assert Client().post(press, headers={"Referer": here})["Location"].startswith(f"{back}&then=")
    by_script = Client().post(press, headers=HTMX | {"HX-Current-URL": here})
    assert by_script["HX-Redirect"].startswith(f"{back}&then=")


def test_a_form_leads_to_no_other_site(upcoming_sale: FlashSale, alice: User) -> None:
    browser = buyers.browser_client(alice)
    for bad in ("https://example.com/", "//example.com", "/\\example.com", "javascript:alert(1)"):
        answer = browser.post(f"/vouchers/{upcoming_sale.pk}/remind/", {"wanted": "0", "next": bad})
        assert answer["Location"] == "/"
    assert browser.get(f"/vouchers/{upcoming_sale.pk}/remind/").status_code == 405
    assert not Reminder.objects.exists()


@pytest.mark.both_databases
@pytest.mark.parametrize("where", ["/", "/sales/?tab=coming", "/sales/strip/"])
def test_cards_of_coming_sales_have_one_and_cost_one_query(
    make_sale: MakeSale, alice: User, where: str
) -> None:
    upcoming_sale = [make_sale(begins_in=3_600) for _ in range(2)]
    make_sale(begins_in=60)
    reminders.add(upcoming_sale[0].pk, alice.pk)
    browser = buyers.browser_client(alice)
    page = markup.compact(browser.get(where).content)
    assert set(re.findall(r'data-bell="(\d+)"', page)) == {str(sale.pk) for sale in upcoming_sale}
    asked = ",".join(str(sale.pk) for sale in upcoming_sale)
    part = buyers.api_client(alice).get(f"/api/me/page?bells={asked}").json()
    assert part["reminded"] == [upcoming_sale[0].pk]
    with CaptureQueriesContext(connection) as few:
        browser.get(where)
    make_sale(begins_in=3_600)
    with CaptureQueriesContext(connection) as more:
        browser.get(where)
    assert len(few) == len(more)


def test_a_crowd_is_counted_to_a_thousand(upcoming_sale: FlashSale, alice: User) -> None:
    people = UserFactory.bulk_create(1_100)
    ReminderFactory.bulk_create(len(people), sale=upcoming_sale, user=factory.Iterator(people))
    assert buyers.api_client(alice).put(reminder_path(upcoming_sale)).json() == {
        "reminder": True,
        "waiting": 1_001,
    }
    page = markup.compact(buyers.browser_client(alice).get(f"/vouchers/{upcoming_sale.pk}/").content)
    assert "More than 1,000 people want to know." in page


def test_without_redis_a_bell_still_rings(upcoming_sale: FlashSale, alice: User, redis_away: None) -> None:
    reminders.add(upcoming_sale.pk, alice.pk)
    limits.charge_reminder(alice.pk)
    assert Reminder.objects.count() == 1
    assert upcoming_sale.begins_at > timezone.now() + timedelta(minutes=50)
