"""Checks before the demo starts; each error is one sentence with the way out."""

import fcntl
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: Connections that wait until web takes them; the kernel may allow fewer.
MAX_WAITING = 65_535


class LaunchError(Exception):
    """The demo can't start or go on; the message says why and what to do."""


def refuse_busy_port(port: int) -> None:
    """Raise LaunchError when the port of loopback is in use or needs root."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            raise LaunchError(
                f"port {port} needs root: choose one above 1023, as in 'make demo PORT=8123'."
            ) from None
        except OSError:
            raise LaunchError(
                f"port {port} is in use by another program: choose one, as in 'make demo PORT={port + 1}'."
            ) from None


def listen(port: int) -> socket.socket:
    """A listener on the port of loopback, for every run of web: who comes while it restarts waits in line."""
    try:
        return socket.create_server(("127.0.0.1", port), backlog=MAX_WAITING)
    except OSError:
        raise LaunchError(f"port {port} was taken meanwhile by another program: choose another.") from None


@contextmanager
def lock_directory(var_dir: Path) -> Iterator[None]:
    """Lock the directory for this demo until the block ends.

    Raises LaunchError when the directory can't be written, or another demo has locked it.
    """
    try:
        _make_private(var_dir)
        descriptor = os.open(var_dir / "demo.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise LaunchError(
            f"{var_dir} can't be written ({error.strerror}): "
            "choose another, as in 'make demo VAR_DIR=$HOME/savor'."
        ) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise LaunchError(
            f"a demo already runs in {var_dir}: open it, stop it with Ctrl-C, "
            "or start this one elsewhere with 'make demo VAR_DIR=… PORT=…'."
        ) from None
    finally:
        os.close(descriptor)


def _make_private(var_dir: Path) -> None:
    """Make the directory, or one that an older demo made, readable by its owner alone."""
    var_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    about = var_dir.stat()
    # Another directory that somebody named, such as /tmp, keeps its mode.
    is_ours = (var_dir / "demo.lock").exists() and about.st_uid == os.getuid()
    if is_ours and not about.st_mode & stat.S_ISVTX:
        var_dir.chmod(0o700)
        for database in var_dir.glob("savor.sqlite3*"):
            database.chmod(0o600)
