"""The rows of a shop's hours in forms: of owners, of managers, and the week that is shown beside them."""

from datetime import date, timedelta
from random import Random
from typing import Any

import pytest
from django import forms
from django.http import QueryDict
from django.test import Client

from apps.accounts.models import User
from apps.shops import hours, hours_form
from apps.shops.members import membership
from apps.shops.models import Shop
from tests.coupons import buyers
from tests.factories import ShopMemberFactory
from tests.shops import makers
from tests.shops.test_hours import random_schedule

FIELD = hours_form.HoursField(required=False)


def send(schedule: hours.Schedule | None, name: str = "schedule") -> dict[str, str]:
    """What a browser sends of the rows that a schedule has in a form."""
    written = hours_form.write_input(schedule)
    sent = {f"{name}-same": "1"} if written.is_same else {}
    rows = written.days | {f"x{number}": row for number, row in enumerate(written.exceptions)}
    for key, row in rows.items():
        sent[f"{name}-{key}-kind"] = row.kind
        for number, pair in enumerate(row.pairs):
            sent |= {f"{name}-{key}-{number}-opens": pair.opens, f"{name}-{key}-{number}-closes": pair.closes}
        if key.startswith("x"):
            sent |= {f"{name}-{key}-first": row.first, f"{name}-{key}-last": row.last}
            sent |= {f"{name}-{key}-open-end": "1"} if row.is_until_further_notice else {}
    return sent


def read(sent: dict[str, str]) -> Any:
    data = QueryDict(mutable=True)
    data.update(sent)
    widget: Any = FIELD.widget
    return widget.value_from_datadict(data, {}, "schedule")


MONDAYS = hours.load("Mo off; Tu-Su 10:00-22:00")


def test_what_a_form_shows_it_reads_back() -> None:
    """Also with a whole day's span: nothing is lost between the rows and the schedule."""
    draw = Random(4)
    for _ in range(200):
        schedule = random_schedule(draw, date(2026, 12, 30))
        text = hours.dump(schedule)
        assert FIELD.clean(read(send(schedule))) == text
        assert not FIELD.has_changed(text, read(send(schedule)))
    assert FIELD.clean(read(send(None))) == ""
    assert not FIELD.has_changed("Mo-Su 10:00-22:00", read({"phone": "1"}))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"tu-0-opens": ""}, "Tuesday: both times are needed"),
        ({"tu-0-opens": "99:00"}, "no time of the day"), ({"tu-0-opens": "10:61"}, "no time of the day"),
        ({"tu-0-opens": "whenever"}, "no time of the day"),
        ({"tu-0-opens": "", "tu-0-closes": ""}, "Tuesday: write when it opens"), ({"we-kind": ""}, ""),
        ({"x0-first": "someday"}, "the day of each exception"),
        ({"x0-kind": "times", "x0-first": "", "x0-0-opens": "10:00"}, "the day of"),
        ({"x0-kind": "closed", "x0-first": "", "x0-last": ""}, ""),
        ({"x0-first": "2027-01-02", "x0-last": "2027-01-01", "x0-kind": "closed"}, "ends before it begins"),
        ({"x0-first": "2027-01-02", "x0-kind": "times"}, "write when it opens"),
    ],
)  # fmt: skip
def test_a_row_that_can_t_be_read_is_named(changes: dict[str, str], sentence: str) -> None:
    sent = send(MONDAYS) | {f"schedule-{key}": value for key, value in changes.items()}
    if not sentence:
        # Times without the choice are times, and the empty row of exceptions says nothing.
        assert FIELD.clean(read(sent)) == hours.dump(MONDAYS or hours.Schedule())
        return
    with pytest.raises(forms.ValidationError, match=sentence):
        FIELD.clean(read(sent))


@pytest.fixture
def shop(alice: User) -> Shop:
    made = makers.shop()
    ShopMemberFactory.create(shop=made, user=alice, owner=True)
    membership.sync_roles(alice)
    return made


TEXTS = {"about_en": "", "about_zh": "", "hours_en": "11:00–22:00", "hours_zh": "", "phone": ""}


@pytest.mark.django_db(transaction=True)
def test_an_owner_says_days_and_exceptions_and_people_read_them(shop: Shop, alice: User) -> None:
    hers, path = buyers.browser_client(alice), f"/shops/{shop.pk}/edit/"
    page = hers.get(path).content.decode()
    assert 'name="schedule-mo-0-opens" value="11:00"' in " ".join(page.split())
    tomorrow = date.today() + timedelta(days=2)
    exception = {"x0-first": tomorrow.isoformat(), "x0-last": "", "x0-kind": "times",
                 "x0-0-opens": "12:00", "x0-0-closes": "16:00"}  # fmt: skip
    sent = TEXTS | send(MONDAYS) | {f"schedule-{key}": value for key, value in exception.items()}
    assert hers.post(path, sent).status_code == 302
    shop.refresh_from_db()
    assert shop.schedule == f"Mo off; Tu-Su 10:00-22:00; {tomorrow.isoformat()} 12:00-16:00"
    # The days took the place of the words.
    assert (shop.hours_en, shop.hours_zh) == ("", "")
    page = " ".join(Client().get(shop.get_absolute_url()).content.decode().split())
    assert '<th scope="row">Monday</th> <td>Closed</td>' in page
    assert "12:00–16:00" in page
    chinese = Client(headers={"accept-language": "zh-CN"}).get(shop.get_absolute_url()).content.decode()
    assert "周一休息；周二至周日 10:00–22:00" in chinese


@pytest.mark.django_db(transaction=True)
def test_words_that_are_not_understood_are_kept_and_said(shop: Shop, alice: User) -> None:
    hers, path = buyers.browser_client(alice), f"/shops/{shop.pk}/edit/"
    answer = hers.post(path, TEXTS | {"hours_en": "by appointment"}, follow=True)
    assert "“by appointment” isn&#x27;t understood" in answer.content.decode()
    shop.refresh_from_db()
    assert (shop.schedule, shop.hours_en) == ("", "by appointment")
    page = Client().get(shop.get_absolute_url()).content.decode()
    assert "Hours unknown" in page
    assert "by appointment" in page
    refused = hers.post(path, TEXTS | {"hours_en": "99:00-12:00"})
    assert (refused.status_code, "no time of the day" in refused.content.decode()) == (422, True)
    both = hers.post(path, TEXTS | {"hours_en": "09:00-10:00"} | send(MONDAYS))
    assert (both.status_code, "not both" in both.content.decode()) == (422, True)
    assert hers.post(path, TEXTS | {"hours_en": "Mo-Sa 09:00-10:00"}).status_code == 302
    shop.refresh_from_db()
    assert shop.schedule == "Mo-Sa 09:00-10:00; Su off"


@pytest.mark.django_db(transaction=True)
def test_the_week_stands_beside_its_rows(shop: Shop, alice: User, client: Client) -> None:
    hers, path = buyers.browser_client(alice), "/shops/hours/preview/"
    page = hers.post(path, send(MONDAYS)).content.decode()
    assert ("Monday" in page, "Closed" in page, "10:00–22:00" in page) == (True, True, True)
    assert "both times" in hers.post(path, send(MONDAYS) | {"schedule-tu-0-opens": ""}).content.decode()
    page = hers.post(path, send(None) | {"hours_en": "看心情"}).content.decode()
    assert "isn&#x27;t understood" in page
    assert "09:00–10:00" in hers.post(path, send(None) | {"hours_en": "09:00-10:00"}).content.decode()
    # The admin's form shows it to people without a log-in on the site.
    assert "10:00–22:00" in client.post(path, send(MONDAYS)).content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_manager_writes_them_in_the_admin(shop: Shop, boss: Client) -> None:
    path = f"/admin/shops/shop/{shop.pk}/change/"
    page = " ".join(boss.get(path).content.decode().split())
    assert 'name="schedule-mo-0-opens" value="11:00"' in page
    assert "hours_form.js" in page


@pytest.mark.django_db(transaction=True)
def test_a_program_of_the_owner_says_them_as_days_or_in_words(shop: Shop, alice: User, bob: User) -> None:
    path = f"/api/shops/{shop.pk}/hours"
    hers, his = map(buyers.api_client, (alice, bob))

    def put(body: dict[str, Any], client: Client = hers) -> Any:
        return client.put(path, body, content_type="application/json")

    answer = put({"text": "Mo-Sa 10:00-26:00; PH off"})
    assert (answer.status_code, answer.json()["text"]) == (200, "Mo-Sa 10:00-26:00; Su off; PH off")
    body = {name: answer.json()[name] for name in ("week", "holidays", "exceptions")}
    body["exceptions"] = [{"first": "2027-01-01", "last": "2027-01-01", "spans": []}]
    expected = "Mo-Sa 10:00-26:00; Su off; PH off; 2027-01-01 off"
    assert put(body).json()["text"] == expected
    shop.refresh_from_db()
    assert (shop.schedule, shop.hours_en) == (expected, "")
    span = {"opens": "99:00", "closes": "10:00"}
    for wrong in (
        {"text": "看心情"},
        {"text": "99:00-12:00"},
        {},
        {"week": [{"day": "mo", "spans": [span]}]},
    ):
        assert put(wrong).json()["code"] == "invalid"
    assert put(body, his).status_code == 404
    shop.refresh_from_db()
    assert shop.schedule == expected
