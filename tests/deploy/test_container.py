"""The Containerfile and compose.yaml: what their tools say of them, and the demo that their commands make."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from honcho.environ import parse_procfile

from tests import postgres
from tests.deploy import kubernetes
from tests.deploy.containers import VENV, Host, copy_context, read_compose, read_image, read_instructions
from tests.nginx_proxy import find_program
from tests.redis_nodes.server import RedisNode
from tests.sites import ROOT, START_SECONDS, free_port, wait_until

BIN = Path(sys.executable).parent
#: A process of each service that is the image's.
SITE = ("web", "consumer", "mover", "worker")


def test_the_tools_find_nothing() -> None:
    for command in (
        ["hadolint", "Containerfile"],
        ["check-jsonschema", "--builtin-schema", "vendor.compose-spec", "compose.yaml"],
    ):
        done = subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_image_has_locked_wheels_and_no_tools() -> None:
    build, last = read_instructions()
    installs = [rest for word, rest in build if word == "RUN" and "pip" in rest.split()]
    assert len(installs) == 1
    assert {"--require-hashes", "--only-binary", "--no-cache-dir"} <= set(installs[0].split())
    assert "pip uninstall" in dict(last)["RUN"]
    assert not re.search(r"apt|gcc|curl|wget", " ".join(rest for _, rest in last))
    image = read_image()
    assert image.user == "10001:10001"
    assert image.environment["HOST"] == "0.0.0.0"


def test_every_port_is_published_on_loopback() -> None:
    services = read_compose()["services"]
    published = [port for service in services.values() for port in service.get("ports", ())]
    assert published == ["127.0.0.1:8000:8080"]


def test_every_process_of_the_procfile_has_a_service() -> None:
    services = read_compose()["services"]
    processes = set(parse_procfile((ROOT / "Procfile").read_text()).processes)
    started = {service["command"][0] for name, service in services.items() if name in SITE}
    assert started == processes - {"beat"}
    # The scheduler is in the mover.
    assert services["mover"]["command"] == ["mover", "--beat"]
    assert set(services) == {*SITE, "setup", "redis", "postgres", "nginx"}
    for name in SITE:
        assert services[name]["read_only"]
        assert services[name]["cap_drop"] == ["ALL"]
        assert "privileged" not in services[name]


def test_an_unknown_process_is_refused() -> None:
    done = subprocess.run(
        ["/bin/sh", "deploy/container/start", "wb"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (64, "The Procfile has no process wb.\n")


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """A directory that every user may pass, with the image's files and empty volumes."""
    place = Path(tempfile.mkdtemp(prefix="savor-container-"))
    place.chmod(0o755)
    copy_context(place / "srv/savor")
    for volume in ("srv/static", "var/lib/savor", "tmp"):
        (place / volume).mkdir(parents=True)
        give_to_user(place / volume)
    (place / "var/lib/savor").chmod(0o700)
    yield place
    shutil.rmtree(place)


def give_to_user(place: Path) -> None:
    """Make the image's user the owner of a directory with all that is in it, where the tests may."""
    if os.getuid() == 0:
        subprocess.run(["chown", "--recursive", "10001:10001", place], check=True)


@contextmanager
def run_database(root: Path) -> Iterator[str]:
    """The URL of a PostgreSQL, or of an SQLite file where none is installed."""
    if postgres.find_binaries() is None:
        yield f"sqlite:///{root}/var/lib/savor/savor.sqlite3"
    else:
        with postgres.run_cluster() as url:
            yield url


@contextmanager
def run_nginx(host: Host, port: int, place: Path) -> Iterator[None]:
    """nginx with the configuration of compose.yaml."""
    config = place / "nginx.conf"
    text = (ROOT / "deploy/container/nginx.conf").read_text().replace("/tmp/", f"{place}/")
    user = "user root root;\n" if os.getuid() == 0 else ""
    config.write_text(user + host.translate(text.replace("listen 8080", f"listen 127.0.0.1:{port}")))
    command = [find_program("nginx") or "nginx", "-p", str(place), "-c", str(config), "-g", "daemon off;"]
    with (
        (place / "nginx.log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as process,
    ):
        try:
            yield
        finally:
            process.terminate()


@pytest.mark.wide
@pytest.mark.nginx
@pytest.mark.timeout(900)
def test_the_commands_of_compose_make_the_demo(root: Path, tmp_path: Path) -> None:
    published, log = free_port(), tmp_path / "log"
    with ExitStack() as running:
        host = make_host(root, tmp_path, running)
        build_files(host)
        setup = read_compose()["services"]["setup"]
        words = [*setup["entrypoint"], *setup["command"], "--shops", "50"]
        assert host.run(words, read_environment("setup"), log) == 0, log.read_text()
        processes = {name: start_service(host, name, log) for name in SITE}
        for process in processes.values():
            running.callback(end, process)
        health = partial(succeeds, host, host.image.health_command, "web", log)
        wait_until(health, seconds=START_SECONDS, every=1, otherwise="web is not healthy")
        running.enter_context(run_nginx(host, published, tmp_path))
        look_at_demo(f"http://127.0.0.1:{published}")
        look_at_processes(host, processes, log)
        for name, process in processes.items():
            process.send_signal(signal.SIGTERM)
            ended = process.wait(60)
            assert ended in (0, -signal.SIGTERM, 128 + signal.SIGTERM), f"{name}: {log.read_text()}"


def make_host(root: Path, place: Path, running: ExitStack) -> Host:
    """A Host with a Redis and a database of its own, at the names that compose.yaml has for them."""
    node = RedisNode(place / "redis", appendonly="yes", maxmemory_policy="noeviction")
    running.callback(node.kill)
    web = f"127.0.0.1:{free_port()}"
    elsewhere = {there: f"{root}{there}" for there in ("/srv/savor", "/srv/static", "/var/lib/savor")}
    elsewhere |= {
        VENV: str(BIN),
        "postgres://savor:savor@postgres:5432/savor": running.enter_context(run_database(root)),
        "redis://redis:6379": f"redis://127.0.0.1:{node.port}",
        "web.localhost:8000": web,
        "web:8000": web,
        # Of the container, whose ports its network alone reaches.
        "0.0.0.0": "127.0.0.1",
    }
    return Host(root, read_image(), elsewhere)


def build_files(host: Host) -> None:
    """Run what the image's build runs behind `COPY . .`, and give static files their owner."""
    command = host.image.build_commands[-1].replace("/tmp/", f"{host.root}/tmp/")
    clean = {"PATH": os.environ["PATH"]}
    place = host.root / "srv/savor"
    subprocess.run(host.translate(command), shell=True, check=True, cwd=place, env=clean)
    give_to_user(host.root / "srv/static")


def read_environment(name: str) -> dict[str, str]:
    """The variables of a service: the image's, and those of compose.yaml."""
    environment: dict[str, str] = read_compose()["services"][name]["environment"]
    return read_image().environment | environment | {"HOSTNAME": socket.gethostname()}


def start_service(host: Host, name: str, log: Path) -> "subprocess.Popen[bytes]":
    words = [*host.image.entrypoint, *read_compose()["services"][name]["command"]]
    return host.start(words, with_port(host, name), log)


def with_port(host: Host, name: str) -> dict[str, str]:
    """The variables of a service, on the port that web has here."""
    return read_environment(name) | {"PORT": host.elsewhere["web:8000"].rpartition(":")[2]}


def succeeds(host: Host, words: list[str], name: str, log: Path) -> bool:
    """Whether a command ends well in a service's container."""
    return host.run(words, with_port(host, name), log) == 0


def look_at_processes(host: Host, processes: dict[str, "subprocess.Popen[bytes]"], log: Path) -> None:
    """Each runs as the image's user, in the place of its shell, and as Kubernetes looks after it."""
    for name, process in processes.items():
        assert process.poll() is None, f"{name}: {log.read_text()}"
        # The shell goes when the settings are checked: what the engine stops is the process itself.
        wait_until(partial(is_itself, process.pid), seconds=START_SECONDS, otherwise=f"{name} is a shell")
        status = Path(f"/proc/{process.pid}/status").read_text()
        assert os.getuid() != 0 or re.search(r"^Uid:\t10001\t10001\t", status, re.MULTILINE)
    for name, words in kubernetes.read_exec_probes(processes):
        here = [word.replace("/proc/1/", f"/proc/{processes[name].pid}/") for word in words]
        probe = partial(succeeds, host, here, name, log)
        wait_until(probe, seconds=START_SECONDS, every=1, otherwise=f"{name}: {here}")


def is_itself(pid: int) -> bool:
    """Whether a process has taken the place of the shell that started it."""
    return b"/bin/sh" not in Path(f"/proc/{pid}/cmdline").read_bytes()


def end(process: "subprocess.Popen[bytes]") -> None:
    """End a process that a failed test left."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)


def look_at_demo(base_url: str) -> None:
    """Home has its pictures of shops, a static file is for ever, and a log-in code is in its answer."""
    wait_until(lambda: fetch(f"{base_url}/healthz")[0] == 200, seconds=START_SECONDS)
    status, _, page = fetch(f"{base_url}/")
    assert status == 200
    assert "/shops/" in page
    style = re.findall(r'href="(/static/css/[^"]+\.css)"', page)[0]
    status, headers, _ = fetch(base_url + style)
    assert (status, headers["Cache-Control"]) == (200, "public, max-age=31536000, immutable")
    assert headers["Server"] == "nginx"
    assert fetch(f"{base_url}/readyz")[0] == 200
    body = json.dumps({"phone": "+8613800138000"}).encode()
    request = urllib.request.Request(
        f"{base_url}/api/auth/code", data=body, headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert re.fullmatch(r"\d{6}", json.load(answer)["debug_code"])


def fetch(url: str) -> tuple[int, Any, str]:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except OSError:
        return 0, {}, ""
