import pytest
from django.test import Client

from apps.accounts.models import AccessToken, User
from apps.accounts.profiles import profile_counts
from apps.accounts.sessions import tokens
from apps.geoip.locating import Place
from tests.accounts.conftest import issue_cached_token

CHROME = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/120 Mobile Safari/537.36"
HANGZHOU = Place("Hangzhou", "杭州", "CN")
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def me(client: Client, alice: User) -> Client:
    client.cookies["savor_token"] = issue_cached_token(alice, AccessToken.Kind.PAGE)
    return client


def test_each_device_is_named(me: Client, alice: User) -> None:
    tokens.issue(alice, kind=AccessToken.Kind.API, place=HANGZHOU, user_agent=CHROME)
    page = me.get("/me/sessions/").content.decode()
    assert "Chrome · Android" in page
    assert "Hangzhou ·" in page
    assert "杭州 ·" in me.get("/me/sessions/", headers={"Accept-Language": "zh-hans"}).content.decode()
    assert page.count("this device") == 1


def test_another_device_is_out_at_the_press_of_a_button(me: Client, alice: User) -> None:
    other = issue_cached_token(alice)
    row = AccessToken.objects.get(digest=tokens.digest(other))
    assert me.post(f"/me/sessions/{row.pk}/end/").status_code == 302
    assert tokens.resolve(other) is None
    assert me.get("/me/").status_code == 200


def test_a_stranger_s_device_is_404(me: Client, bob: User) -> None:
    theirs = issue_cached_token(bob)
    row = AccessToken.objects.get(digest=tokens.digest(theirs))
    assert me.post(f"/me/sessions/{row.pk}/end/").status_code == 404
    assert tokens.resolve(theirs)


@pytest.mark.parametrize("number", ["0", str(2**63), "9" * 30, "-1", "1.5"])
def test_an_id_that_is_none_is_404(me: Client, number: str) -> None:
    assert me.post(f"/me/sessions/{number}/end/").status_code == 404


def test_log_out_everywhere_is_everywhere(me: Client, alice: User) -> None:
    other = issue_cached_token(alice)
    assert me.post("/me/sessions/end/").status_code == 302
    assert tokens.resolve(other) is None
    assert me.get("/me/").status_code == 302


def test_log_out_everywhere_asks_first(me: Client, alice: User) -> None:
    assert 'data-dialog-open="end-all"' in me.get("/me/sessions/").content.decode()
    asked = me.get("/me/sessions/end/").content.decode()
    assert "Log out everywhere?" in asked
    assert me.get("/me/").status_code == 200


def test_a_name_with_a_script_is_text(me: Client, alice: User) -> None:
    User.objects.update(nickname="<script>alert(1)</script>")
    page = me.get("/me/").content.decode()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page


def test_a_disabled_person_is_a_visitor_at_once(me: Client) -> None:
    User.objects.update(is_active=False)
    assert me.get("/me/").status_code == 302


@pytest.mark.both_databases
def test_higher_apps_show_their_numbers(me: Client, alice: User) -> None:
    source = profile_counts.CountSource(
        lambda _number: "Devices known", lambda user: user.tokens.count(), page="accounts:person"
    )
    assert profile_counts.read_all(alice, [("devices", source)]) == [
        ("devices", "Devices known", 1, f"/people/{alice.pk}/"),
    ]
