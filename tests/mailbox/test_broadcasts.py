"""Messages of the site's staff: one row for everybody, batches for a list, and a stop for both."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.accounts.profiles import editing
from apps.mailbox import broadcasts, copies, tasks
from apps.mailbox.models import Audience, Broadcast, Notification, Preferences
from apps.outbox.models import Message
from apps.shops.geo import cities
from apps.web.problems import Problem
from tests.coupons import buyers
from tests.factories import BroadcastFactory, CityFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
#: What the button of a confirm dialog sends.
CONFIRMED = {"_form_submitted": "True"}


@pytest.mark.both_databases
def test_a_message_to_everybody_is_one_row_and_there_at_once(alice: User, bob: User) -> None:
    UserFactory.bulk_create(50)
    assert [copies.count_unread(person.pk) for person in (alice, bob)] == [0, 0]
    found = BroadcastFactory.create()
    with CaptureQueriesContext(connection) as queries:
        broadcasts.send(found.pk)
    writes = [query["sql"] for query in queries if re.match("(INSERT INTO|UPDATE) .mailbox", query["sql"])]
    assert (len(writes), Notification.objects.count()) == (1, 0)
    assert [copies.count_unread(person.pk) for person in (alice, bob)] == [1, 1]
    mine = buyers.browser_client(alice)
    assert b"Hot pot week" in mine.get("/notifications/").content
    assert b"Half price." in mine.get(f"/notifications/site/{found.pk}/").content
    assert [copies.count_unread(person.pk) for person in (alice, bob)] == [0, 1]


def test_it_is_sent_once_and_stopped_once(alice: User) -> None:
    found = BroadcastFactory.create()
    broadcasts.send(found.pk)
    with pytest.raises(Problem, match="already_sent"):
        broadcasts.send(found.pk)
    assert [broadcasts.stop(found.pk), broadcasts.stop(found.pk)] == [True, False]
    assert copies.count_unread(alice.pk) == 0
    assert buyers.browser_client(alice).get(f"/notifications/site/{found.pk}/").status_code == 404


@pytest.mark.both_databases
def test_a_city_is_one_in_both_languages(alice: User, charlie: User) -> None:
    broadcasts.send(BroadcastFactory.create(audience=Audience.CITY, city="杭州").pk)
    assert [copies.count_unread(person.pk) for person in (alice, charlie)] == [0, 1]
    editing.update_profile(alice, city="Hangzhou")
    assert copies.count_unread(alice.pk) == 1


def test_who_joins_later_or_wants_none_has_none(alice: User, bob: User) -> None:
    Preferences.objects.choose(bob.pk, {"site": "off"})
    User.objects.filter(pk=alice.pk).update(joined_at=timezone.now() + timedelta(minutes=1))
    found = BroadcastFactory.create()
    broadcasts.send(found.pk)
    assert [copies.count_unread(person.pk) for person in (alice, bob)] == [0, 0]
    assert buyers.browser_client(alice).get(f"/notifications/site/{found.pk}/").status_code == 404


@pytest.mark.both_databases
def test_a_list_is_told_in_batches_that_may_be_stopped(alice: User, bob: User) -> None:
    people = [alice.pk, *(person.pk for person in UserFactory.bulk_create(600))]
    found = BroadcastFactory.create(audience=Audience.LIST, people=people, people_count=len(people))
    broadcasts.send(found.pk)
    assert tasks.sweep() == 1
    assert [tasks.write_batch(found.pk) for _ in range(3)] == [500, 101, 0]
    assert tasks.sweep() == 0
    assert [copies.count_unread(person.pk) for person in (alice, bob)] == [1, 0]
    assert buyers.browser_client(alice).get(f"/notifications/site/{found.pk}/").status_code == 200
    assert buyers.browser_client(bob).get(f"/notifications/site/{found.pk}/").status_code == 404
    broadcasts.stop(found.pk)
    assert [tasks.write_batch(found.pk) for _ in range(3)] == [500, 101, 0]
    assert (copies.count_unread(alice.pk), Notification.objects.count()) == (0, 0)


@pytest.mark.both_databases
def test_staff_write_look_send_and_stop(boss: Client, alice: User, bob: User) -> None:
    fields = {"title_en": "Rain", "title_zh": "", "text_en": "Bring an umbrella.", "text_zh": "", "city": ""}
    fields |= {
        "audience": "list",
        "path": "/sales/",
        "phones": "13800000001\n+8613800000002",
    }
    add = "/admin/mailbox/broadcast/add/"
    assert b"Nobody has this phone" in boss.post(add, fields | {"phones": "+8613811112222"}).content
    assert b"begins with one" in boss.post(add, fields | {"path": "//evil.example/"}).content
    assert boss.post(add, fields).status_code == 302
    found = Broadcast.objects.get()
    assert found.people == [alice.pk, bob.pk]
    page = f"/admin/mailbox/broadcast/{found.pk}/"
    assert b"Bring an umbrella." in boss.get(f"{page}change/").content
    boss.post(f"{page}send/", CONFIRMED)
    broadcasts.work_on(found.pk)
    assert b"2 / 2" in boss.get(f"{page}change/").content
    boss.post(f"{page}stop/", CONFIRMED)
    found.refresh_from_db()
    assert found.state == Broadcast.State.STOPPED


def test_a_form_shows_its_message_and_counts_its_people_before_it_is_saved(
    boss: Client, alice: User, bob: User
) -> None:
    def preview(query: str = "", **fields: str) -> str:
        return boss.post(f"/admin/mailbox/broadcast/preview/{query}", fields).content.decode()

    assert "preview/" in boss.get("/admin/mailbox/broadcast/add/").content.decode()
    assert "Choose to whom it goes" in preview(title_en="Rain")
    written = preview(title_en="Rain", text_zh="带伞", audience=Audience.EVERYBODY)
    assert "3 people" in written
    assert written.count("Rain") == written.count("带伞") == 2
    UserFactory.bulk_create(4, city="Chengdu")
    assert "4 people" in preview(audience=Audience.CITY, city="Chengdu")
    assert "Choose to whom it goes" in preview(audience=Audience.CITY, city="")
    assert "1 person" in preview(audience=Audience.LIST, phones=alice.phone)
    assert "Choose to whom it goes" in preview(audience=Audience.LIST, phones="+8613811112222")
    draft = {"audience": Audience.LIST, "people": [alice.pk, bob.pk], "people_count": 2}
    found = BroadcastFactory.create(state=Broadcast.State.DRAFT, **draft)
    assert "2 people" in preview(f"?draft={found.pk}", audience=Audience.LIST)
    assert Broadcast.objects.count() == 1


def test_strangers_count_nobody(alice: User) -> None:
    fields = {"audience": Audience.EVERYBODY}
    assert buyers.browser_client(alice).post("/admin/mailbox/broadcast/preview/", fields).status_code == 302


@pytest.mark.both_databases
def test_text_messages_wait_for_the_end_of_quiet_hours(alice: User) -> None:
    hour = timezone.localtime().hour
    Preferences.objects.choose(alice.pk, {"site": "sms"}, quiet_from=hour, quiet_until=(hour + 2) % 24)
    found = BroadcastFactory.create(audience=Audience.LIST, people=[alice.pk], people_count=1)
    broadcasts.send(found.pk)
    broadcasts.work_on(found.pk)
    message = Message.objects.get()
    assert message.next_try_at == Preferences.objects.get(pk=alice.pk).end_of_quiet_hours(message.created_at)
    assert "/notifications/" in message.text


def test_the_dialogs_say_how_many_people_a_message_is_for(boss: Client, alice: User, bob: User) -> None:
    draft = {"audience": Audience.LIST, "people": [alice.pk, bob.pk], "people_count": 2}
    found = BroadcastFactory.create(state=Broadcast.State.DRAFT, title_en="Storm tonight", **draft)
    page = f"/admin/mailbox/broadcast/{found.pk}/"
    dialog = boss.get(f"{page}send/").content.decode()
    assert "2 people" in dialog
    assert "A list of people" in dialog
    assert "Storm tonight" in dialog
    UserFactory.bulk_create(1_200, city="Chengdu")
    Broadcast.objects.update(audience=Audience.CITY, city="Chengdu")
    assert "1,200 people" in boss.get(f"{page}send/").content.decode()
    Broadcast.objects.update(state=Broadcast.State.SENT)
    assert "1,200 people" in boss.get(f"{page}stop/").content.decode()


def test_a_city_is_chosen_from_the_list(boss: Client) -> None:
    CityFactory.create(slug="shanghai", name_en="Shanghai", name_zh="上海")
    cities.forget()
    page = boss.get("/admin/mailbox/broadcast/add/", headers={"Accept-Language": "zh-hans"})
    assert ("Shanghai", "上海") in page.context["adminform"].form.fields["city"].widget.choices
    found = BroadcastFactory.create(state=Broadcast.State.DRAFT, audience=Audience.CITY, city="上海市")
    choices = boss.get(f"/admin/mailbox/broadcast/{found.pk}/change/").context["adminform"].form["city"]
    assert ("上海市", "Shanghai") in choices.field.widget.choices


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"title_en": ""}, "Write this in one language at least."),
        ({"text_en": " "}, "Write this in one language at least."),
        ({"audience": Audience.CITY, "city": "Hangzuo"}, "Nobody lives in a city of this name."),
        ({"audience": Audience.CITY, "city": ""}, "Which city?"),
    ],
)
def test_a_message_that_nobody_could_read_is_refused(
    boss: Client, changed: dict[str, str], sentence: str
) -> None:
    fields = {"title_en": "Storm", "text_en": "Bring an umbrella.", "audience": Audience.EVERYBODY}
    answer = boss.post("/admin/mailbox/broadcast/add/", fields | changed)
    assert sentence in answer.content.decode()
    assert not Broadcast.objects.exists()
