import pytest
from django.test import Client

from apps.accounts.models import User
from tests.accounts import outbox
from tests.accounts.conftest import Race
from tests.conftest import on_postgres

PHONE = "+8613800000001"
#: PostgreSQL's default is 100 connections in all.
MANY = 60 if on_postgres() else 100


@pytest.mark.django_db(transaction=True)
def test_parallel_first_log_ins_make_one_person(race: Race) -> None:
    answers = race(MANY, lambda _number: User.objects.get_or_make(PHONE))
    person = User.objects.get()
    assert {answer[0] for answer in answers if isinstance(answer, tuple)} == {person}
    assert [answer for answer in answers if isinstance(answer, Exception)] == []


@pytest.mark.django_db(transaction=True)
def test_one_code_lets_one_of_many_parallel_log_ins_in(race: Race) -> None:
    client = Client()
    client.post("/api/auth/code", {"phone": PHONE}, content_type="application/json")
    code = outbox.last_code(PHONE)

    def enter(_number: int) -> int:
        body = {"phone": PHONE, "code": code}
        return Client().post("/api/auth/login", body, content_type="application/json").status_code

    answers = race(15, enter)
    assert (answers.count(200), answers.count(400)) == (1, 14)
    assert User.objects.count() == 1
