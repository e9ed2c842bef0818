from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts.models import User

JSON = "application/json"
PHONE = "13800000001"


def test_a_new_phone_becomes_a_person(db: None, client: Client, settings: Settings) -> None:
    settings.DEMO = True
    sent = client.post("/api/auth/code", {"phone": PHONE}, content_type=JSON)
    assert sent.status_code == 202
    assert sent.json()["expires_in"] == 120
    code = sent.json()["debug_code"]
    answer = client.post("/api/auth/login", {"phone": "+86 138 0000 0001", "code": code}, content_type=JSON)
    assert answer.status_code == 200
    person = User.objects.get()
    assert answer.json()["user"]["id"] == person.pk
    assert person.phone == "+8613800000001"
    me = client.get("/api/me", headers={"authorization": f"Bearer {answer.json()['token']}"})
    assert me.json() == answer.json()["user"]
