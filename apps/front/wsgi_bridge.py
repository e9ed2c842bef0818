"""Django's WSGI handler behind an ASGI server: one thread for one request, two messages for one answer.

The event loop reads the body before a thread is taken, so a slow client holds none, and sends the answer
after the thread is free. a2wsgi crosses between loop and thread for every part of an answer.

A request with a long body is given to the application twice. The first time it has the head alone: what is
answered without the body, such as a refusal of who is not logged in, is answered before the body is read.
"""

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO, RawIOBase
from math import inf
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from urllib.parse import unquote_to_bytes

from apps.front import head_fields
from apps.front.page_threads import CROWDED, Crowded, PageThreads, Turn, kind_of
from apps.redis_kit import observers
from apps.redis_kit.observers import Callers
from apps.web import client_address
from apps.web.body_limits import BODY_WAITS

Environ = dict[str, Any]
Application = Callable[[Environ, Any], Iterable[bytes]]
Receive = Callable[[], Any]
Send = Callable[[dict[str, Any]], Any]
#: Headers that CGI names without HTTP_.
UNPREFIXED_HEADERS = {"CONTENT_TYPE", "CONTENT_LENGTH"}
#: In the environment of a request that the event loop makes itself, for one that it has let in already.
ADMITTED = "savor.admitted"
#: Joined up to this size, an answer is one message; a larger one is passed on part by part.
MAX_JOINED_BYTES = 1024 * 1024
#: Bytes of a body that is read before anybody is asked for it.
MAX_UNASKED_BYTES = 64 * 1024
#: Bytes of a body in memory; a longer one is in a file without a name.
MAX_BODY_IN_MEMORY = 256 * 1024


class BodyWanted(BaseException):
    """The application reads a body that isn't there yet. No Exception: nothing answers it, or logs it."""


class _WaitingBody(RawIOBase):
    """The body of a request that is given to the application by its head."""

    def readable(self) -> bool:
        return True

    def readinto(self, _buffer: Any) -> int:
        raise BodyWanted


@dataclass
class WsgiResponse:
    """The response of a WSGI application so far; `parts` are read in a thread."""

    status: int = 500
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    parts: Iterator[bytes] = iter(())
    close: Callable[[], object] = lambda: None

    def start(self, status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
        """WSGI's start_response; write() is not for Django."""
        self.status = int(status[:3])
        self.headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]

    def add_content_length(self, length: int) -> None:
        """Announce the length, so that the server does not send chunks."""
        has_body = self.status not in {204, 304}
        if has_body and all(name != b"content-length" for name, _ in self.headers):
            self.headers.append((b"content-length", b"%d" % length))


class WsgiBridge:
    """Runs a WSGI application as an ASGI one: `threads` requests at once, bodies of `max_body_bytes(path)`.

    As many more may be slow ones (page_threads). The application refuses a request that gets no thread,
    in one that does nothing else, and by its headers a body that is longer, or of unknown length: that isn't
    read.
    """

    def __init__(
        self, application: Application, *, threads: int, max_body_bytes: Callable[[str], int]
    ) -> None:
        self._application, self._max_body_bytes = application, max_body_bytes
        self.pages = PageThreads(threads)
        self._threads = ThreadPoolExecutor(self.pages.threads, thread_name_prefix="django")
        #: Parts of long answers, which nobody waits for behind a page.
        self._part_threads = ThreadPoolExecutor(threads, thread_name_prefix="django-parts")
        self._refusals = ThreadPoolExecutor(1, thread_name_prefix="django-refusals")

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        length = _announced_length(scope["headers"])
        if length > self._max_body_bytes(scope["path"]):
            await self._respond(build_environ(scope, BytesIO()), scope, receive, send)
            return
        if length > MAX_UNASKED_BYTES:
            waiting = build_environ(scope, _WaitingBody()) | {BODY_WAITS: True}
            with suppress(BodyWanted):
                await self._respond(waiting, scope, receive, send)
                return
        body = await _read_body(receive)
        if body is not None:
            with body:
                await self._respond(build_environ(scope, body), scope, receive, send)

    async def _respond(self, environ: Environ, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Send the application's answer; BodyWanted when it waits for the body, and nothing was sent."""
        loop = asyncio.get_running_loop()
        started = await self._take_turn(environ, scope["path"])
        if started is None:
            raise BodyWanted
        answer, part, more = started
        if not more and scope["method"] != "HEAD":
            answer.add_content_length(len(part))
        try:
            await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
            await send({"type": "http.response.body", "body": part, "more_body": more})
            if more:
                await self._send_rest(answer, receive, send)
        finally:
            if more:
                await loop.run_in_executor(self._part_threads, answer.close)

    async def _take_turn(self, environ: Environ, path: str) -> tuple[WsgiResponse, bytes, bool] | None:
        """As _start_response_for, in the thread that a request of this address to this path gets."""
        turn: Turn | None = None
        threads = self._threads
        try:
            turn = await self.pages.begin(_address(environ), kind_of(path))
        except Crowded as crowd:
            environ[CROWDED], threads = crowd.status, self._refusals
        try:
            return await asyncio.get_running_loop().run_in_executor(
                threads, self._start_response_for, observers.current_callers.get(), environ
            )
        finally:
            if turn:
                self.pages.end(turn)

    async def _send_rest(self, answer: WsgiResponse, receive: Receive, send: Send) -> None:
        """The further parts, until the client is gone: a server takes parts for a closed connection, too."""
        gone, more = asyncio.create_task(_wait_for_disconnect(receive)), True
        try:
            while more and not gone.done():
                part, more = await asyncio.get_running_loop().run_in_executor(
                    self._part_threads, _read_part, answer.parts
                )
                await send({"type": "http.response.body", "body": part, "more_body": more})
        finally:
            gone.cancel()

    def _start_response_for(
        self, callers: Callers, environ: Environ
    ) -> tuple[WsgiResponse, bytes, bool] | None:
        """As _start_response; None when the body is wanted, which no future has to carry out of a thread."""
        # A thread doesn't see the task's variables.
        with observers.calling_for(callers), suppress(BodyWanted):
            return self._start_response(environ)
        return None

    def _start_response(self, environ: Environ) -> tuple[WsgiResponse, bytes, bool]:
        """The response with its first part, and whether there are more parts."""
        answer = WsgiResponse()
        found = self._application(environ, answer.start)
        answer.parts, answer.close = iter(found), getattr(found, "close", answer.close)
        try:
            first, more = _read_part(answer.parts)
        except BaseException:
            answer.close()
            raise
        if not more:
            answer.close()
        return answer, first, more


def _address(environ: Environ) -> str:
    """Whose share of the threads a request takes: the network of its client."""
    forwarded = environ.get("HTTP_X_FORWARDED_FOR", "")
    return client_address.site_network(client_address.forwarded_ip(environ["REMOTE_ADDR"], forwarded))


def _read_part(parts: Iterator[bytes]) -> tuple[bytes, bool]:
    """(bytes, whether there may be more): small parts are joined."""
    taken, size = [], 0
    for part in parts:
        taken.append(part)
        size += len(part)
        if size >= MAX_JOINED_BYTES:
            return b"".join(taken), True
    return b"".join(taken), False


async def _wait_for_disconnect(receive: Receive) -> None:
    """Returns when the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _announced_length(headers: Iterable[tuple[bytes, bytes]]) -> float:
    """Bytes of the body by its headers: 0 without one, infinity where the length is unknown or no number."""
    named = dict(headers)
    length = named.get(b"content-length") or (b"?" if b"transfer-encoding" in named else b"0")
    return int(length) if length.isdigit() and len(length) < 20 else inf


async def _read_body(receive: Receive) -> IO[bytes] | None:
    """The body as a file, at its start; None when the client is gone."""
    message = await receive()
    body: IO[bytes] = BytesIO()
    if message.get("more_body"):
        body = SpooledTemporaryFile(max_size=MAX_BODY_IN_MEMORY)  # noqa: SIM115 - the request closes it
    while message["type"] != "http.disconnect":
        body.write(message.get("body", b""))
        if not message.get("more_body"):
            body.seek(0)
            return body
        message = await receive()
    body.close()
    return None


def build_environ(scope: dict[str, Any], body: IO[bytes] | RawIOBase) -> Environ:
    """PEP 3333's variables: text is bytes read as latin-1."""
    path = scope.get("raw_path") or scope["path"].encode()
    server, client = scope.get("server") or ("localhost", 80), scope.get("client") or ("", 0)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1] or 0),
        "REMOTE_ADDR": client[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        # Templates open live streams where a server in front of Django gives them.
        "SAVOR_STREAMS": "1",
    }
    for name, value in head_fields.read_fields(scope["headers"]).items():
        # X_Real_IP would arrive under the name of X-Real-IP, past the proxy that vouches for it.
        if b"_" not in name:
            variable = name.decode("latin-1").upper().replace("-", "_")
            variable = variable if variable in UNPREFIXED_HEADERS else f"HTTP_{variable}"
            environ[variable] = value.decode("latin-1")
    return environ
