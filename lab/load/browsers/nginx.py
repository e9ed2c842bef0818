"""Runs nginx in front of a site under load, with deploy/nginx.conf but without TLS.

The lab's own handshakes would cost more than all that is measured.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager

from lab.load.options import Options, Refusal
from tests import nginx_proxy
from tests.nginx_proxy import NginxProxy
from tests.sites import Site

#: Of a person: page and stream, each to the browser and to the site.
CONNECTIONS = 4
#: The share of a worker's files for them: workers don't take turns exactly.
FILES_SHARE = 0.7


@contextmanager
def run_in_front(target: Site, options: Options, files: int) -> Iterator[None]:
    """Run nginx for the block, and let `base_url` be its address; Refusal where something isn't installed."""
    if missing := nginx_proxy.missing_programs():
        raise Refusal(f"NGINX needs {missing}: install them, or leave it out")
    workers = math.ceil(CONNECTIONS * options.users / (files * FILES_SHARE))
    direct, proxy = target.base_url, NginxProxy(target.directory / "nginx", target, _changes(workers, files))
    with proxy:
        target.base_url = f"http://127.0.0.1:{proxy.tls_port}"
        try:
            yield
        finally:
            target.base_url = direct


def _changes(workers: int, files: int) -> dict[str, str]:
    """Return what the lab changes in the file: no TLS, as many workers and files as it needs."""
    return {
        "worker_processes auto;": f"worker_processes {workers};",
        "worker_rlimit_nofile 65536;": f"worker_rlimit_nofile {files};",
        "worker_connections 16384;": f"worker_connections {files};",
        " ssl http2 default_server;": " default_server backlog=65535 reuseport;",
        " ssl http2;": ";",
        "server_name localhost;": "server_name localhost 127.0.0.1;",
    }
