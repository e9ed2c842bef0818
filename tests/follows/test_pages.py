"""Pages of people, read and pressed without JavaScript, and as htmx does."""

import json
import re

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.follows import graph, limits
from apps.redis_kit import limiter
from tests import markup
from tests.coupons import buyers
from tests.factories import UserFactory
from tests.follows.conftest import MeasureCost
from tests.follows.makers import make_follows

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"hx-request": "true"}


@pytest.fixture
def alice_client(alice: User) -> Client:
    return buyers.browser_client(alice)


def text(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return markup.compact(answer.content)


def test_a_button_without_scripts_turns_and_goes_back_to_its_page(
    alice_client: Client, alice: User, bob: User
) -> None:
    here = f"/people/{bob.pk}/"
    assert f'action="{here}follow/"' in text(alice_client, here)
    for followed, said in (
        (True, "You follow this person now."),
        (False, "You no longer follow this person."),
    ):
        # The page is everybody's and doesn't know the state: its button has no value.
        answer = alice_client.post(f"{here}follow/", {"next": here, "followed": ""})
        assert (answer.status_code, answer["Location"]) == (302, here)
        assert said in text(alice_client, here)
        assert (bob.pk in graph.followed_ids(alice.pk)) == followed


def test_a_press_that_says_what_it_wants_may_be_repeated(
    alice_client: Client, alice: User, bob: User
) -> None:
    for followed in ("1", "1", "0", "0"):
        alice_client.post(f"/people/{bob.pk}/follow/", {"followed": followed, "next": "https://example.com/"})
        assert (bob.pk in graph.followed_ids(alice.pk)) == (followed == "1")


def test_a_button_goes_to_no_other_site(alice_client: Client, bob: User) -> None:
    for bad in ("https://example.com/", "//example.com", "/\\example.com", "javascript:alert(1)", "\x00"):
        assert alice_client.post(f"/people/{bob.pk}/follow/", {"next": bad})["Location"] == "/"


def test_htmx_gets_the_button_and_the_count(alice_client: Client, bob: User) -> None:
    there = HTMX | {"hx-current-url": "http://testserver/people/"}
    answer = alice_client.post(f"/people/{bob.pk}/follow/", {"counted": "1"}, headers=there)
    drawn = markup.compact(answer.content)
    assert answer.status_code == 200
    assert 'aria-label="Following Bob"' in drawn
    assert re.search(r'id="count-followers" hx-swap-oob="true">1<', drawn)
    assert 'name="next" value="/people/"' in drawn
    assert 'id="count-followers"' not in markup.compact(
        alice_client.post(f"/people/{bob.pk}/follow/", {"followed": "0"}, headers=HTMX).content
    )


def test_the_end_of_a_follow_is_answered_as_done_after_the_person_left(
    alice_client: Client, alice: User, bob: User
) -> None:
    graph.follow(alice.pk, bob.pk)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    answer = alice_client.post(f"/people/{bob.pk}/follow/", {"followed": "0"}, headers=HTMX)
    assert (answer.status_code, graph.is_following(alice.pk, bob.pk)) == (200, False)


def test_a_button_that_is_only_looked_at_does_nothing(alice_client: Client, alice: User, bob: User) -> None:
    assert alice_client.get(f"/people/{bob.pk}/follow/").status_code == 405
    assert graph.followed_ids(alice.pk) == set()


def test_a_visitor_is_sent_to_the_log_in_and_back(client: Client, bob: User) -> None:
    page = f"http://testserver/people/{bob.pk}/"
    answer = client.post(f"/people/{bob.pk}/follow/", headers={"referer": page})
    # What was pressed goes along: tests/accounts.
    assert answer["Location"].startswith(f"/login/?next=%2Fpeople%2F{bob.pk}%2F&then=")
    answer = client.post(f"/people/{bob.pk}/follow/", headers={"hx-current-url": page, **HTMX})
    assert answer["HX-Redirect"].startswith(f"/login/?next=%2Fpeople%2F{bob.pk}%2F&then=")
    assert client.get(f"/people/{bob.pk}/common/").status_code == 302


@pytest.mark.both_databases
def test_a_refusal_is_a_sentence(alice_client: Client, alice: User, bob: User) -> None:
    limiter.hit([(limits.FOLLOWS_PER_MINUTE, alice.pk)], cost=60)
    answer = alice_client.post(f"/people/{bob.pk}/follow/", headers=HTMX)
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0
    assert "too fast" in json.loads(answer["HX-Trigger"])["toast"]["text"]
    assert 'aria-pressed="false"' in markup.compact(answer.content)
    plain = alice_client.post(f"/people/{bob.pk}/follow/", {"next": "/people/"}, follow=True)
    assert b"following people too fast" in plain.content


def test_nobody_can_press_for_themselves(alice_client: Client, alice: User) -> None:
    # The browser hides it from them.
    assert f'data-except="{alice.pk}"' in text(alice_client, f"/people/{alice.pk}/")
    assert alice_client.post(f"/people/{alice.pk}/follow/", headers=HTMX).status_code == 422


@pytest.mark.parametrize("path", ["", "followers/", "following/", "common/"])
def test_who_is_not_here_has_no_page(alice_client: Client, bob: User, path: str) -> None:
    User.objects.filter(pk=bob.pk).update(is_active=False)
    for number in (str(bob.pk), "0", "01", "x", "-1", str(2**63), "9" * 30, "%00", "１"):
        assert alice_client.get(f"/people/{number}/{path}").status_code in {400, 404}
    for followed in "01":
        assert alice_client.post(f"/people/{bob.pk}/follow/", {"followed": followed}).status_code == 404


def test_my_own_page_leads_to_its_form(alice_client: Client, alice: User) -> None:
    page = text(alice_client, f"/people/{alice.pk}/")
    assert f'href="/me/edit/" hidden data-owner="{alice.pk}"' in page


def test_a_person_s_page_says_who_they_are(client: Client, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(bio="Noodles <b>first</b>", nickname="<script>alert(1)</script>")
    make_follows(UserFactory.bulk_create(3), [bob])
    page = text(client, f"/people/{bob.pk}/")
    assert "Noodles &lt;b&gt;first" in page
    assert "<script>alert(1)" not in page
    assert 'id="count-followers">3<' in page


def test_no_page_shows_a_phone(
    alice_client: Client, client: Client, alice: User, bob: User, charlie: User
) -> None:
    make_follows([alice, bob], [charlie])
    make_follows([charlie], [alice, bob])
    for path in ("", "followers/", "following/", "common/"):
        for visitor in (alice_client, buyers.browser_client(charlie)):
            assert "1380000" not in text(visitor, f"/people/{bob.pk}/{path}")
    assert "1380000" not in text(client, "/people/")


def test_whom_both_follow_is_said_by_name(alice_client: Client, alice: User, bob: User) -> None:
    def said() -> str:
        return markup.compact(alice_client.get(f"/people/{bob.pk}/common/", headers=HTMX).content)

    people = UserFactory.bulk_create(6)
    assert said() == ""
    graph.follow(alice.pk, people[0].pk)
    graph.follow(bob.pk, people[0].pk)
    assert f"You both follow {people[0].nickname}" in said()
    for person in people[1:5]:
        graph.follow(alice.pk, person.pk)
        graph.follow(bob.pk, person.pk)
    names = ", ".join(person.nickname for person in people[:3])
    assert f"You both follow {names} and 2 others" in said()
    page = text(alice_client, f"/people/{bob.pk}/common/")
    assert all(person.nickname in page for person in people[:5])
    assert people[5].nickname not in page


def test_a_list_goes_on_where_it_ended(alice_client: Client, bob: User) -> None:
    make_follows(UserFactory.bulk_create(25), [bob])
    page = text(alice_client, f"/people/{bob.pk}/followers/")
    assert page.count("person-row") == 20
    link = re.search(r'href="(\?cursor=[^"]+)"', page)
    assert link
    rest = markup.compact(alice_client.get(f"/people/{bob.pk}/followers/{link[1]}", headers=HTMX).content)
    assert rest.count("person-row") == 5
    assert "<html" not in rest
    assert alice_client.get(f"/people/{bob.pk}/followers/?cursor=x").status_code == 422


def test_empty_lists_say_what_to_do(alice_client: Client, client: Client, alice: User, bob: User) -> None:
    assert "Nobody follows you yet" in text(alice_client, f"/people/{alice.pk}/followers/")
    assert "You follow nobody yet" in text(alice_client, f"/people/{alice.pk}/following/")
    assert "Be the first one" in text(client, f"/people/{bob.pk}/followers/")
    assert "Follows nobody yet" in text(client, f"/people/{bob.pk}/following/")
    assert "Nobody in common yet" in text(alice_client, f"/people/{bob.pk}/common/")


@pytest.mark.usefixtures("redis_away")
@pytest.mark.parametrize("path", ["", "followers/", "following/"])
def test_pages_are_read_without_redis(client: Client, bob: User, path: str) -> None:
    make_follows(UserFactory.bulk_create(2), [bob])
    assert client.get(f"/people/{bob.pk}/{path}").status_code == 200


def test_twenty_rows_cost_what_ten_do(
    alice_client: Client, alice: User, bob: User, charlie: User, cost: MeasureCost
) -> None:
    people = UserFactory.bulk_create(20)
    make_follows(people[:10], [bob])
    make_follows(people, [charlie])
    make_follows([alice], people)
    alice_client.get(f"/people/{bob.pk}/followers/")

    def rows(person: User) -> list[str]:
        return re.findall("person-row", text(alice_client, f"/people/{person.pk}/followers/"))

    ten, twenty = cost(lambda: rows(bob), 10), cost(lambda: rows(charlie), 20)
    assert ten == twenty
