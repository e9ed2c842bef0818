"""Deleting an account: hidden at once, taken back by a log-in, and purged from every table and key."""

import json
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.apps import apps
from django.core.management import call_command
from django.db import models
from django.test import Client
from django.utils import timezone, translation
from pytest_django.fixtures import Settings

from apps.accounts import codes
from apps.accounts.codes import Purpose
from apps.accounts.deletion import deletions, rules
from apps.accounts.deletion.rules import ERASURES, Erasure
from apps.accounts.login import logins
from apps.accounts.models import AccessToken, AccountDeletion, User
from apps.blog.models import Comment, Note
from apps.chat import chats, messages
from apps.chat.models import Message
from apps.coupons.models import VoucherOrder
from apps.follows.models import Standing
from apps.monitoring.reconcile import parts
from apps.search.index import rebuilding as search_index
from apps.search.suggest import indexing as names_index
from apps.shops.geo import rebuilding
from apps.web.problems import Problem
from tests.backoffice import full_lives
from tests.coupons import buyers
from tests.factories import AccessTokenFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
IP, REQUEST = "10.0.0.1", "r" * 22


@pytest.fixture(autouse=True)
def post_office(settings: Settings) -> None:
    settings.SMS_SENDER = "tests.accounts.sms_recorder.RecordingSender"


@pytest.fixture
def lived(bob: User, charlie: User) -> User:
    """Alice did everything, and her city's lists are in Redis; no other number contains hers."""
    alice = UserFactory.create(pk=987_654, phone="+8613800000001", nickname="Alice", city="Shanghai")
    full_lives.live(alice, bob, charlie)
    rebuilding.rebuild()
    search_index.rebuild(lambda _done, _total: None)
    names_index.rebuild(lambda _done, _total: None)
    # The makers write rows past the verbs.
    for part in parts.select():
        list(part.check(True))
    return alice


def ask_for_deletion(user: User, **options: Any) -> AccountDeletion:
    code = deletions.begin(user, ip=IP)
    return deletions.request(user, code, ip=IP, **options)


def log_in(phone: str) -> logins.LoggedIn:
    device = logins.Device(kind=AccessToken.Kind.PAGE, ip=IP)
    return logins.log_in(phone, codes.send(phone, ip=IP, holder=REQUEST), request=REQUEST, device=device)


def end_grace(user: User) -> None:
    AccountDeletion.objects.filter(pk=user.pk).update(purge_at=timezone.now() - timedelta(seconds=1))


def delete_for_good(user: User) -> None:
    ask_for_deletion(user, give_up=True)
    end_grace(user)
    assert deletions.sweep()


def find_texts(*wanted: str) -> list[str]:
    """The text columns of all tables that contain one of these texts."""
    found = []
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            if isinstance(field, models.CharField | models.TextField | models.JSONField):
                values = model._default_manager.values_list(field.attname, flat=True)
                texts = [json.dumps(value, default=str, ensure_ascii=False) for value in values]
                if any(text in value for text in wanted for value in texts):
                    found.append(f"{model._meta.label}.{field.name}")
    return found


def test_the_life_of_the_test_has_a_row_in_every_column_that_names_a_person(lived: User) -> None:
    """A new column that names a person fails here: let full_lives fill it, and the app's Erasure empty it."""
    empty = {
        label
        for label, (model, name) in deletions.person_columns().items()
        if not model._default_manager.filter(**{name: lived.pk}).exists()
    }
    assert empty == {"accounts.AccountDeletion.user"}


def test_after_the_purge_no_row_and_no_text_names_the_person(lived: User, guarded_redis: redis.Redis) -> None:
    phone, nickname = lived.phone, lived.nickname
    delete_for_good(lived)
    assert deletions.find_leftovers([lived.pk]) == {}
    assert rules.kept_columns() <= deletions.person_columns().keys()
    # What bob wrote about her is his text; the name leads nowhere.
    assert find_texts(phone, nickname) == []
    found = [one for part in parts.select() for one in part.check(False)]
    assert found == []
    named = [key for key in guarded_redis.scan_iter() if str(lived.pk) in key]
    # Limits count for some minutes.
    assert [key for key in named if ":kit:hits:" not in key] == []


def test_what_others_have_stays_without_the_person(lived: User, bob: User) -> None:
    pair = chats.open_with(bob.pk, lived.pk)
    delete_for_good(lived)
    thread = Comment.objects.get(author=lived)
    assert (thread.text, thread.deleted_at is None, thread.replies.count()) == ("", False, 1)
    row = Message.objects.with_people().get(chat=pair, text="Look")
    assert (row.author, row.picture is None) == (None, False)
    page = buyers.browser_client(bob).get(f"/chats/{pair.pk}/").content.decode()
    assert "Deleted account" in page
    assert "This person deleted their account." in page
    with pytest.raises(Problem, match="blocked"):
        messages.post(bob.pk, pair.pk, "Are you there?")
    order = VoucherOrder.objects.select_related("user").get(user=lived)
    with translation.override("zh-hans"):
        assert User.objects.get(pk=order.user_id).nickname == "账号已注销"
    assert Standing.objects.get(pk=bob.pk).followers == 0


@pytest.mark.both_databases
def test_the_phone_is_free_again(lived: User) -> None:
    phone = lived.phone
    delete_for_good(lived)
    again = log_in(phone)
    assert again.is_new
    assert again.user.pk != lived.pk


@pytest.mark.both_databases
def test_a_request_hides_at_once_and_a_log_in_takes_it_back(lived: User, client: Client) -> None:
    note = Note.objects.published().get(author=lived)
    ask_for_deletion(lived)
    assert AccessToken.objects.live().filter(user=lived).count() == 0
    assert client.get(f"/people/{lived.pk}/").status_code == 404
    assert client.get(f"/notes/{note.pk}/").status_code == 404
    assert User.objects.get(pk=lived.pk).nickname == "Deleted account"
    back = log_in(lived.phone)
    assert (back.user.nickname, back.is_new, back.is_back) == ("Alice", False, True)
    assert client.get(f"/people/{lived.pk}/").status_code == 200
    assert client.get(f"/notes/{note.pk}/").status_code == 200
    assert Comment.objects.visible().filter(author=lived).count() == 1
    assert deletions.sweep() == 1
    assert not AccountDeletion.objects.exists()
    assert [one for part in parts.select() for one in part.check(False)] == []


def test_a_worker_that_dies_in_the_middle_is_continued(lived: User) -> None:
    ask_for_deletion(lived)
    end_grace(lived)

    def die(_user_id: int) -> int:
        raise SystemExit

    with ERASURES.registered(Erasure(purge=die), key="dies", order=35), pytest.raises(SystemExit):
        deletions.sweep()
    assert AccountDeletion.objects.get().purged_at is None
    assert not Note.objects.filter(author=lived).exists()
    with pytest.raises(Problem, match="disabled"):
        log_in(lived.phone)
    assert deletions.sweep() == 1
    assert AccountDeletion.objects.get().purged_at
    assert deletions.find_leftovers([lived.pk]) == {}


@pytest.mark.both_databases
def test_a_row_that_comes_late_is_found_and_purged(lived: User, bob: User) -> None:
    delete_for_good(lived)
    AccessTokenFactory.create(user=lived)
    [found] = deletions.check_leftovers(fix=True)
    assert (found.owner, found.actual) == (f"deleted account {lived.pk}", "accounts.AccessToken.user")
    assert deletions.sweep() == 1
    assert list(deletions.check_leftovers(fix=False)) == []


def test_an_order_to_use_stands_in_the_way_until_it_is_given_up(lived: User) -> None:
    VoucherOrder.objects.filter(user=lived).update(status="paid")
    with pytest.raises(Problem, match="deletion_blocked"):
        ask_for_deletion(lived)
    page = buyers.browser_client(lived).get("/me/delete/").content.decode()
    assert "1 paid coupon that you haven&#x27;t used" in page
    assert "are lost" in page
    ask_for_deletion(lived, give_up=True)
    assert VoucherOrder.objects.get(user=lived).status == "paid"


def test_staff_and_wrong_codes_are_refused(alice: User, manager: User) -> None:
    with pytest.raises(Problem, match="staff_account"):
        deletions.begin(manager, ip=IP)
    code = codes.send(alice.phone, ip=IP, holder=codes.person_holder(alice.pk))
    with pytest.raises(Problem, match="wrong_code"):
        deletions.request(alice, code, ip=IP)
    assert (
        codes.compare_with_stored(
            alice.phone, code, holder=codes.person_holder(alice.pk), purpose=Purpose.DELETE_ACCOUNT
        )
        is not codes.CheckResult.RIGHT
    )


def test_the_pages_delete_an_account(alice: User, settings: Settings) -> None:
    settings.DEMO = True
    mine = buyers.browser_client(alice)
    assert "What is kept, and why" in mine.get("/me/delete/").content.decode()
    step = mine.post("/me/delete/", {"give_up": "on"}).content.decode()
    code = step.partition("Your code is ")[2][:6]
    wrong = mine.post("/me/delete/finish/", {"phone": alice.phone, "code": "x"})
    assert wrong.status_code == 400
    done = mine.post("/me/delete/finish/", {"phone": alice.phone, "code": code}, follow=True)
    assert "Your account is deleted" in done.content.decode()
    assert mine.get("/me/").status_code == 302


@pytest.mark.both_databases
def test_the_api_tells_deletes_and_gives_the_data(lived: User) -> None:
    program = buyers.api_client(lived)
    plan = program.get("/api/me/deletion").json()
    assert plan["grace_days"] == deletions.GRACE.days
    assert any("books" in sentence for sentence in plan["kept"])
    data = program.get("/api/me/data").json()
    assert data["profile"]["phone"] == lived.phone
    assert {"notes", "comments", "orders", "messages", "check_ins", "following"} <= data.keys()
    assert program.post("/api/me/deletion/code").status_code == 202
    code = codes.send(
        lived.phone, ip=IP, holder=codes.person_holder(lived.pk), purpose=Purpose.DELETE_ACCOUNT
    )
    answer = program.post("/api/me/deletion", {"code": code}, content_type="application/json")
    assert answer.status_code == 200
    assert program.get("/api/me").status_code == 401


def test_the_reconciliation_knows_the_part(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("reconcile", "--list")
    assert "accounts.deletions" in capsys.readouterr().out
