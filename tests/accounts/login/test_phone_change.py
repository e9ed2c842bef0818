"""Another phone for an account: both codes, and what nobody can do without them."""

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.utils import timezone

from apps.accounts import codes, phones
from apps.accounts.codes import Purpose
from apps.accounts.login import phone_change
from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.outbox.models import Message
from apps.web.problems import Problem
from tests.accounts import sms_recorder
from tests.accounts.conftest import issue_cached_token

pytestmark = pytest.mark.django_db
NEW, IP = "+8613800000077", "10.0.0.1"


@pytest.fixture
def member(client: Client, alice: User) -> Client:
    client.cookies["savor_token"] = issue_cached_token(alice, AccessToken.Kind.PAGE)
    return client


def post(api: Client, path: str, token: str, **body: Any) -> Any:
    return api.post(path, body, content_type="application/json", headers={"Authorization": f"Bearer {token}"})


def prove(user: User, phone: str = NEW) -> str:
    """The proof of the user's present phone, for another number."""
    phone_change.begin(user, phone, ip=IP)
    return phone_change.prove_present(user, phone, sms_recorder.last_code(user.phone), ip=IP)[0]


def test_both_codes_change_the_number_and_end_other_log_ins(member: Client, alice: User) -> None:
    old_phone, _other_device = alice.phone, issue_cached_token(alice)
    page = member.post("/me/phone/", {"phone": "138 0000 0077"}).content.decode()
    assert "Step 1 of 2" in page
    code = sms_recorder.last_code(old_phone)
    page = member.post("/me/phone/prove/", {"phone": NEW, "code": code}).content.decode()
    assert "Step 2 of 2" in page
    proof = re.findall(r'name="proof" value="([^"]+)"', page)[0]
    body = {"phone": NEW, "code": sms_recorder.last_code(NEW), "proof": proof}
    done = member.post("/me/phone/finish/", body, follow=True)
    assert phones.mask(NEW) in done.content.decode()
    alice.refresh_from_db()
    assert alice.phone == NEW
    assert AccessToken.objects.live().count() == 1
    assert [(row.to, "0077" in row.text) for row in Message.objects.all()] == [(old_phone, True)]


def test_the_api_does_the_same(client: Client, alice: User, token: str) -> None:
    sent = post(client, "/api/me/phone/code", token, phone=NEW)
    assert (sent.status_code, sent.json()) == (202, {"expires_in": 120})
    code = sms_recorder.last_code(alice.phone)
    proof = post(client, "/api/me/phone/proof", token, phone=NEW, code=code).json()["proof"]
    answer = post(
        client, "/api/me/phone", token, phone=NEW, proof=proof, code=sms_recorder.last_code(NEW)
    ).json()
    assert answer["phone"] == NEW
    assert tokens.claimed_user_id(answer["token"]) == alice.pk
    assert list(AccessToken.objects.live().values_list("digest", flat=True)) == [
        tokens.digest(answer["token"])
    ]


def test_a_wrong_code_can_be_typed_again(member: Client, alice: User) -> None:
    proof = prove(alice)
    body = {"phone": NEW, "proof": proof}
    wrong = member.post("/me/phone/finish/", body | {"code": "12345x"})
    assert wrong.status_code == 400
    assert "Wrong or expired" in wrong.content.decode()
    right = member.post("/me/phone/finish/", body | {"code": sms_recorder.last_code(NEW)})
    assert right.status_code == 302


def test_a_log_in_code_changes_nothing_and_the_other_way_round(alice: User) -> None:
    phone_change.begin(alice, NEW, ip=IP)
    assert codes.compare_with_stored(
        alice.phone, sms_recorder.last_code(alice.phone), holder=codes.person_holder(alice.pk)
    ) is not (codes.CheckResult.RIGHT)
    codes.send(alice.phone, ip=IP, holder=codes.person_holder(alice.pk))
    with pytest.raises(Problem, match="wrong_code"):
        phone_change.prove_present(alice, NEW, sms_recorder.last_code(alice.phone), ip=IP)


@pytest.mark.both_databases
def test_nobody_learns_of_an_account_before_the_number_is_theirs(
    member: Client, alice: User, bob: User
) -> None:
    assert "Step 1 of 2" in member.post("/me/phone/", {"phone": bob.phone}).content.decode()
    proof = prove(alice, bob.phone)
    body = {"phone": bob.phone, "proof": proof, "code": sms_recorder.last_code(bob.phone)}
    taken = member.post("/me/phone/finish/", body)
    assert taken.status_code == 409
    assert "Another account has this number." in taken.content.decode()
    bob.refresh_from_db()
    assert User.objects.get(phone=bob.phone) == bob


@pytest.mark.parametrize("kind", ["", "forged", "of bob", "of another number", "old"])
def test_without_the_present_phone_there_is_no_change(
    member: Client, alice: User, bob: User, kind: str, time_machine: Any
) -> None:
    proofs = {"": "", "forged": "x.y:z"}
    if kind == "old":
        time_machine.move_to(timezone.now() - phone_change.PROOF_AGE * 2, tick=True)
    if kind not in proofs:
        proofs[kind] = prove(bob if kind == "of bob" else alice, bob.phone if "number" in kind else NEW)
    time_machine.move_to(timezone.now() + phone_change.PROOF_AGE * (2 if kind == "old" else 0), tick=True)
    code = codes.send(NEW, ip=IP, holder=codes.person_holder(alice.pk), purpose=Purpose.CHANGE_PHONE)
    answer = member.post("/me/phone/finish/", {"phone": NEW, "proof": proofs[kind], "code": code})
    assert answer.status_code == 400
    assert "Please start again." in answer.content.decode()
    assert not User.objects.filter(phone=NEW).exists()


@pytest.mark.parametrize("phone", ["", "12", "+8613800000001", "\x00", "1" * 300, "电话"])
def test_a_number_that_can_not_be_is_refused(member: Client, alice: User, phone: str) -> None:
    answer = member.post("/me/phone/", {"phone": alice.phone if phone.startswith("+") else phone})
    assert answer.status_code in {400, 422}
    assert not sms_recorder.messages


def test_a_second_change_needs_a_new_proof(alice: User) -> None:
    proof = prove(alice)
    User.objects.filter(pk=alice.pk).update(phone="+8613800000078")
    with pytest.raises(Problem, match="proof_too_old"):
        phone_change._take(alice, NEW)
    alice.refresh_from_db()
    with pytest.raises(Problem, match="proof_too_old"):
        phone_change.require_proof(alice, NEW, proof)


def test_a_manager_s_change_is_in_the_audit_log(member: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    body = {"phone": NEW, "proof": prove(alice), "code": sms_recorder.last_code(NEW)}
    assert member.post("/me/phone/finish/", body).status_code == 302
    assert LogEntry.objects.get().change_message == "changed the phone number"


def test_a_stranger_is_asked_to_log_in(client: Client) -> None:
    assert client.get("/me/phone/")["Location"].startswith("/login/")
    assert post(client, "/api/me/phone/code", "nonsense", phone=NEW).status_code == 401


#: Of a person made for load tests, of a purged account, and what an import of other years may have left.
NO_NUMBERS = ["+9990000000001", "-42", "0", "nobody"]


@pytest.mark.parametrize("phone", NO_NUMBERS)
def test_who_has_no_number_is_told_so(client: Client, alice: User, token: str, phone: str) -> None:
    """By each way to a code for the present phone, on pages and by the API."""
    User.objects.filter(pk=alice.pk).update(phone=phone)
    answers = [
        post(client, "/api/me/phone/code", token, phone=NEW),
        post(client, "/api/me/deletion/code", token),
    ]
    assert [(one.status_code, one.json()["code"]) for one in answers] == [(422, "bad_phone")] * 2
    client.cookies["savor_token"] = issue_cached_token(alice, AccessToken.Kind.PAGE)
    pages = [client.post("/me/phone/", {"phone": NEW}), client.post("/me/delete/")]
    assert [one.status_code for one in pages] == [422, 422]
    assert all("This number can&#x27;t receive a code." in one.content.decode() for one in pages)
    assert sms_recorder.messages == []
