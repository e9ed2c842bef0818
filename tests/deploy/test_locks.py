"""Each lock alone runs every command that the site's files name, and an orderly start says nothing."""

import base64
import json
import os
import pwd
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis

from apps.metrics import keys
from tests import http_double, postgres
from tests.browser.neighbours import Neighbour
from tests.checks.test_settings import STRONG
from tests.deploy import kubernetes, lock_sites
from tests.deploy.containers import VENV, Host, copy_context, read_compose, read_image, read_instructions
from tests.deploy.lock_sites import Command
from tests.deploy.test_deployment_page import find_block
from tests.nginx_proxy import find_program
from tests.redis_nodes.server import RedisNode
from tests.sites import ROOT, START_SECONDS, Site, free_port, wait_until

pytestmark = [pytest.mark.locks, pytest.mark.timeout(900)]
#: What a process that starts in order writes nowhere, as text or as JSON.
ALARMS = re.compile(r"WARNING|ERROR|CRITICAL|Traceback|Warning:|doesn't start")
#: But for a request over a second, which says how fast the machine is.
SLOW = re.compile(r"apps\.metrics\.gathering.*took \d+\.\d s")
#: Prints the commands that can't be imported, or whose options can't be shown.
HELP_CODE = """
import sys, django
django.setup()
from django.core.management import get_commands, load_command_class
from django.utils.module_loading import import_string
for path in sys.argv[1:]:
    import_string(path)
for name, app in sorted(get_commands().items()):
    try:
        load_command_class(app, name).create_parser("manage.py", name).format_help()
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}")
"""
#: What needs packages of this lock: settings that a site starts with, and classes.
PROVIDERS_LOCK = "requirements-providers.lock"
PROVIDER_CLASSES = [
    "apps.coupons.payments.stripe_checkout.StripeCheckout",
    "apps.coupons.payments.alipay_pages.AlipayPages",
]
PROVIDERS = {
    "SENTRY_DSN": "https://key@127.0.0.1:9/1",
    "MEDIA_STORAGE_URL": "s3://key:secret@127.0.0.1:9/bucket?region=eu-central-1",
    "PAYMENT_PROVIDER": PROVIDER_CLASSES[0],
    "STRIPE_SECRET_KEY": "sk_test_of_nobody",
    "STRIPE_WEBHOOK_SECRET": "whsec_of_nobody",
}
TRACES_LOCK = "requirements-traces.lock"
#: What a site with these locks is started with; its traces are begun and not kept, as no collector is there.
MORE_SETTINGS = {
    PROVIDERS_LOCK: PROVIDERS,
    TRACES_LOCK: {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_TRACES_SAMPLER": "always_off"},
}
#: Prints the spans of requests in OTLP, a line of base64 each, by the classes that this lock installs.
SPANS_CODE = """
import base64, json, sys
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

def by_name(attributes):
    return {one["key"]: next(iter(one["value"].values()), "") for one in attributes}

spans = []
for line in sys.stdin:
    sent = MessageToDict(ExportTraceServiceRequest.FromString(base64.b64decode(line)))
    for process in sent.get("resourceSpans", []):
        service = by_name(process["resource"]["attributes"])["service.name"]
        for scope in process["scopeSpans"]:
            for one in scope["spans"]:
                spans.append(one | {"service": service, "attributes": by_name(one.get("attributes", []))})
print(json.dumps(spans))
"""


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """A directory that every user may pass: the image's files, empty volumes and folders of a machine."""
    place = Path(tempfile.mkdtemp(prefix="savor-container-"))
    place.chmod(0o755)
    copy_context(place / "srv/savor")
    shutil.copytree(ROOT / "deploy", place / "srv/savor/deploy", dirs_exist_ok=True)
    for folder in ("srv/static", "var/lib/savor", "var/www/savor/media", "var/backups/savor", "tmp"):
        (place / folder).mkdir(parents=True)
        give_to_user(place / folder)
    (place / "var/lib/savor").chmod(0o700)
    yield place
    shutil.rmtree(place)


def give_to_user(place: Path) -> None:
    """Make the site's user the owner of a directory with all that is in it, where the tests may."""
    if os.getuid() == 0:
        subprocess.run(["chown", "--recursive", site_user(), place], check=True)


def site_user() -> str:
    """An account without rights in the place of "savor", which the image and docs/deployment.md make."""
    nobody = pwd.getpwnam("nobody")
    return f"{nobody.pw_uid}:{nobody.pw_gid}"


@pytest.fixture(scope="module", params=lock_sites.LOCKS)
def lock(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def programs(lock: str) -> Iterator[Path]:
    """The folder of the programs that this lock installs."""
    with tempfile.TemporaryDirectory(prefix="savor-venv-", ignore_cleanup_errors=True) as place:
        Path(place).chmod(0o755)
        yield lock_sites.make_venv(lock, Path(place))


@pytest.fixture(scope="module")
def stores(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A Redis and a database for all locks in turn, by the addresses that the site's files have for them.

    The demo has others than the site of production.
    """
    with ExitStack() as running:
        found = {}
        for name, database, server in (
            ("demo", "postgres://savor:savor@postgres:5432/savor", "redis://redis:6379"),
            ("site", "postgres://savor:password@127.0.0.1:5432/savor", "redis://127.0.0.1:6379"),
        ):
            node = RedisNode(
                tmp_path_factory.mktemp(name) / "redis", appendonly="yes", maxmemory_policy="noeviction"
            )
            running.callback(node.kill)
            found[server] = f"redis://127.0.0.1:{node.port}"
            found[database] = running.enter_context(run_database(root, name))
        yield found


@contextmanager
def run_database(root: Path, name: str) -> Iterator[str]:
    """The URL of a PostgreSQL, or of an SQLite file where none is installed."""
    if postgres.find_binaries() is None:
        yield f"sqlite:///{root}/var/lib/savor/{name}.sqlite3"
    else:
        with postgres.run_cluster() as url:
            yield url


@pytest.fixture
def host(root: Path, programs: Path, stores: dict[str, str]) -> Host:
    """The directory in the place of containers and machines, with these programs."""
    web = f"127.0.0.1:{free_port()}"
    folders = ("/srv/savor", "/srv/static", "/var/lib/savor", "/var/www/savor", "/var/backups/savor")
    elsewhere = {there: f"{root}{there}" for there in folders}
    elsewhere |= stores | {
        VENV: str(programs),
        "web.localhost:8000": web,
        "web:8000": web,
        # Of the container, whose ports its network alone reaches.
        "0.0.0.0": "127.0.0.1",
    }
    return Host(root, replace(read_image(), user=site_user()), elsewhere, programs)


@pytest.fixture(scope="module")
def built(root: Path) -> list[Path]:
    """Whether the static files and translations are made already: one lock does that for all."""
    return []


def build_files(host: Host, built: list[Path]) -> None:
    """Run what the image's build runs behind `COPY . .`, and give static files their owner."""
    if built:
        return
    command = host.image.build_commands[-1].replace("/tmp/", f"{host.root}/tmp/")
    clean, place = {"PATH": os.environ["PATH"]}, host.root / "srv/savor"
    subprocess.run(host.translate(command), shell=True, check=True, cwd=place, env=clean)
    give_to_user(host.root / "srv/static")
    shutil.copytree(host.root / "srv/static", host.root / "var/www/savor/static")
    built.append(place)


@contextmanager
def run_all(host: Host, log: Path) -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    """A function that starts a command; what still runs at the end is killed."""
    started: list[subprocess.Popen[bytes]] = []

    def start(words: list[str], environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
        started.append(host.start(words, environment, log))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)


def end_in_order(processes: Mapping[str, "subprocess.Popen[bytes]"], log: Path) -> None:
    for process in processes.values():
        process.send_signal(signal.SIGTERM)
    for name, process in processes.items():
        ended = process.wait(60)
        assert ended in (0, -signal.SIGTERM, 128 + signal.SIGTERM), f"{name}: {log.read_text()}"


def test_every_command_has_its_help(programs: Path, lock: str, tmp_path: Path) -> None:
    """And the classes of other companies' services can be imported by the lock that is theirs."""
    classes = PROVIDER_CLASSES if lock == PROVIDERS_LOCK else []
    environment = {"DEMO": "1", "VAR_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run(
        [programs / "python", "-c", HELP_CODE, *classes],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_process_starts_and_says_nothing(
    host: Host, built: list[Path], stores: dict[str, str], lock: str, tmp_path: Path
) -> None:
    """With the settings of docs/deployment.md; then they end in order, and have said nothing either."""
    build_files(host, built)
    log = tmp_path / "log"
    # Of the lock before: what was due in the meantime would run, and its file would pass for this beat's.
    for schedule in (host.root / "var/lib/savor").glob("celerybeat-schedule*"):
        schedule.unlink()
    environment = read_settings(host, lock)
    commands = lock_sites.list_commands()
    long = [command for command in commands if not command.is_once]
    first = [command for command in commands if command.is_once and command.origin.startswith("Kubernetes")]
    last = [command for command in commands if command.is_once and command not in first]
    with run_all(host, log) as start:
        for command in first:
            run_once(start, command, environment, log)
        processes = {one.origin: start([*one.words], environment | dict(one.variables)) for one in long}
        connected = redis.Redis.from_url(host.translate("redis://127.0.0.1:6379"), decode_responses=True)
        for one in long:
            look = partial(is_healthy, one, processes[one.origin], host, connected, environment["PORT"])
            wait_until(look, seconds=START_SECONDS, otherwise=f"{one.origin}: {log.read_text()}")
        assert fetch_as_visitor(environment["PORT"], "/") == 200
        for command in last:
            run_once(start, command, environment, log)
        end_in_order(processes, log)
    lines = log.read_text().splitlines()
    said = [line for line in lines if ALARMS.search(line) and not SLOW.search(line)]
    assert said == []


def composed_lock() -> str:
    """The lock of the image that `docker compose` builds."""
    build, _last = read_instructions()
    return dict(word.split("=") for kind, word in build if kind == "ARG")["REQUIREMENTS"]


@pytest.mark.nginx
@pytest.mark.parametrize("lock", [composed_lock()], indirect=True)
def test_the_commands_of_compose_make_the_demo(host: Host, built: list[Path], tmp_path: Path) -> None:
    """Its one-time services first; with the settings of each, and nginx before them."""
    build_files(host, built)
    published, log = free_port(), tmp_path / "log"
    services = read_site_services()
    with run_all(host, log) as start:
        for name, service in services.items():
            if service.get("restart") == "no":
                words = [*service["entrypoint"], *service["command"], "--shops", "50"]
                assert start(words, with_port(host, name)).wait(300) == 0, log.read_text()
        processes = {
            name: start([*host.image.entrypoint, *service["command"]], with_port(host, name))
            for name, service in services.items()
            if service.get("restart") != "no"
        }
        health = partial(succeeds, host, host.image.health_command, "web", log)
        wait_until(health, seconds=START_SECONDS, every=1, otherwise=f"web is not healthy: {log}")
        with run_nginx(host, published, tmp_path):
            look_at_demo(f"http://127.0.0.1:{published}")
            look_at_processes(host, processes, log)
        end_in_order(processes, log)


def read_site_services() -> dict[str, dict[str, Any]]:
    """The services of compose.yaml whose image is the site's."""
    services = read_compose()["services"]
    return {
        name: service for name, service in services.items() if service["image"] == services["web"]["image"]
    }


@pytest.mark.parametrize("lock", ["requirements-demo.lock"], indirect=True)
def test_make_demo_opens(programs: Path, tmp_path: Path) -> None:
    """What `make demo` runs when it has installed its lock."""
    log, port = tmp_path / "log", free_port()
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "VAR_DIR": str(tmp_path / "var"), "PORT": str(port)}
    with log.open("wb") as output:
        demo = subprocess.Popen(
            [programs / "python", "-m", "apps.demo.launcher"],
            cwd=ROOT,
            env=environment | {"SHOPS": "50"},
            stdout=output,
            stderr=output,
        )
    try:
        wait_until(
            lambda: b"Consuming orders" in log.read_bytes() or demo.poll() is not None,
            seconds=300,
            otherwise=f"the demo doesn't open: {log}",
        )
        assert fetch(f"http://127.0.0.1:{port}/readyz")[0] == 200, log.read_text()
        demo.send_signal(signal.SIGINT)
        assert demo.wait(120) == 0, log.read_text()
    finally:
        demo.kill()


@pytest.mark.parametrize("lock", [TRACES_LOCK], indirect=True)
def test_a_request_and_its_task_are_traced_without_their_person(programs: Path, tmp_path: Path) -> None:
    """A note: its words and its writer's number go through SQL, Redis and tasks, and into no span."""
    path = f"{programs}:{os.environ['PATH']}"
    with http_double.serve() as collector, Site(tmp_path / "site", PATH=path) as site:
        words = "from tests.factories.shops import ShopFactory; print(ShopFactory.create().pk)"
        shop_id = int(site.manage("shell", "--no-imports", "-c", words))
        site.environment |= {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "200"}
        site.start("web", "worker")
        writer = Neighbour(site, "13800138000")
        note = {"shop_id": shop_id, "title": "Cold noodles", "rating": 5, "publish": True}
        writer.read("/me/edit/?at=hangzhou-position")
        writer.send("POST", "/api/notes", **note)
        wait_until(
            lambda: (
                {"POST api/notes", "blog.fan_out"} <= {one["name"] for one in read_spans(programs, collector)}
            ),
            seconds=START_SECONDS,
            every=1,
            otherwise=f"no traces: {site.log('web')}{site.log('worker')}",
        )
    spans = read_spans(programs, collector)
    (request,) = [one for one in spans if one["name"] == "POST api/notes"]
    (task,) = [one for one in spans if one["name"] == "blog.fan_out"]
    assert (request["kind"], task["kind"]) == ("SPAN_KIND_SERVER", "SPAN_KIND_CONSUMER")
    assert "parentSpanId" not in request
    assert "GET me/edit/" in {one["name"] for one in spans}
    assert task["traceId"] == request["traceId"]
    for above in (request, task):
        below = [one for one in spans if one.get("parentSpanId") == above["spanId"]]
        assert {one["attributes"].get("db.system.name") for one in below} >= {"sqlite", "redis"}
    assert request["attributes"]["http.response.status_code"] == "201"
    assert {one["service"] for one in spans} == {"Savor"}
    assert [one for one in spans if "%s" in one["attributes"].get("db.query.text", "")]
    personal = ("13800138000", "oodles", "hangzhou-position", writer.token)
    sent = b"".join(one.body for one in collector.received)
    assert not [word for word in personal if word.encode() in sent]
    assert "telemetry" not in site.log("web") + site.log("worker")


def read_spans(programs: Path, collector: http_double.Double) -> list[dict[str, Any]]:
    """The spans that a collector has received, each with its service and its attributes by their names."""
    lines = "\n".join(base64.b64encode(one.body).decode() for one in list(collector.received))
    printed = subprocess.run(
        [programs / "python", "-c", SPANS_CODE], input=lines, capture_output=True, text=True, check=True
    )
    found: list[dict[str, Any]] = json.loads(printed.stdout)
    return found


def read_settings(host: Host, lock: str) -> dict[str, str]:
    """The environment file of docs/deployment.md, as a unit has it, with a port and a key of the test."""
    pairs = (line.partition("=") for line in find_block("3. Settings in").splitlines())
    given = {name: "".join(shlex.split(value)) for name, _, value in pairs}
    more = MORE_SETTINGS.get(lock, {})
    return {
        **given,
        **more,
        "SECRET_KEY": STRONG,
        "PORT": str(free_port()),
        "HOME": str(host.root / "tmp"),
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run_once(
    start: Callable[..., "subprocess.Popen[bytes]"], command: Command, environment: dict[str, str], log: Path
) -> None:
    process = start([*command.words], environment | dict(command.variables))
    assert process.wait(300) == 0, f"{command.origin}: {log.read_text()}"


def is_healthy(
    command: Command,
    process: "subprocess.Popen[bytes]",
    host: Host,
    connected: "redis.Redis",
    port: str,
) -> bool:
    """Whether a process does its work: web is ready, beat keeps its schedule, others are in Redis' list."""
    assert process.poll() is None, f"{command.origin} has ended with {process.poll()}"
    if "uvicorn" in command.line:
        return fetch_as_visitor(port, "/readyz") == 200
    if "celery" in command.line and " beat " in command.line:
        return any((host.root / "var/lib/savor").glob("celerybeat-schedule*"))
    return process.pid in {group_of(str(name)) for name in connected.zrange(keys.PROCESSES(), 0, -1)}


def group_of(name: str) -> int:
    """The process group of one that has reported as "consumer-4711-…"; 0 when it has ended."""
    with suppress(ProcessLookupError):
        return os.getpgid(int(name.split("-")[1]))
    return 0


def fetch_as_visitor(port: str, path: str) -> int:
    """The status of an answer, asked for as nginx asks for a visitor."""
    headers = {"Host": "savor.example", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "savor.example"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except OSError:
        return 0


def read_environment(name: str) -> dict[str, str]:
    """The variables of a service: the image's, and those of compose.yaml."""
    environment: dict[str, str] = read_compose()["services"][name]["environment"]
    return read_image().environment | environment | {"HOSTNAME": socket.gethostname()}


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
        user = host.image.user.partition(":")[0]
        assert os.getuid() != 0 or re.search(rf"^Uid:\t{user}\t{user}\t", status, re.MULTILINE)
    for name, words in kubernetes.read_exec_probes(processes.keys() & kubernetes.read_containers().keys()):
        here = [word.replace("/proc/1/", f"/proc/{processes[name].pid}/") for word in words]
        probe = partial(succeeds, host, here, name, log)
        wait_until(probe, seconds=START_SECONDS, every=1, otherwise=f"{name}: {here}")


def is_itself(pid: int) -> bool:
    """Whether a process has taken the place of the shell that started it."""
    return b"/bin/sh" not in Path(f"/proc/{pid}/cmdline").read_bytes()


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
