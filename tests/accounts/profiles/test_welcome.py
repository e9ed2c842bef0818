"""The step after a first log-in."""

import pytest
from django.test import Client

from apps.accounts.models import User
from tests.accounts import sms_recorder
from tests.coupons import buyers

pytestmark = pytest.mark.django_db
PHONE = "+8613800000042"


def log_in(client: Client, goto: str) -> str:
    client.post("/login/code/", {"phone": PHONE, "next": goto})
    body = {"phone": PHONE, "code": sms_recorder.last_code(PHONE), "next": goto}
    return client.post("/login/", body).headers["Location"]


def test_a_new_person_is_welcomed_once_and_goes_on_to_the_page_they_wanted(client: Client) -> None:
    assert log_in(client, "/notes/") == "/welcome/?next=%2Fnotes%2F"
    page = client.get("/welcome/?next=/notes/").content.decode()
    assert 'name="next" value="/notes/"' in page
    assert '<a class="btn btn--text btn--keep" href="/notes/">' in page
    done = client.post("/welcome/", {"next": "/notes/", "nickname": "Wei", "city": "Shanghai"})
    assert (done.status_code, done.headers["Location"]) == (302, "/notes/")
    assert User.objects.values_list("nickname", "city").get(phone=PHONE) == ("Wei", "Shanghai")
    assert log_in(Client(), "/notes/") == "/notes/"


def test_whoever_came_for_a_sale_is_not_held_up(client: Client) -> None:
    assert log_in(client, "/vouchers/7/?from=home") == "/vouchers/7/?from=home"


@pytest.mark.both_databases
def test_a_wrong_name_is_said_and_the_way_on_is_kept(alice: User) -> None:
    page = buyers.browser_client(alice).post("/welcome/", {"next": "/notes/", "nickname": ""})
    assert page.status_code == 422
    assert 'value="/notes/"' in page.content.decode()
    # A path of another site is none.
    assert (
        buyers.browser_client(alice)
        .post("/welcome/", {"next": "https://evil.example/", "nickname": "Al"})
        .headers["Location"]
        == "/"
    )
