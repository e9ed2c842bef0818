"""The site's access log: what a line says and what it never says; segments; and the way to the numbers."""

import asyncio
import gzip
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.front.asgi import Front
from apps.front.observe import Answered
from apps.front.route import Message
from apps.geoip import importing
from apps.logship import access_log, segments, sending, tasks
from apps.logship.access_log import MAX_FORWARDED, MAX_PATH, AccessLog, Answer
from apps.logship.analysing import CityCounter, PathTimer
from apps.logship.models import CityVisits, FilePosition, PathTimes
from apps.logship.segments import Segment
from tests.geoip import files as geoip_files

pytestmark = pytest.mark.django_db(transaction=True)
AGENT = {b"user-agent": b"Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0"}
SECRET = "7-abcdefghijklmnopqrstuv"
#: 2026-11-20 23:30 in the site's zone, an hour earlier than the new day there.
AT = 1_795_188_600.25


def answer(target: str = "/shops/7/?q=secret", **fields: Any) -> Answer:
    valid: dict[str, Any] = {
        "method": "GET",
        "headers": AGENT,
        "status": 200,
        "is_html": True,
        "peer": "1.0.2.7",
        "target": target,
    }
    given = valid | fields
    method, sent = given["method"].encode(), given["target"].encode()
    request = Message(method, sent, "http", given["headers"], given["peer"], b"")
    answered = Answered(request, "", given["status"], 0.001234, 5, given["is_html"])
    return access_log.describe([answered])[0]._replace(at=AT)


def line_of(answered: Answer) -> dict[str, object]:
    return dict(json.loads(access_log.LineWriter().format([answered])))


@pytest.fixture
def table(tmp_path: Path) -> None:
    importing.import_files(importing.find_files(geoip_files.write_release(tmp_path)))


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    settings.ACCESS_LOG_DIR = tmp_path / "logs"
    return tmp_path / "logs"


@pytest.mark.usefixtures("table")
def test_a_line_has_the_city_and_the_route() -> None:
    assert line_of(answer()) == {
        "at": "2026-11-20T23:30:00.250+08:00",
        "city": "Shanghai|上海",
        "country": "CN",
        "page": True,
        "method": "GET",
        "path": "/shops/<shop_id>/",
        "status": 200,
        "ms": 1.23,
    }


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("target", "path"),
    [
        (f"/ads/7/{SECRET}/?token={SECRET}", "/ads/<ad_id>/<ticket>/"),
        (f"/nowhere/{SECRET}", "(unknown)"),
        (f"/static/{SECRET}.css", "/static/…"),
        (f'/shops/"{SECRET}\\', "(unknown)"),
        ("/api/vouchers/7/seckill", "/api/vouchers/<voucher_id>/seckill"),
    ],
)
def test_a_line_never_has_an_address_or_a_secret(target: str, path: str) -> None:
    line = access_log.LineWriter().format([answer(target)]).decode()
    assert SECRET not in line
    assert "1.0.2.7" not in line
    assert json.loads(line)["path"] == path


def test_of_a_forged_request_little_waits_for_the_disk(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = 1
    forged = AGENT | {b"accept-language": b"x" * 60_000, b"x-forwarded-for": b"1" * 60_000 + b",1.0.2.7"}
    kept = answer("/shops/" + "7" * 60_000, headers=forged)
    assert (len(kept.path), len(kept.forwarded)) == (MAX_PATH, MAX_FORWARDED)
    assert [field for field in kept if isinstance(field, str) and len(field) > MAX_FORWARDED] == []
    assert json.loads(access_log.LineWriter().format([kept]))["path"] == "(unknown)"


@pytest.mark.parametrize(("proxies", "city"), [(0, ""), (1, "Shanghai|上海")])
@pytest.mark.usefixtures("table")
def test_a_forwarded_address_is_believed_of_a_proxy_alone(
    settings: Settings, proxies: int, city: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    forwarded = AGENT | {b"x-forwarded-for": b"1.0.2.7"}
    assert line_of(answer(peer="8.8.8.8", headers=forwarded))["city"] == city


@pytest.mark.parametrize(
    ("fields", "is_page"),
    [
        ({}, True),
        ({"method": "POST"}, False),
        ({"is_html": False}, False),
        ({"status": 404}, False),
        ({"status": 304, "is_html": False, "headers": AGENT | {b"sec-fetch-dest": b"document"}}, True),
        ({"headers": {b"user-agent": b"Googlebot/2.1"}}, False),
        ({"headers": AGENT | {b"hx-request": b"true"}}, False),
        ({"headers": AGENT | {b"sec-purpose": b"prefetch"}}, False),
        ({"target": "/admin/"}, False),
    ],
)
def test_a_visit_is_a_page_that_a_person_opened(fields: dict[str, Any], is_page: bool) -> None:
    assert line_of(answer(**fields))["page"] is is_page


@pytest.mark.usefixtures("table")
def test_the_analysers_read_by_their_patterns_what_the_site_writes() -> None:
    lines = access_log.LineWriter().format([answer(), answer("/"), answer(peer="?")])
    cities, paths = CityCounter(), PathTimer()
    assert len(cities.find(lines)) == len(paths.find(lines)) == 3


def test_without_redis_a_line_has_no_city(redis_away: None) -> None:
    assert line_of(answer())["city"] == ""


@pytest.mark.usefixtures("table")
def test_what_was_answered_is_counted_within_a_run_of_the_task(folder: Path) -> None:
    log = AccessLog(Segment(folder))
    for number in range(1, 251):
        log.add(answer(f"/shops/{number}/"))
    log.write()
    (path,) = folder.iterdir()
    assert sending.is_being_written(path)
    assert tasks.move() == 2
    assert tasks.move() == 0
    log.add(answer("/"))
    log.close()
    assert [each.name for each in folder.iterdir()] == [f"{path.name}.gz"]
    assert tasks.move() == 2
    assert [(str(row.day), row.city, row.visits) for row in CityVisits.objects.all()] == [
        ("2026-11-20", "Shanghai|上海", 251)
    ]
    assert {row.path: row.requests for row in PathTimes.objects.all()} == {"/shops/<shop_id>/": 250, "/": 1}


def test_a_full_disk_loses_lines_and_raises_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    log = AccessLog(Segment(tmp_path / "file"))
    log._answers.append(answer())
    log.write()
    assert "were lost" in caplog.text


def test_lines_that_the_disk_does_not_take_are_dropped_and_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("apps.logship.access_log.MAX_WAITING", 3)
    log = AccessLog(Segment(folder))
    log._answers.extend([answer()] * 3)
    log.add(answer())
    log.close()
    assert "1 lines of the access log were dropped" in caplog.text


def test_a_large_segment_is_compressed_and_an_old_one_deleted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "MAX_BYTES", 10)
    segment = Segment(folder)
    segment.write(b"a line\na line\n")
    segment.flush()
    (path,) = folder.iterdir()
    assert gzip.decompress(path.read_bytes()) == b"a line\na line\n"
    os.utime(path, (0, 0))
    segments.tidy(folder)
    assert list(folder.iterdir()) == []


def test_what_a_killed_process_left_is_compressed_by_the_next(folder: Path) -> None:
    folder.mkdir()
    (folder / "access-1.jsonl").write_bytes(b"a line\nhalf a li")
    segment = Segment(folder)
    segment.write(b"mine\n")
    assert sorted(path.suffix for path in folder.iterdir()) == [".gz", ".jsonl"]
    segment.close()


async def test_an_application_s_answers_are_noted_also_when_it_fails(folder: Path) -> None:
    log = AccessLog(Segment(folder))
    scope = {"type": "http", "method": "GET", "path": "/", "client": ("1.0.2.7", 5), "headers": AGENT.items()}

    async def answer_page(_scope: object, _receive: object, send: Callable[..., object]) -> None:
        headers = [(b"content-type", b"text/html; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})  # type: ignore[misc]

    async def fail(*_: object) -> None:
        raise ValueError("no page")

    async def receive() -> None: ...

    async def send(_message: object) -> None: ...

    await Front([], answer_page, observers=[log.hear])(scope, receive, send)
    with pytest.raises(ValueError, match="no page"):
        await Front([], fail, observers=[log.hear])(scope, receive, send)
    await asyncio.sleep(0)
    assert [(one.status, one.is_page, one.peer) for one in log._answers] == [
        (200, True, "1.0.2.7"),
        (500, False, "1.0.2.7"),
    ]
    log.close()


@pytest.mark.both_databases
def test_old_numbers_and_files_are_forgotten() -> None:
    row = FilePosition.objects.create(analyser="cities", file="a")
    assert tasks.tidy() == 0
    FilePosition.objects.update(updated_at=row.updated_at - tasks.POSITIONS_KEPT * 2)
    assert tasks.tidy() == 1


@pytest.fixture
def counted(folder: Path, table: None) -> None:
    log = AccessLog(Segment(folder))
    log.add(answer()._replace(at=time.time()))
    log.close()
    tasks.move()


@pytest.mark.usefixtures("counted")
def test_the_page_shows_cities_and_paths_in_the_reader_s_language(boss: Client) -> None:
    page = boss.get("/admin/access-log/").content.decode()
    for text in ("Shanghai", "/shops/&lt;shop_id&gt;/", "GeoLite2-City-Blocks-IPv4.csv"):
        assert text in page
    assert "上海" in boss.get("/admin/access-log/", headers={"Accept-Language": "zh-hans"}).content.decode()


@pytest.mark.both_databases
def test_an_empty_page_says_so(boss: Client) -> None:
    page = boss.get("/admin/access-log/").content.decode()
    assert "No visit is counted yet" in page
    assert "No request is counted yet" in page
    assert "There is no table of addresses" in page


@pytest.mark.both_databases
@pytest.mark.usefixtures("counted")
def test_without_redis_the_page_shows_what_was_counted(
    boss: Client, redis_away_now: Callable[[], None]
) -> None:
    redis_away_now()
    answered = boss.get("/admin/access-log/")
    assert answered.status_code == 200
    page = answered.content.decode()
    assert "Redis is away" in page
    assert "Shanghai" in page
    assert tasks.move() == 0


def test_only_staff_with_the_permission_see_the_page(client: Client, alice: User) -> None:
    assert client.get("/admin/access-log/").status_code == 302
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    assert client.get("/admin/access-log/").status_code == 403
