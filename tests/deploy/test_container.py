"""The Containerfile and compose.yaml: what their tools say of them. test_locks.py runs their commands."""

import re
import subprocess
import sys
from pathlib import Path

from honcho.environ import parse_procfile

from tests.deploy.containers import read_compose, read_image, read_instructions
from tests.sites import ROOT

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
