"""Operations in JSON: what the admin's pages show and change, for staff and programs with the scope."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.test import Client
from django.utils import timezone

from apps.accounts.models import AccessToken, User
from apps.accounts.programs import program_tokens
from apps.accounts.sessions import cookies, tokens
from apps.logship.models import CityVisits, FilePosition
from apps.metrics import log_lines, samples
from apps.metrics.gathering import Gathered, Sample
from apps.metrics.log_lines import Waiting
from apps.monitoring.models import ReconcileResult
from apps.siteconfig.components.copies import CHANGED, copy
from apps.siteconfig.components.definitions import COMPONENTS
from apps.siteconfig.maintenance import switch
from apps.siteconfig.models import MaintenanceChange, SettingsChange

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = "/api/operations"
LISTS = (
    "counters",
    "slowest",
    "log-lines",
    "common-messages",
    "visits-by-city",
    "shipped-files",
    "reconcile",
)


@pytest.fixture(autouse=True)
def nothing_set() -> Iterator[None]:
    """Forget in this process what operators have set; Redis is emptied between tests."""
    yield
    switch.switch.closed = None
    copy.clear()
    CHANGED.notify()


@pytest.fixture
def script(manager: User) -> Client:
    """A program with the scope operations."""
    raw = program_tokens.make(manager, name="Dashboard", scopes=["operations"], days=7)[1]
    return Client(headers={"Authorization": f"Bearer {raw}"})


def send(client: Client, method: str, path: str, body: Any = None) -> Any:
    return client.generic(method, f"{ROOT}/{path}", json.dumps(body), "application/json")


@pytest.mark.parametrize("path", [*LISTS, "maintenance", "persistence", "settings"])
def test_staff_alone_reads_by_a_token_of_the_scope_or_by_their_log_in(
    script: Client, alice: User, manager: User, path: str
) -> None:
    assert script.get(f"{ROOT}/{path}").status_code == 200
    raw = tokens.issue(manager, kind=AccessToken.Kind.PAGE)
    assert (
        Client(headers={"Cookie": f"{cookies.TOKEN_COOKIE}={raw}"}).get(f"{ROOT}/{path}").status_code == 200
    )
    stranger = Client(headers={"Authorization": f"Bearer {tokens.issue(alice, kind=AccessToken.Kind.API)}"})
    assert stranger.get(f"{ROOT}/{path}").json()["code"] == "forbidden"
    assert Client().get(f"{ROOT}/{path}").status_code == 401
    lesser = program_tokens.make(manager, name="x", scopes=["read", "write", "orders"], days=7)[1]
    answer = Client(headers={"Authorization": f"Bearer {lesser}"}).get(f"{ROOT}/{path}")
    assert answer.json()["scope"] == "operations"


@pytest.mark.parametrize("path", LISTS)
def test_lists_are_paged_alike_and_refuse_what_they_don_t_know(script: Client, path: str) -> None:
    answer = script.get(f"{ROOT}/{path}?size=1").json()
    assert answer.keys() >= {"items", "next"}
    assert script.get(f"{ROOT}/{path}?cursor=forged").json()["code"] == "bad_cursor"
    for query in ("size=0", "size=51", "size=x", "sizes=1"):
        assert script.get(f"{ROOT}/{path}?{query}").status_code == 422


def test_counters_have_their_samples(script: Client, guarded_redis: redis.Redis) -> None:
    samples.add(guarded_redis, Gathered([], {"logins": 3, "searches": 3}))
    first = script.get(f"{ROOT}/counters?size=1&samples=5").json()
    second = script.get(f"{ROOT}/counters?size=1&samples=5&cursor={first['next']}").json()
    found = {each["name"]: each for each in first["items"] + second["items"]}
    assert len(found) == 2
    assert {len(each["counts"]) for each in found.values()} == {5}
    assert max(each["total"] for each in found.values()) >= 3


def test_the_slowest_have_percentiles(script: Client, guarded_redis: redis.Redis) -> None:
    durations = [Sample("view/shops:detail", seconds) for seconds in (0.001, 0.002, 0.5)]
    samples.add(guarded_redis, Gathered(durations, {}))
    [found] = script.get(f"{ROOT}/slowest?by=mean").json()["items"]
    assert (found["kind"], found["name"], found["count"]) == ("view", "shops:detail", 3)
    assert found["p50_ms"] < found["p99_ms"]
    assert found["max_ms"] == pytest.approx(500, rel=0.05)


def test_the_log_is_read_by_severity_and_logger(script: Client, guarded_redis: redis.Redis) -> None:
    line = Waiting(1_800_000_000.0, "apps.coupons", "ERROR", "The bank says %s", "The bank says no")
    log_lines.add(guarded_redis, [line])
    found = script.get(f"{ROOT}/log-lines?severity=ERROR&logger=apps.coupons").json()["items"]
    assert [(each["text"], each["severity"]) for each in found] == [("The bank says no", "ERROR")]
    common = script.get(f"{ROOT}/common-messages").json()["items"]
    assert any(each["template"] == "The bank says %s" for each in common)
    assert script.get(f"{ROOT}/log-lines?severity=LOUD").status_code == 422


@pytest.mark.both_databases
def test_visits_by_city_and_files_with_their_progress(script: Client) -> None:
    today = timezone.localdate()
    CityVisits.objects.create(day=today, city="Hangzhou|杭州", country="CN", visits=7)
    CityVisits.objects.create(day=today - timedelta(days=9), city="Hangzhou|杭州", country="CN", visits=5)
    by_days = {days: script.get(f"{ROOT}/visits-by-city?days={days}").json() for days in (1, 30)}
    assert [each["items"][0]["visits"] for each in by_days.values()] == [7, 12]
    for number in range(3):
        FilePosition.objects.create(analyser="visits", file=f"access-{number}.log", offset=number)
    first = script.get(f"{ROOT}/shipped-files?size=2").json()
    second = script.get(f"{ROOT}/shipped-files?size=2&cursor={first['next']}").json()
    files = [each["file"] for each in first["items"] + second["items"]]
    assert files == ["access-2.log", "access-1.log", "access-0.log"]
    assert first["items"][0]["sent_bytes"] == 0


def test_files_are_listed_while_redis_is_away(script: Client, redis_away_now: Any) -> None:
    FilePosition.objects.create(analyser="visits", file="access.log", offset=7)
    redis_away_now()
    [found] = script.get(f"{ROOT}/shipped-files").json()["items"]
    assert (found["sent_bytes"], found["counted_bytes"]) == (None, 7)
    assert script.get(f"{ROOT}/counters").status_code == 503


@pytest.mark.both_databases
def test_reconcile_s_last_result_is_read_by_part(script: Client) -> None:
    ReconcileResult.objects.create(part="accounts.logins", ran_at=timezone.now(), left=2, fixed=1)
    [found] = script.get(f"{ROOT}/reconcile").json()["items"]
    assert (found["part"], found["left"], found["fixed"], found["clean_at"]) == (
        "accounts.logins",
        2,
        1,
        None,
    )
    assert found["about"]


def test_a_program_closes_and_opens_the_site(script: Client, manager: User) -> None:
    until = (timezone.now() + timedelta(hours=1)).isoformat()
    closed = send(script, "PUT", "maintenance", {"until": until, "text_en": "Back soon."})
    assert (closed.status_code, closed.json()["closed"], closed.json()["text_en"]) == (
        200,
        True,
        "Back soon.",
    )
    assert Client().get("/api/shop-types").status_code == 503
    assert script.get(f"{ROOT}/maintenance").json()["changed_by"] == str(manager)
    assert send(script, "DELETE", "maintenance").json()["closed"] is False
    assert send(script, "DELETE", "maintenance").status_code == 200
    assert Client().get("/api/shop-types").status_code == 200
    assert MaintenanceChange.objects.count() == 2


BAD_ANNOUNCEMENTS: dict[str, Any] = {
    "a time that is over": {"until": "2020-01-01T00:00:00Z"},
    "a time without a zone": {"until": "2099-01-01T00:00:00"},
    "no time": {"until": "soon"},
    "a long text": {"text_en": "x" * 301},
    "a list": [],
    "nothing": None,
}


@pytest.mark.parametrize("body", BAD_ANNOUNCEMENTS.values(), ids=BAD_ANNOUNCEMENTS)
def test_a_bad_announcement_closes_nothing(script: Client, body: Any) -> None:
    assert send(script, "PUT", "maintenance", body).status_code in {400, 422}
    assert switch.read() is None


@pytest.mark.both_databases
def test_settings_are_read_and_changed(script: Client) -> None:
    listed = {each["name"]: each for each in script.get(f"{ROOT}/settings").json()["items"]}
    assert listed.keys() == dict(COMPONENTS.items()).keys()
    assert listed["logins"]["number"] == 0
    changed = send(
        script, "PATCH", "settings/logins", {"based_on": 0, "values": {"codes_per_minute": 7}}
    ).json()
    values = {each["name"]: each["value"] for each in changed["settings"]}
    assert (changed["number"], values["codes_per_minute"]) == (1, 7)
    late = send(script, "PATCH", "settings/logins", {"based_on": 0, "values": {"codes_per_minute": 9}})
    assert (late.status_code, late.json()["code"]) == (409, "changed_meanwhile")
    kept = send(script, "PATCH", "settings/logins", {"based_on": 1, "values": {"codes_per_day": 70}}).json()
    values = {each["name"]: each["value"] for each in kept["settings"]}
    assert (values["codes_per_minute"], values["codes_per_day"]) == (7, 70)
    send(script, "PATCH", "settings/logins", {"based_on": 2, "values": {"codes_per_minute": None}})
    assert SettingsChange.objects.get(number=3).overrides == {"codes_per_day": 70}


BAD_VALUES: dict[str, Any] = {
    "too small": {"codes_per_minute": 0},
    "too large": {"codes_per_minute": 2**63},
    "a word": {"codes_per_minute": "many"},
    "a list": {"codes_per_minute": [1]},
    "a setting that isn't": {"codes_a_year": 1},
    "one right, one wrong": {"codes_per_day": 5, "codes_per_minute": -1},
}


@pytest.mark.parametrize("values", BAD_VALUES.values(), ids=BAD_VALUES)
def test_a_bad_value_is_named_and_changes_nothing(script: Client, values: Any) -> None:
    answer = send(script, "PATCH", "settings/logins", {"based_on": 0, "values": values})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert not SettingsChange.objects.exists()


def test_another_component_is_404(script: Client) -> None:
    assert send(script, "PATCH", "settings/nothing", {"based_on": 0, "values": {}}).status_code == 404
