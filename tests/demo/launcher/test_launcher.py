"""The demo's refusals, its reset and its supervisor, with small programs in place of the site's processes."""

import io
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from apps.demo import embedded_redis, preparation
from apps.demo.launcher import data_reset, exit_record, start_checks, welcome
from apps.demo.launcher import supervisor as supervising
from apps.demo.launcher.options import Options
from apps.demo.launcher.start_checks import LaunchError
from apps.demo.launcher.supervisor import Supervisor
from tests.sites import ROOT, free_port, wait_until


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    made = Supervisor(os.environ)
    yield made
    made.end()


def shell_command(script: str) -> list[str]:
    return ["sh", "-c", script]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def read_pid(path: Path) -> int:
    wait_until(lambda: path.exists() and path.read_text().strip() != "", seconds=60, otherwise=f"no {path}")
    return int(path.read_text())


def watch_until(supervisor: Supervisor, done: Callable[[], bool]) -> None:
    def look() -> bool:
        supervisor.check()
        return done()

    wait_until(look, seconds=60, otherwise="the supervisor doesn't get there")


def test_a_busy_port_is_refused_with_the_next_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        with pytest.raises(LaunchError, match=f"port {port} is in use.*PORT={port + 1}"):
            start_checks.refuse_busy_port(port)


def test_a_free_port_is_fine() -> None:
    start_checks.refuse_busy_port(free_port())


def test_a_second_demo_in_the_same_place_is_refused(tmp_path: Path) -> None:
    with (
        start_checks.lock_directory(tmp_path),
        pytest.raises(LaunchError, match="already runs in"),
        start_checks.lock_directory(tmp_path),
    ):
        pass


def test_a_demo_may_follow_another(tmp_path: Path) -> None:
    for _ in range(2):
        with start_checks.lock_directory(tmp_path):
            pass


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(LaunchError, match="can't be written"),
        start_checks.lock_directory(tmp_path / "file" / "var"),
    ):
        pass


@pytest.mark.parametrize("port", ["abc", "-1", "0", "99999", "8e3", "８０００", "9" * 5_000])
def test_a_wrong_port_is_refused(monkeypatch: pytest.MonkeyPatch, port: str) -> None:
    monkeypatch.setenv("PORT", port)
    with pytest.raises(LaunchError, match="PORT must be a number from 1 to 65535") as refused:
        Options.from_environment()
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("shops", ["0", "49", "10000001", "many"])
def test_a_city_that_is_too_small_or_too_large_is_refused(
    monkeypatch: pytest.MonkeyPatch, shops: str
) -> None:
    monkeypatch.setenv("SHOPS", shops)
    with pytest.raises(LaunchError, match="SHOPS must be a number from 50"):
        Options.from_environment()


def test_the_box_and_the_readme_name_the_same_things() -> None:
    table = (ROOT / "README.md").read_text().partition("## What you see")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| ([A-Z][\w ]+) \| (.*) \|$", table, re.MULTILINE))
    box = dict(welcome.describe("http://127.0.0.1:8000"))
    assert list(rows) == list(box)
    for name, text in box.items():
        for place in re.findall(r"\+86\d+|/[a-z]+(?:/docs|/|$)", text.partition(" shows")[0], re.MULTILINE):
            assert place in rows[name]


def test_reset_forgets_the_size_of_the_city(tmp_path: Path) -> None:
    (tmp_path / preparation.SIZE_FILE).touch()
    data_reset.delete_data(tmp_path)
    assert not list(tmp_path.iterdir())


def test_empty_variables_are_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PORT", "VAR_DIR", "SHOPS", "RESET", "REDIS_URL"):
        monkeypatch.setenv(name, "")
    options = Options.from_environment()
    assert (options.port, options.shops, options.reset, options.embedded) == (8000, 0, False, True)


def test_the_demo_listens_on_loopback_whatever_host_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST", "0.0.0.0")
    assert Options.from_environment().environment()["HOST"] == "127.0.0.1"


def test_reset_forgets_the_data_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "savor.sqlite3").touch()
    (tmp_path / "holiday.jpg").touch()
    (tmp_path / "media" / "avatars").mkdir(parents=True)
    server = embedded_redis.start(tmp_path / "redis")
    data_reset.delete_data(tmp_path)
    server.stop()
    assert [path.name for path in tmp_path.iterdir()] == ["holiday.jpg"]


def test_reset_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "media").symlink_to(tmp_path / "precious")
    with pytest.raises(LaunchError, match="is a link"):
        data_reset.delete_data(tmp_path / "var")
    assert (tmp_path / "precious").exists()


def test_lines_carry_the_name_of_their_process() -> None:
    log = io.StringIO()
    supervisor = Supervisor(os.environ, output=log)
    supervisor.start("web", shell_command("echo hello"))
    wait_until(lambda: "hello" in log.getvalue(), seconds=60, otherwise="the line never came")
    supervisor.end()
    assert re.fullmatch(r"\d\d:\d\d:\d\d web +\| hello\n", log.getvalue())


def test_usual_lines_of_a_start_are_left_out_unless_it_fails() -> None:
    log = io.StringIO()
    supervisor = Supervisor(os.environ, output=log)
    script = "echo '1:M # WARNING Memory overcommit must be enabled!'; echo 'the disk is full'; exit 1"
    supervisor.start("redis", shell_command(script), left_out=embedded_redis.START_LINES)
    wait_until(lambda: "the disk is full" in log.getvalue(), seconds=60, otherwise="the line never came")
    assert "overcommit" not in log.getvalue()
    wait_until(lambda: "overcommit" in supervisor.first_exit_report(), seconds=60)
    supervisor.end()


def test_a_process_that_keeps_dying_never_ends_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "FIRST_PAUSE_SECONDS", 0.001)
    log, count = io.StringIO(), tmp_path / "count"
    supervisor = Supervisor(os.environ, output=log, record_exits=partial(exit_record.write, tmp_path))
    supervisor.start("web", shell_command("exec sleep 60"))
    supervisor.start("worker", shell_command(f"echo x >> {count}; echo the disk is full; exit 3"))
    watch_until(supervisor, lambda: count.exists() and count.read_text().count("x") > 8)
    assert exit_record.read(tmp_path)["worker"].startswith("exit code 3, ")
    assert set(exit_record.read(tmp_path)) == {"worker"}
    assert "worker ended (exit code 3)" in log.getvalue()
    assert "the disk is full" in log.getvalue()
    assert supervisor._children["web"].process.poll() is None
    supervisor.end()


def test_an_end_in_order_is_told_from_others(supervisor: Supervisor) -> None:
    supervisor.start("redis", shell_command("trap 'exit 0' TERM; echo up; while :; do sleep 0.05; done"))
    supervisor.start("web", shell_command("echo up; exec sleep 60"))
    children = supervisor._children
    wait_until(lambda: all(child.lines for child in children.values()), seconds=60)
    assert supervisor.exit_code("redis") is None
    supervisor.end()
    assert [supervisor.exit_code(name) for name in ("redis", "web", "beat")] == [0, -signal.SIGTERM, None]


def test_pauses_before_a_restart_grow_to_half_a_minute() -> None:
    pauses = [supervising.pause_after(exits) for exits in (1, 2, 3, 8, 9, 1_000)]
    assert pauses == [0.2, 0.4, 0.8, 25.6, 30.0, 30.0]


def test_a_process_that_runs_again_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervising, "STEADY_SECONDS", 0.3)
    supervisor = Supervisor(os.environ, record_exits=partial(exit_record.write, tmp_path))
    once = tmp_path / "once"
    supervisor.start("worker", shell_command(f"[ -e {once} ] && exec sleep 60; touch {once}; exit 3"))
    watch_until(supervisor, lambda: "worker" in exit_record.read(tmp_path))
    watch_until(supervisor, lambda: exit_record.read(tmp_path) == {})
    supervisor.end()


def test_a_dead_process_is_restarted(supervisor: Supervisor, tmp_path: Path) -> None:
    count = tmp_path / "count"
    supervisor.start(
        "worker",
        shell_command(f"echo x >> {count}; [ $(wc -l < {count}) -ge 3 ] && kill -INT {os.getpid()}; exit 1"),
    )
    # A shell that runs the tests in the background has SIGINT ignored, and children inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            supervisor.watch()
    finally:
        signal.signal(signal.SIGINT, before)
    assert count.read_text().count("x") == 3


def test_the_end_reaches_grandchildren_and_nobody_else(supervisor: Supervisor, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    bystander = subprocess.Popen(["sleep", "60"])
    supervisor.start("web", shell_command(f"sh -c 'trap \"\" TERM; echo $$ > {pid_file}; sleep 60' & wait"))
    grandchild = read_pid(pid_file)
    supervisor.end()
    wait_until(lambda: not is_alive(grandchild), seconds=60, otherwise="the grandchild lives on")
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_children_end_with_a_supervisor_that_was_killed(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    code = (
        "import os, signal; from apps.demo.launcher.supervisor import Supervisor; "
        f"Supervisor(os.environ).start('web', ['sh', '-c', 'echo $$ > {pid_file}; exec sleep 60']); "
        "signal.pause()"
    )
    parent = subprocess.Popen([sys.executable, "-c", code])
    child = read_pid(pid_file)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_until(lambda: not is_alive(child), seconds=60, otherwise="the child outlived its supervisor")


def test_the_supervisor_imports_no_django() -> None:
    """Its memory would be that of one more site: 150 MB."""
    code = "import sys, apps.demo.launcher.__main__; print({'django', 'celery'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(("killed", "exit_code"), [("parent", 0), ("second", 1)])
def test_forked_workers_end_together(tmp_path: Path, killed: str, exit_code: int) -> None:
    script = tmp_path / "wait.py"
    script.write_text(
        "import os, signal, sys; open(sys.argv[1], 'w').write(str(os.getpid())); signal.pause()"
    )
    line = f"python -m config.preflight && exec python {script} {tmp_path}/%s"
    lines = [line % "${UNSET:-first}", line % "second"]
    parent = subprocess.Popen(
        [sys.executable, "-m", "apps.demo.launcher.forked_workers", *lines],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    first, second = (read_pid(tmp_path / name) for name in ("first", "second"))
    if killed == "parent":
        parent.terminate()
    else:
        os.kill(second, signal.SIGKILL)
    _, printed = parent.communicate(timeout=60)
    assert parent.returncode == exit_code, printed
    assert (f"{tmp_path}/second ended (-9)" in printed) == (killed == "second")
    assert not is_alive(first) | is_alive(second)
