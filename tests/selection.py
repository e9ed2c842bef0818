"""Which tests a run leaves out, and why: by the database, by Redis, by the programs of the machine."""

import os
import shutil
from collections.abc import Iterator
from functools import cache

import pytest
from django.conf import settings

from tests import chromium_pages, nginx_proxy

CI = os.environ.get("CI") == "true"
#: Fixtures that give a test the database; pytest-django refuses it to all other tests.
SQL = {"db", "transactional_db", "live_server"}


def uses_sql(item: pytest.Item) -> bool:
    """Tell whether a test uses the database."""
    asked = getattr(item, "fixturenames", [])
    return item.get_closest_marker("django_db") is not None or not SQL.isdisjoint(asked)


def reasons_to_skip(item: pytest.Item, *, on_cluster: bool) -> Iterator[str]:
    """Yield why a test is skipped here; in CI a test whose program is missing runs, and fails."""
    own = item.get_closest_marker("one_server")
    if own and on_cluster:
        yield f"about one server: {own.args[0]}"
    # Load tools and other languages, which CI doesn't install.
    for program in item.iter_markers("program"):
        name, install = program.args
        if not shutil.which(name):
            yield f"needs {name} ({install})"
    for mark, lacking in _lacking().items():
        if item.get_closest_marker(mark):
            yield f"needs {lacking}"


@cache
def _lacking() -> dict[str, str]:
    """What this machine lacks, by the mark of the tests that need it."""
    lacks = {} if CI else _lacking_programs()
    if not str(settings.DATABASES["default"]["ENGINE"]).endswith("postgresql"):
        lacks["postgres"] = "PostgreSQL (make check brings one)"
    return {mark: lacking for mark, lacking in lacks.items() if lacking}


def _lacking_programs() -> dict[str, str]:
    nginx = nginx_proxy.missing_programs()
    return {
        "browser": "" if chromium_pages.find_chromium() else "Chromium (apt-get install chromium)",
        "nginx": f"{nginx} (apt-get install nginx-light openssl curl)" if nginx else "",
        "curl": "" if shutil.which("curl") else "curl (apt-get install curl)",
        "systemd": "" if shutil.which("systemd-analyze") else "systemd-analyze (apt-get install systemd)",
        "root": "" if os.getuid() == 0 else "root: it becomes another user",
        "redis_nodes": "" if shutil.which("redis-server") else "Redis (apt-get install redis-server)",
    }
