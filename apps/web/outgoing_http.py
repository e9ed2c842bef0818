"""One HTTP exchange with a provider's server, which may be slow, wrong or down."""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_noop

from apps.web.stored_texts import Template

if TYPE_CHECKING:
    import httpx

#: Bytes of an answer that are read; the rest is not waited for.
MAX_ANSWER_BYTES = 64 * 1024
LATE = Template(gettext_noop("no answer within %(seconds)s seconds"))
#: What senders say of an answer that is no success.
ANSWERED = Template(gettext_noop("It answered %(status)s."))


class NoAnswer(Exception):
    """There was no answer in time; the server may have done what it was asked for all the same."""


@dataclass(frozen=True)
class Answer:
    """The status of an answer and the first MAX_ANSWER_BYTES of its body."""

    status: int
    body: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


def exchange(
    method: str,
    url: str,
    *,
    seconds: float,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    address: str = "",
) -> Answer:
    """Send a request and return the answer, also a redirect's; raises NoAnswer after so many seconds.

    With an IP `address` the connection goes there, while Host and certificate are those of the URL's name.
    For threads of Django and tasks, which have no event loop.
    """
    # As it is: an answer of some kilobytes can't become gigabytes.
    fields = {"Accept-Encoding": "identity"} | dict(headers or {})
    request = _httpx().Request(method, url, headers=fields, content=body or None)
    if address:
        request.extensions["sni_hostname"] = request.url.host
        request.url = request.url.copy_with(host=address)
    return asyncio.run(_exchange(request, seconds))


async def _exchange(request: "httpx.Request", seconds: float) -> Answer:
    httpx = _httpx()
    try:
        # One deadline for all of it: those of a client begin again with each byte that drips in.
        async with asyncio.timeout(seconds), httpx.AsyncClient(timeout=seconds, verify=_tls()) as client:
            response = await client.send(request, stream=True)
            try:
                return Answer(response.status_code, await _read_start(response))
            finally:
                await response.aclose()
    except TimeoutError as error:
        raise NoAnswer(LATE.fill(seconds=f"{seconds:g}")) from error
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise NoAnswer(f"{type(error).__name__}: {error}") from error


@cache
def _tls() -> ssl.SSLContext:
    """The certificates that servers are checked by; reading them takes longer than most exchanges."""
    context: ssl.SSLContext = _httpx().create_ssl_context()
    return context


@cache
def _httpx() -> Any:
    # Not at the top: with what it draws tables by it is 100 modules, and few processes send requests.
    return import_module("httpx")


async def _read_start(response: "httpx.Response") -> bytes:
    start = b""
    async for chunk in response.aiter_raw():
        start += chunk
        if len(start) >= MAX_ANSWER_BYTES:
            break
    return start[:MAX_ANSWER_BYTES]
