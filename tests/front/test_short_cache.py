"""Caches of header values: what browsers send is kept, what forgers send is not."""

from typing import Any

import pytest

from apps.accounts.personal import route
from apps.coupons.gateway import claim_requests
from apps.front import encoding, language, origin
from apps.front.documents import page_requests
from apps.front.route import Message
from apps.front.short_cache import MAX_ARGUMENT_BYTES, ShortCache, short_cache

#: The longest header that a head of 64 KiB has room for.
LONG = b"x" * 60_000


def test_short_calls_are_kept_and_long_ones_are_answered_alike() -> None:
    calls = []

    @short_cache(10)
    def join(one: bytes, other: bytes | None) -> bytes:
        calls.append(one)
        return one + (other or b"")

    for argument in (b"a", b"x" * MAX_ARGUMENT_BYTES, LONG):
        assert join(argument, None) == argument == join(argument, None)
    assert [len(argument) for argument in calls] == [1, MAX_ARGUMENT_BYTES, 60_000, 60_000]
    assert join.cache_info().currsize == 2


def call_with(text: str) -> dict[str, ShortCache[..., Any]]:
    """Call each cached function of the event loop with a header of this value; returns them by name."""
    sent = text.encode()
    language.find_language(b"", sent)
    encoding.choose_encoding(sent)
    page_requests.is_page_path(f"/{text}")
    origin.find_origin("http", b"localhost", None, sent)
    route.parse_query(sent)
    return {
        "language": language.choose_language,
        "encoding": encoding.choose_encoding,
        "path": page_requests.is_page_path,
        "origin": origin.find_origin,
        "query": route.parse_query,
    }


def test_no_cache_of_the_event_loop_keeps_a_long_header() -> None:
    for cache in call_with("a").values():
        cache.cache_clear()
    call_with("short")
    for number in range(20):
        caches = call_with(f"{number}{LONG.decode()}")
    assert {name: cache.cache_info().currsize for name, cache in caches.items()} == dict.fromkeys(caches, 1)


def test_a_long_host_makes_no_document() -> None:
    assert origin.find_origin("http", b"localhost:1", None, None) == ("http", "localhost:1")
    assert origin.find_origin("http", b"localhost:" + b"1" * 1_000, None, None) is None


@pytest.mark.django_db
def test_a_claim_with_long_headers_is_left_to_django() -> None:
    given = {b"host": b"localhost", b"authorization": b"Bearer x"}

    def read(forwarded_host: bytes) -> object:
        fields = given | {b"x-forwarded-host": forwarded_host}
        message = Message(b"POST", b"/api/vouchers/7/seckill", "http", fields, "127.0.0.1", b"")
        return claim_requests.read(message)

    assert read(b"localhost")
    assert read(b"localhost," * 300) is None
