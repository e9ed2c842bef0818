"""A whole site, Celery's workers too, lives with the Redis user of docs/deployment.md."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.books import Books
from tests.crowd import site_setup
from tests.deploy.test_deployment_page import find_block
from tests.faults.management_process import ManagementProcess
from tests.redis_nodes.server import RedisNode
from tests.sites import START_SECONDS, Site, wait_until

pytestmark = pytest.mark.fault
#: Every page of the admin about Redis, and a pattern's keys.
PAGES = """
from django.test import Client
from apps.accounts.models import User
boss = User.objects.create_superuser(phone="+8613900000077", password="a-long-password-of-the-boss")
client = Client()
client.force_login(boss)
for path in ("", "redis/", "persistence/", "redis/rebuilds/", "activity/"):
    print(path, client.get(f"/admin/{path}", HTTP_HOST="127.0.0.1").status_code)
"""


@pytest.fixture
def node(tmp_path: Path) -> Iterator[RedisNode]:
    made = RedisNode(tmp_path / "redis", appendonly="yes", maxmemory_policy="noeviction")
    with made.connect() as connected:
        words = find_block("a user that may do what the site").split()
        assert words[0] == "user"
        connected.execute_command("ACL SETUSER", *words[1:])
    yield made
    made.kill()


def test_nothing_is_refused_to_the_site(node: RedisNode, tmp_path: Path) -> None:
    url = f"redis://savor:password@127.0.0.1:{node.port}"
    site = Site(tmp_path / "site", REDIS_URL=f"{url}/0", CELERY_BROKER_URL=f"{url}/0")
    with site, ManagementProcess(site.environment) as clerk:
        (token,) = site_setup.create_people(clerk, 1)
        voucher_id = site_setup.create_sale(clerk, stock=3)
        site.start("web", "consumer", "mover", "worker")
        order = claim(site, voucher_id, token)
        books = Books(database_url=site.environment["DATABASE_URL"], redis_url=site.redis_url)
        wait_until(
            lambda: order in books.orders(voucher_id), seconds=START_SECONDS, otherwise="the order is no row"
        )
        wait_until(
            lambda: ask_workers(site) == 0, seconds=START_SECONDS, every=1, otherwise=site.log("worker")
        )
        pages = clerk.run_code(PAGES)
        assert pages.count(" 200") == 5, pages
        clerk.manage("rebuild_redis")
        clerk.run("reconcile")
        with node.connect() as connected:
            refused: Any = connected.execute_command("ACL LOG")
        assert refused == []


def claim(site: Site, voucher_id: int, token: str) -> int:
    request = urllib.request.Request(
        f"{site.base_url}/api/vouchers/{voucher_id}/seckill",
        method="POST",
        headers={"Authorization": f"Bearer {token}"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return int(json.load(answer)["order_id"])


def ask_workers(site: Site) -> int:
    """0 if a worker answers through its channel."""
    command = [
        str(Path(sys.executable).parent / "celery"),
        "--quiet",
        "-A",
        "config",
        "inspect",
        "ping",
        "--timeout",
        "5",
    ]
    return subprocess.call(command, cwd=site.root, env=site.environment, stdout=subprocess.DEVNULL)
