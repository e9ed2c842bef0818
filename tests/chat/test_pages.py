"""The pages of chats: what they show, and what their forms do without scripts."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import factory
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.chat import messages, unread
from apps.chat.models import Chat, Member, Message
from apps.coupons.models import Voucher
from apps.follows import graph
from tests.coupons import buyers
from tests.factories import ChatFactory, MemberFactory, MessageFactory, VoucherFactory
from tests.sample_pictures import make_picture

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


def test_the_list_shows_last_line_and_unread_count(chat_of_two: Chat, alice: User, bob: User) -> None:
    messages.post(bob.pk, chat_of_two.pk, "Dumplings tonight?")
    text = buyers.browser_client(alice).get("/chats/").text
    assert "Dumplings tonight?" in text
    assert "chat-row--new" in text
    unread.move_seen(alice.pk, chat_of_two.pk, 1)
    assert "chat-row--new" not in buyers.browser_client(alice).get("/chats/").text


@pytest.mark.both_databases
def test_the_list_is_searched_and_has_empty_states(chat_of_two: Chat, alice: User, bob: User) -> None:
    mine = buyers.browser_client(alice)
    assert "No chats yet" in mine.get("/chats/").text
    messages.post(bob.pk, chat_of_two.pk, "Hello")
    assert "Hello" in mine.get("/chats/", {"q": "bo"}).text
    assert "No chat of that name" in mine.get("/chats/", {"q": "zzz"}).text


def test_the_rows_beside_an_open_chat_mark_it_and_leave_its_count_out(
    chat_of_two: Chat, alice: User, bob: User
) -> None:
    messages.post(bob.pk, chat_of_two.pk, "Dumplings tonight?")
    mine = buyers.browser_client(alice)
    beside = mine.get("/chats/", {"at": chat_of_two.pk}, headers=HTMX).text
    assert 'aria-current="page"' in beside
    assert "chat-row--new" not in beside
    for other in (str(chat_of_two.pk + 1), "9" * 30, "x", ""):
        answer = mine.get("/chats/", {"at": other}, headers=HTMX)
        assert (answer.status_code, 'aria-current="page"' in answer.text) == (200, False)
        assert "chat-row--new" in answer.text


def test_more_rows_keep_the_words_of_the_search_and_the_open_chat(alice: User, bob: User) -> None:
    made = ChatFactory.bulk_create(30, name="R&B #1", creator=alice)
    for user in (alice, bob):
        MemberFactory.bulk_create(30, chat=factory.Iterator(made), user=user)
    mine = buyers.browser_client(alice)
    first = mine.get("/chats/", {"q": "R&B #1", "at": str(made[0].pk)}, headers=HTMX).text
    (more,) = re.findall(r'hx-get="(/chats/\?[^"]+)"', first)
    query = dict(parse_qsl(urlsplit(unescape(more)).query))
    assert (query["q"], query["at"]) == ("R&B #1", str(made[0].pk))
    seen_rows = re.findall(r'href="/chats/(\d+)/"', first + mine.get(unescape(more), headers=HTMX).text)
    assert len(set(seen_rows)) == len(seen_rows) == 30


@pytest.mark.parametrize("rows", [10, 20])
def test_a_list_costs_the_same_for_more_rows(alice: User, bob: User, rows: int) -> None:
    made = ChatFactory.bulk_create(rows, name="Friday", creator=alice)
    for user in (alice, bob):
        MemberFactory.bulk_create(rows, chat=factory.Iterator(made), user=user)
    mine = buyers.browser_client(alice)
    mine.get("/chats/")
    with CaptureQueriesContext(connection) as queries:
        mine.get("/chats/")
    assert len(queries) <= 4, [query["sql"][:80] for query in queries]


def test_a_form_sends_a_message_and_a_picture(chat_of_two: Chat, alice: User, bob: User) -> None:
    mine = buyers.browser_client(alice)
    picture = SimpleUploadedFile("menu.jpg", make_picture(), "image/jpeg")
    sent = mine.post(f"/chats/{chat_of_two.pk}/messages/", {"text": "<b>Look</b>", "picture": picture})
    assert (sent.status_code, sent["Location"]) == (302, f"/chats/{chat_of_two.pk}/")
    page = buyers.browser_client(bob).get(f"/chats/{chat_of_two.pk}/").text
    assert "&lt;b&gt;Look&lt;/b&gt;" in page
    kept = Message.objects.get().picture
    assert kept
    url = f"/chats/pictures/{kept.name}.webp"
    assert buyers.browser_client(bob).get(url)["Content-Type"] == "image/webp"


@pytest.mark.both_databases
def test_a_picture_is_for_the_members_alone(
    chat_of_two: Chat, alice: User, charlie: User, client: Client
) -> None:
    picture = SimpleUploadedFile("menu.jpg", make_picture(), "image/jpeg")
    buyers.browser_client(alice).post(f"/chats/{chat_of_two.pk}/messages/", {"picture": picture})
    kept = Message.objects.get().picture
    assert kept
    url = f"/chats/pictures/{kept.name}.webp"
    assert buyers.browser_client(charlie).get(url).status_code == 404
    assert client.get(url).status_code in {302, 401}


def test_a_script_gets_the_message_drawn_and_a_repeat_is_the_same_one(chat_of_two: Chat, alice: User) -> None:
    mine = buyers.browser_client(alice)
    for _ in range(2):
        answer = mine.post(
            f"/chats/{chat_of_two.pk}/messages/", {"text": "Hello", "client_id": "key-1"}, headers=HTMX
        )
        assert answer.status_code == 201
        assert 'id="m-1"' in answer.text
    assert Message.objects.count() == 1


def test_an_empty_message_is_refused_and_what_was_written_stays(chat_of_two: Chat, alice: User) -> None:
    mine = buyers.browser_client(alice)
    assert mine.post(f"/chats/{chat_of_two.pk}/messages/", {"text": " "}).status_code == 422
    refused = mine.post(f"/chats/{chat_of_two.pk}/messages/", {"text": "long " * 1_000})
    assert refused.status_code == 422
    assert "long long" in refused.text
    script = mine.post(f"/chats/{chat_of_two.pk}/messages/", {"text": " "}, headers=HTMX)
    assert script.json()["code"] == "invalid"


@pytest.mark.both_databases
def test_history_goes_back_by_links_and_forward_by_number(group: Chat, alice: User, bob: User) -> None:
    for number in range(2, 37):
        messages.post(bob.pk, group.pk, f"Message {number}")
    mine = buyers.browser_client(alice)
    newest = mine.get(f"/chats/{group.pk}/").text
    assert "?before=7" in newest
    older = mine.get(f"/chats/{group.pk}/", {"before": "7"}).text
    assert "Message 6<" in older
    assert "Message 7<" not in older
    later = mine.get(f"/chats/{group.pk}/", {"after": "33"}, headers=HTMX).text
    assert "Message 34<" in later
    assert "Message 33<" not in later


def test_a_shared_note_that_is_gone_says_so(chat_of_two: Chat, alice: User, bob: User) -> None:
    MessageFactory.create(chat=chat_of_two, author=bob, text="", card_kind="note", card_id=10**9)
    Chat.objects.filter(pk=chat_of_two.pk).update(last_number=1)
    assert "no longer on the site" in buyers.browser_client(alice).get(f"/chats/{chat_of_two.pk}/").text


@pytest.mark.both_databases
def test_a_coupon_without_a_sale_is_shared_from_its_page(chat_of_two: Chat, alice: User, bob: User) -> None:
    voucher = VoucherFactory.create()
    mine = buyers.browser_client(alice)
    link = f"/chats/share/?kind=voucher&amp;id={voucher.pk}"
    assert link in mine.get(voucher.get_absolute_url()).text
    assert "Noodles for two" in mine.get(link.replace("&amp;", "&")).text
    mine.post("/chats/share/", {"kind": "voucher", "id": voucher.pk, "chat": chat_of_two.pk})
    page = buyers.browser_client(bob).get(f"/chats/{chat_of_two.pk}/").text
    assert "Noodles for two" in page
    assert "Coupon" in page
    assert "Shared a coupon" in buyers.browser_client(bob).get("/chats/").text
    Voucher.objects.update(is_offered=False)
    assert "no longer on the site" in buyers.browser_client(bob).get(f"/chats/{chat_of_two.pk}/").text


def test_deleting_leaves_a_trace(chat_of_two: Chat, alice: User) -> None:
    messages.post(alice.pk, chat_of_two.pk, "Wrong chat")
    mine = buyers.browser_client(alice)
    deleted = mine.post(f"/chats/{chat_of_two.pk}/messages/1/delete/", headers=HTMX).text
    assert "This message was deleted." in deleted
    assert "Wrong chat" not in mine.get(f"/chats/{chat_of_two.pk}/").text


@pytest.mark.both_databases
def test_people_are_chosen_for_a_group(alice: User, bob: User, charlie: User) -> None:
    for person in (bob, charlie):
        graph.follow(alice.pk, person.pk)
    mine = buyers.browser_client(alice)
    assert "Charlie" in mine.get("/chats/new/", {"q": "char"}).text
    picked = mine.get("/chats/new/", {"q": "char", "person": str(bob.pk)}, headers=HTMX).text
    assert f'value="{bob.pk}"' in picked
    made = mine.post("/chats/new/", {"person": [str(bob.pk), str(charlie.pk)], "name": "Dinner"})
    chat = Chat.objects.get()
    assert (made["Location"], chat.name, chat.members.count()) == (f"/chats/{chat.pk}/", "Dinner", 3)
    assert mine.post("/chats/new/", {"name": "Nobody"}).status_code == 422


def test_a_persons_page_opens_one_chat_however_often(alice: User, bob: User) -> None:
    mine = buyers.browser_client(alice)
    assert f'action="/chats/with/{bob.pk}/"' in mine.get(f"/people/{bob.pk}/").text
    first, second = (mine.post(f"/chats/with/{bob.pk}/")["Location"] for _ in range(2))
    assert first == second


def test_a_group_is_renamed_muted_and_left(group: Chat, alice: User, bob: User, charlie: User) -> None:
    mine = buyers.browser_client(alice)
    assert "Bob" in mine.get(f"/chats/{group.pk}/about/").text
    mine.post(f"/chats/{group.pk}/name/", {"name": "Noodles"})
    mine.post(f"/chats/{group.pk}/mute/", {"muted": "1"})
    mine.post(f"/chats/{group.pk}/invite/", {"person": str(charlie.pk)})
    group.refresh_from_db()
    assert group.name == "Noodles"
    assert Member.objects.get(chat=group, user=alice).is_muted
    assert Member.objects.filter(chat=group, user=charlie).exists()
    assert "Leave this chat?" in mine.get(f"/chats/{group.pk}/leave/").text
    assert mine.post(f"/chats/{group.pk}/leave/")["Location"] == "/chats/"
    assert mine.get(f"/chats/{group.pk}/").status_code == 404


@pytest.mark.parametrize("page", ["", "about/", "leave/", "invite/", "report/"])
def test_other_peoples_chats_look_like_none(chat_of_two: Chat, charlie: User, page: str) -> None:
    theirs = buyers.browser_client(charlie)
    assert theirs.get(f"/chats/{chat_of_two.pk}/{page}").status_code == 404
    assert theirs.get(f"/chats/{10**9}/{page}").status_code == 404


def test_blocked_people_read_but_dont_write(chat_of_two: Chat, alice: User, bob: User) -> None:
    messages.post(bob.pk, chat_of_two.pk, "Hello")
    blocks.block(alice.pk, bob.pk)
    theirs = buyers.browser_client(bob)
    page = theirs.get(f"/chats/{chat_of_two.pk}/").text
    assert "Hello" in page
    assert "data-chat-form" not in page
    assert theirs.post(f"/chats/{chat_of_two.pk}/messages/", {"text": "Why?"}).status_code == 403


def test_the_header_counts_chats_with_news(chat_of_two: Chat, alice: User, bob: User) -> None:
    messages.post(bob.pk, chat_of_two.pk, "Hello")
    mine = buyers.browser_client(alice)
    assert mine.get("/api/me/page").json()["chats"] == {"unread": [chat_of_two.pk], "muted": []}
    mine.post(f"/chats/{chat_of_two.pk}/seen/", {"number": "1"})
    assert mine.get("/api/me/page").json()["chats"] == {"unread": [], "muted": []}
    mine.post(f"/chats/{chat_of_two.pk}/mute/", {"muted": "1"})
    assert mine.get("/api/me/page").json()["chats"] == {"unread": [], "muted": [chat_of_two.pk]}


@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 30, "7"])
def test_what_was_not_there_was_not_seen(chat_of_two: Chat, alice: User, number: str) -> None:
    answer = buyers.browser_client(alice).post(f"/chats/{chat_of_two.pk}/seen/", {"number": number})
    assert answer.status_code in {204, 422}
    assert Member.objects.get(chat=chat_of_two, user=alice).seen_number == 0


def test_visitors_log_in_first(client: Client, chat_of_two: Chat) -> None:
    for path in ("/chats/", "/chats/new/", f"/chats/{chat_of_two.pk}/"):
        answer = client.get(path)
        assert answer.status_code in {302, 401}
