"""A backup of a running site, the loss of everything, a restore: deploy/backup.sh and deploy/restore.sh."""

import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from PIL import Image

from tests import postgres
from tests.crowd import http_connection, site_setup
from tests.crowd.buyers import Load
from tests.crowd.tally import Tally
from tests.faults.fault_site import FaultSite
from tests.faults.management_process import ManagementProcess
from tests.faults.sale_requests import hand_in, send_as_person
from tests.sites import DATABASE, ROOT, Site

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

PEOPLE, STOCK = 250, 200


@dataclass
class ReceiptHolders(Load):
    """A crowd whose people keep their receipts, by their number."""

    receipts: dict[int, str] = field(default_factory=dict)

    def _note(self, number: int, reply: http_connection.Reply) -> bool:
        if receipt := reply.json.get("receipt"):
            self.receipts[number] = receipt
        return super()._note(number, reply)


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_a_restored_site_sells_on_and_takes_back_what_came_after_the_backup(
    database: str, tmp_path: Path
) -> None:
    # As docs/deployment.md says.
    site = Site(tmp_path / "site", SALE_HOLD_SECONDS="600")
    if database == "postgres":
        site.environment["DATABASE_URL"] = _database_beside(os.environ["DATABASE_URL"])
        _replace_database(site.environment["DATABASE_URL"])
    with site:
        with _opened(site) as running_site:
            running_site.tokens = site_setup.create_people(running_site.clerk, PEOPLE)
            running_site.buyers = running_site.books.load_people(PEOPLE)
            sale = site_setup.create_sale(running_site.clerk, stock=STOCK)
            picture = _upload_avatar(running_site)
            shown = _read(picture)
            backup, tally, receipts = _sell_around_a_backup(running_site, sale, tmp_path)
        _lose_everything(site)
        _run_script(site, "restore.sh", backup)
        running_site.start_redis()
        with _opened(site, running_site) as running_site:
            assert 60 <= running_site.books.rows(sale) <= 140
            running_site.clerk.manage("rebuild_redis")
            _hand_in_all(running_site, sale, receipts)
            running_site.drain(sale)
            # Nobody else was sold a unit meanwhile; now the sale goes on.
            assert running_site.books.rows(sale) == 160
            running_site.end_hold(sale)
            tally += _sell(running_site, ReceiptHolders(running_site.crowd(sale, PEOPLE)))
            running_site.kept(sale, stock=STOCK, tally=tally)
            assert _read(picture) == shown
            reconciled = running_site.clerk.run("reconcile", "--json")
            assert reconciled.returncode == 0, reconciled.stdout


def test_a_restore_overwrites_nothing(tmp_path: Path) -> None:
    site = Site(tmp_path / "site")
    picture = site.directory / "media" / "notes" / "picture.webp"
    picture.parent.mkdir(parents=True)
    picture.touch()
    assert "out of the way" in _run_script(site, "restore.sh", tmp_path, code=1)


@contextmanager
def _opened(site: Site, before: FaultSite | None = None) -> Iterator[FaultSite]:
    """The site's processes for the block; then all of them are killed."""
    site.start("web", "consumer")
    with ManagementProcess(site.environment) as clerk:
        running_site = FaultSite(site, clerk)
        if before:
            running_site = FaultSite(site, clerk, before.tokens, before.buyers, before.prefixes)
        yield running_site
    for name in ("web", "consumer"):
        site.kill(name)


def _sell_around_a_backup(
    running_site: FaultSite, sale: int, place: Path
) -> tuple[Path, Tally, dict[int, str]]:
    """Sell 160 units, of which the backup has between 60 and 140: it, the answers and all the receipts."""
    before, meanwhile, after = (ReceiptHolders(running_site.crowd(sale, people)) for people in (60, 140, 160))
    tally = _sell(running_site, before)
    running_site.drain(sale)
    with running_site.rush(meanwhile.crowd, meanwhile) as rush:
        rush.wait_for(20)
        backup = Path(_run_script(running_site.site, "backup.sh", place))
        tally += rush.result()
    tally += _sell(running_site, after)
    running_site.drain(sale)
    assert running_site.books.rows(sale) == 160
    return backup, tally, before.receipts | meanwhile.receipts | after.receipts


def _sell(running_site: FaultSite, holders: ReceiptHolders) -> Tally:
    with running_site.rush(holders.crowd, holders) as rush:
        return rush.result()


def _hand_in_all(running_site: FaultSite, sale: int, receipts: dict[int, str]) -> None:
    """Everybody looks at their order, and hands the receipt in where it is lost; strangers wait meanwhile."""
    number, receipt = max(receipts.items())
    order_id = receipt.split(".")[1]
    lost = send_as_person(running_site, sale, number, path=f"/api/orders/{order_id}", method="GET")
    assert (lost.status, lost.code) == (410, "order_lost")
    stranger = send_as_person(running_site, sale, PEOPLE - 1, key="stranger")
    assert (stranger.status, stranger.code) == (503, "not_ready")
    for number, receipt in receipts.items():
        back = hand_in(running_site, sale, number, receipt)
        assert back.body["order_id"] == receipt.split(".")[1]


def _upload_avatar(running_site: FaultSite) -> str:
    """The address of a new picture of the first person."""
    drawn = BytesIO()
    Image.new("RGB", (64, 64), "teal").save(drawn, "PNG")
    head = b'--edge\r\nContent-Disposition: form-data; name="picture"; filename="me.png"\r\n'
    head += b"Content-Type: image/png\r\n\r\n"
    request = urllib.request.Request(
        f"{running_site.site.base_url}/api/me/avatar",
        data=head + drawn.getvalue() + b"\r\n--edge--\r\n",
        headers={
            "Authorization": f"Bearer {running_site.tokens[0]}",
            "Content-Type": "multipart/form-data; boundary=edge",
        },
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(json.load(answer)["avatar"])


def _read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return bytes(answer.read())


def _lose_everything(site: Site) -> None:
    site.redis.kill()
    shutil.rmtree(site.directory / "redis")
    shutil.rmtree(site.directory / "media")
    for path in site.directory.glob(f"{DATABASE}*"):
        path.unlink()
    if not site.environment["DATABASE_URL"].startswith("sqlite"):
        _replace_database(site.environment["DATABASE_URL"])


def _database_beside(url: str) -> str:
    return urlsplit(url)._replace(path=f"/savor_backup_{os.getpid()}").geturl()


def _replace_database(url: str) -> None:
    """Make an empty database of that name, whatever there was."""
    name = urlsplit(url).path.removeprefix("/")
    with psycopg.connect(urlsplit(url)._replace(path="/postgres").geturl(), autocommit=True) as connected:
        connected.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connected.execute(f'CREATE DATABASE "{name}"')


def _run_script(site: Site, name: str, place: Path, *, code: int = 0) -> str:
    """What deploy/<name> says; its exit code must be this one."""
    binaries = postgres.find_binaries()
    path = f"{binaries}:{site.environment['PATH']}" if binaries else site.environment["PATH"]
    command = ["sh", str(ROOT / "deploy" / name), str(place)]
    done = subprocess.run(
        command, cwd=ROOT, env=site.environment | {"PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout.strip() if code == 0 else done.stderr
