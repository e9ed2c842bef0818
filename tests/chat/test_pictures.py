"""Pictures of messages: sent through the API, and deleted when no message has them."""

from datetime import timedelta
from io import BytesIO

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from PIL import Image

from apps.accounts.models import User
from apps.accounts.pictures import files as picture_files
from apps.chat import messages, pictures
from apps.chat.models import Chat, Picture
from apps.moderation.models import Case
from tests.coupons import buyers
from tests.sample_pictures import make_picture

pytestmark = pytest.mark.django_db(transaction=True)


def send(user: User) -> int:
    file = SimpleUploadedFile("menu.jpg", make_picture(), "image/jpeg")
    answer = buyers.api_client(user).post("/api/chat-pictures", {"picture": file})
    assert answer.status_code == 201
    return int(answer.json()["id"])


@pytest.mark.both_databases
def test_a_picture_without_a_message_is_deleted_after_a_day(chat_of_two: Chat, alice: User) -> None:
    kept, unused = send(alice), send(alice)
    messages.post(alice.pk, chat_of_two.pk, picture_id=kept)
    name = Picture.objects.get(pk=unused).name
    assert pictures.delete_expired() == 0
    Picture.objects.update(created_at=timezone.now() - timedelta(days=2))
    assert pictures.delete_expired() == 1
    assert list(Picture.objects.values_list("pk", flat=True)) == [kept]
    assert not default_storage.exists(picture_files.file_path(pictures.FOLDER, name))


def test_what_is_no_picture_is_refused(alice: User) -> None:
    file = SimpleUploadedFile("menu.jpg", b"text", "image/jpeg")
    answer = buyers.api_client(alice).post("/api/chat-pictures", {"picture": file})
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_picture")


def test_the_api_reports_a_message(chat_of_two: Chat, alice: User, bob: User) -> None:
    messages.post(bob.pk, chat_of_two.pk, "Buy cheap watches")
    mine, url = buyers.api_client(alice), f"/api/chats/{chat_of_two.pk}/reports"
    body = {"number": 1, "reason": "spam"}
    assert mine.post(url, body, content_type="application/json").status_code == 201
    assert Case.objects.get().excerpt == "Buy cheap watches"
    assert mine.post(url, {"reason": "x"}, content_type="application/json").status_code == 422
    outside = mine.post("/api/chats/999999/reports", body, content_type="application/json")
    assert outside.status_code == 404


def test_a_message_names_its_picture_in_all_sizes_for_its_members(
    chat_of_two: Chat, alice: User, bob: User, manager: User
) -> None:
    messages.post(alice.pk, chat_of_two.pk, picture_id=send(alice))
    reader = buyers.api_client(bob)
    found = reader.get(f"/api/chats/{chat_of_two.pk}/messages").json()["items"][0]["picture"]
    name = Picture.objects.get().name
    assert found["url"] == f"http://testserver/chats/pictures/{name}.webp"
    assert found["card_url"] == f"http://testserver/chats/pictures/{name}-card.webp"
    for address in (found["url"], found["card_url"]):
        member, stranger = buyers.browser_client(bob), buyers.browser_client(manager)
        sized = member.get(address, {"width": 160}).getvalue()
        assert Image.open(BytesIO(sized)).width <= 160
        assert member.get(address, {"width": 161}).status_code == 422
        assert stranger.get(address, {"width": 160}).status_code == 404
