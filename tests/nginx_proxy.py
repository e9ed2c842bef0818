"""Runs deploy/nginx.conf in front of a site: the file itself, with other ports, directories and names."""

import grp
import os
import pwd
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Self

from tests.sites import ROOT, START_SECONDS, Site, free_port, wait_until

#: What the tests call besides nginx: a certificate is made, and curl speaks HTTP/2.
PROGRAMS = ("nginx", "openssl", "curl")
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def missing_programs() -> str:
    """The names of PROGRAMS that this machine lacks, or ""."""
    return ", ".join(name for name in PROGRAMS if not find_program(name))


def has_ipv6() -> bool:
    """Whether this machine's loopback has its address of IPv6."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


def find_program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


class NginxProxy:
    """nginx on two ports of localhost while it is entered; `replaced` changes further texts of the file."""

    def __init__(self, directory: Path, site: Site, replaced: dict[str, str] | None = None) -> None:
        self.directory, self.site, self._replaced = directory.resolve(), site, replaced or {}
        self.port, self.tls_port, self.pictures_port = free_port(), free_port(), free_port()
        self.base_url = f"https://localhost:{self.tls_port}"
        # A machine may have no IPv6, as those that only run containers.
        self.other_address = "[::1]" if has_ipv6() else "127.0.0.6"

    def __enter__(self) -> Self:
        self.directory.mkdir(parents=True, exist_ok=True)
        make_certificate(self.directory)
        config = self.directory / "nginx.conf"
        config.write_text(self._config())
        command = [find_program("nginx") or "nginx", "-p", str(self.directory), "-c", str(config)]
        with (self.directory / "output.log").open("wb") as log:
            self._process = subprocess.Popen([*command, "-g", "daemon off;"], stdout=log, stderr=log)
        wait_until(self._listens, seconds=START_SECONDS, otherwise="nginx does not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(60)

    def _listens(self) -> bool:
        output = (self.directory / "output.log").read_text()
        assert self._process.poll() is None, output
        probe = ["curl", "--silent", "--output", "/dev/null", f"http://localhost:{self.port}/"]
        return subprocess.call(probe) == 0

    def _config(self) -> str:
        """The shipped file; an AssertionError names a text that it no longer contains."""
        text = (ROOT / "deploy" / "nginx.conf").read_text()
        user, group = pwd.getpwuid(os.getuid()).pw_name, grp.getgrgid(os.getgid()).gr_name
        temporary = "".join(f"{kind}_temp_path {self.directory}/{kind};\n" for kind in TEMPORARY)
        changes = {
            "user www-data;": f"user {user} {group};" if os.getuid() == 0 else "",
            "pid /run/nginx.pid;": f"pid {self.directory}/nginx.pid;",
            "/var/log/nginx/": f"{self.directory}/",
            "http {\n": f"http {{\n{temporary}",
            "/etc/letsencrypt/live/savor.example/": f"{self.directory}/",
            "/var/cache/nginx/savor": f"{self.directory}/cache",
            "/var/cache/nginx/pictures": f"{self.directory}/pictures",
            "/var/www/savor/static/": f"{self.site.directory}/static/",
            "/var/www/savor/media/": f"{self.site.directory}/media/",
            "127.0.0.1:8001": f"127.0.0.1:{self.pictures_port}",
            "127.0.0.1:8000": f"127.0.0.1:{self.site.port}",
            "/var/www/acme": f"{self.directory}/acme",
            "listen [::]:80": f"listen {self.other_address}:{self.port}",
            "listen [::]:443": f"listen {self.other_address}:{self.tls_port}",
            "listen 80": f"listen 127.0.0.1:{self.port}",
            "listen 443": f"listen 127.0.0.1:{self.tls_port}",
            "savor.example": "localhost",
        } | self._replaced
        for shipped, here in changes.items():
            assert shipped in text, f"deploy/nginx.conf has no {shipped!r}"
            text = text.replace(shipped, here)
        return text


def make_certificate(directory: Path) -> None:
    """Write a day's certificate for localhost, signed by itself, and its key."""
    options = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    files = ["-keyout", str(directory / "privkey.pem"), "-out", str(directory / "fullchain.pem")]
    subprocess.run(["openssl", *options.split(), *names, *files], check=True, capture_output=True)
