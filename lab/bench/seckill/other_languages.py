"""Builds the sale in Go and in Node: what one would pick instead, in two round trips (baselines/two_trips.*).

Go takes redigo's sources from GOPATH, by default where Debian's package has them; Node takes fastify and
ioredis from npm, into the bench's own directory.
"""

import os
import shutil
import subprocess
from pathlib import Path

BASELINES = Path(__file__).with_name("baselines")
SCRIPT = BASELINES / "claim_counted.lua"
#: Where Debian's packages of Go put sources.
DEBIAN_GOPATH = "/usr/share/gocode"
REDIGO = "src/github.com/gomodule/redigo"
#: A first build compiles the standard library.
BUILD_SECONDS = 300


class Missing(Exception):
    """Raised when a language can't be compared here; the message says what to install."""


def build_go(directory: Path) -> list[str]:
    """Compile the sale in Go and return the command that serves it. Raises Missing."""
    go, sources = shutil.which("go"), os.environ.get("GOPATH", DEBIAN_GOPATH)
    if not go:
        raise Missing("Go is left out: there is no go (apt-get install golang-go)")
    if not (Path(sources) / REDIGO).is_dir():
        raise Missing(
            f"Go is left out: {sources} has no redigo (apt-get install golang-github-gomodule-redigo-dev)"
        )
    binary = directory / "sale-in-go"
    # Sources alone, no module proxy.
    environment = {"GO111MODULE": "off", "GOPATH": sources, "GOCACHE": str(directory / "go-cache")}
    _run([go, "build", "-o", str(binary), str(BASELINES / "two_trips.go")], "Go", environment)
    return [str(binary)]


def build_node(directory: Path) -> list[str]:
    """Install what the sale in Node runs on and return the command that serves it. Raises Missing."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        raise Missing("Node is left out: there is no node with npm (apt-get install nodejs npm)")
    home = directory / "sale-in-node"
    home.mkdir(exist_ok=True)
    for name in ("package.json", "two_trips.mjs"):
        shutil.copy(BASELINES / name, home)
    options = ["--prefix", str(home), "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    _run([npm, "install", *options], "Node", {})
    return [node, str(home / "two_trips.mjs")]


def _run(command: list[str], language: str, environment: dict[str, str]) -> None:
    try:
        done = subprocess.run(
            command,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Missing(f"{language} is left out: {command[0]} took over {BUILD_SECONDS} s") from None
    if done.returncode:
        raise Missing(f"{language} is left out: {command[0]} failed: {(done.stderr or done.stdout).strip()}")
