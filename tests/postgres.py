"""Runs a private PostgreSQL for tests: a cluster in a temporary directory, on a free port of loopback."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.sites import free_port, wait_until

#: Settings without waits for the disk, for data that tests delete anyway.
NO_FSYNC_SETTINGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


def find_binaries() -> Path | None:
    """Return the folder that holds initdb and postgres; None when PostgreSQL is not installed."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("postgres")
    places = [*([Path(found).resolve().parent] if found else []), *debian]
    return next((place for place in places if (place / "initdb").exists()), None)


@contextmanager
def run_cluster(*, durable: bool = False, settings: Sequence[str] = ()) -> Iterator[str]:
    """Run a server for the block and yield its DATABASE_URL; with `durable` a commit waits for the disk."""
    place = find_binaries()
    assert place, "no PostgreSQL: apt-get install postgresql"
    home = Path(tempfile.mkdtemp(prefix="savor-postgres-"))
    account = _server_account()
    os.chown(home, account.pw_uid, account.pw_gid)
    command: list[str | Path] = [
        place / "initdb",
        "-D",
        home / "data",
        "-U",
        "savor",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--no-sync",
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", **_command_as(account))
    port = free_port()
    try:
        with _run_server(place, home, port, account, (*(() if durable else NO_FSYNC_SETTINGS), *settings)):
            yield f"postgres://savor@127.0.0.1:{port}/postgres"
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _run_server(
    place: Path, home: Path, port: int, account: pwd.struct_passwd, settings: Sequence[str]
) -> Iterator[None]:
    options = [word for setting in ("max_connections=300", *settings) for word in ("-c", setting)]
    command: list[str | Path] = [
        place / "postgres",
        "-D",
        home / "data",
        "-h",
        "127.0.0.1",
        "-p",
        str(port),
        "-k",
        home,
        *options,
    ]
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(
            command, stdout=log, stderr=log, start_new_session=True, cwd="/", **_command_as(account)
        )
    try:
        ready: list[str | Path] = [place / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
        wait_until(lambda: subprocess.call(ready) == 0, seconds=60, otherwise=f"see {home}/log")
        yield
    finally:
        server.terminate()
        server.wait(60)


def _server_account() -> pwd.struct_passwd:
    """Return the account that the server runs as: another one than root, which PostgreSQL refuses."""
    if os.getuid():
        return pwd.getpwuid(os.getuid())
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def _command_as(account: pwd.struct_passwd) -> dict[str, Any]:
    if os.getuid():
        return {}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
