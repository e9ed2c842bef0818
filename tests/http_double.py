"""A real HTTP server on loopback in a provider's place: it keeps requests, and answers as the test says."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass(frozen=True)
class Received:
    """A request as the server read it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    """What the server answers: nothing if `silent`; `drip` sends a head byte by byte, without an end."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    silent: bool = False
    drip: bool = False


class Double(ThreadingHTTPServer):
    """The server: `received` requests, and `answer`, which makes an Answer of each."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[Received] = []
        self.answer: Callable[[Received], Answer] = lambda _request: Answer()
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: a client that has gone is what many tests are about."""


@contextmanager
def serve(certificate: Path | None = None) -> Iterator[Double]:
    """A server that runs until the block ends; by TLS alone with a directory of a certificate."""
    server = Double()
    if certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate / "fullchain.pem", certificate / "privkey.pem")
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Double

    def _answer(self) -> None:
        self.close_connection = True
        length = int(self.headers.get("Content-Length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = Received(self.command, self.path, headers, self.rfile.read(length))
        self.server.received.append(received)
        answer = self.server.answer(received)
        if answer.silent:
            self.server.closing.wait()
        elif answer.drip:
            self._drip()
        else:
            self.send_response(answer.status)
            # A client that keeps connections must hear that this one ends: the next request would race it.
            ends = {"Content-Length": str(len(answer.body)), "Connection": "close"}
            for name, value in {**ends, **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

    def _drip(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Endless: ")
        while not self.server.closing.wait(0.05):
            self.wfile.write(b"x")

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _answer  # noqa: N815

    def log_message(self, *_args: object) -> None:
        """Nothing on standard error."""
