"""Shared pages from the event loop: who gets which answer, in which form."""

import asyncio
import gzip
from collections.abc import Mapping

import brotli
import pytest
from django.urls import ResolverMatch
from pytest_django.fixtures import Settings

from apps.front.documents.route import DocumentRoute
from apps.front.documents.store import MAX_ABSENT
from tests.front.documents import site
from tests.front.documents.site import fetch, state


async def test_a_thousand_readers_cost_one_page(documents: DocumentRoute) -> None:
    responses = await asyncio.gather(*(fetch(documents, cookie=f"savor_visitor={n}") for n in range(1_000)))
    assert state.made == 1
    assert {response.body for response in responses} == {responses[0].body}
    assert responses[0].body.startswith(b"first 0 en http://testserver/page/")
    site.age(documents, -100)
    assert (await fetch(documents)).body == responses[0].body
    assert documents.store.outcomes["miss"] == 1
    assert documents.store.outcomes["hit"] == 1_000


async def test_security_headers_and_cache_rules_are_djangos(documents: DocumentRoute) -> None:
    headers = (await fetch(documents)).headers
    assert headers["cache-control"] == "no-cache"
    assert "script-src 'self'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"
    assert headers["content-language"] == "en"
    assert "cookie" not in headers["vary"].lower()


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, deflate", "gzip"),
        ("GZIP;q=0.5", "gzip"),
        ("br;q=0, *", "gzip"),
        ("identity", ""),
        ("", ""),
        ("br; q=0", ""),
    ],
)
async def test_a_page_comes_in_the_best_coding_that_is_accepted(
    documents: DocumentRoute, accepted: str, encoding: str
) -> None:
    plain = await fetch(documents)
    coded = await fetch(documents, accept_encoding=accepted)
    assert coded.headers.get("content-encoding", "") == encoding
    assert int(coded.headers["content-length"]) == len(coded.body)
    decode = {"br": brotli.decompress, "gzip": gzip.decompress, "": bytes}[encoding]
    assert decode(coded.body) == plain.body
    assert coded.headers["etag"] == plain.headers["etag"]


async def test_a_reader_who_has_the_page_gets_no_second_one(documents: DocumentRoute) -> None:
    etag = (await fetch(documents)).headers["etag"]
    assert etag.startswith('W/"')
    for held in (etag, etag[2:], f'"other", {etag}', "*"):
        again = await fetch(documents, if_none_match=held)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", etag)
        assert again.headers["cache-control"] == "no-cache"
    assert (await fetch(documents, if_none_match='W/"other"')).status == 200


@pytest.mark.parametrize(
    ("headers", "language"),
    [
        ({"accept_language": "zh-CN,zh;q=0.9,en;q=0.8"}, "zh-hans"),
        ({"accept_language": "fr, en;q=0.5"}, "en"),
        ({"accept_language": "zh", "cookie": "a=b; django_language=en; c=d"}, "en"),
        ({"cookie": "django_language=zh-hans"}, "zh-hans"),
        ({"cookie": "django_language=xx", "accept_language": "zh"}, "zh-hans"),
        ({}, "en"),
    ],
)
async def test_the_language_is_the_one_that_django_chooses(
    documents: DocumentRoute, headers: dict[str, str], language: str
) -> None:
    response = await fetch(documents, **headers)
    assert response.body.startswith(f"first 0 {language} ".encode())
    assert response.headers["content-language"] == language


MARKED = [
    "?fbclid=IwAR0_x-y",
    "?utm_source=a%20b&utm_medium=c",
    "?from=singlemessage&isappinstalled=0",
    "?spm=&",
]


@pytest.mark.parametrize("query", MARKED)
async def test_a_link_that_somebody_marked_leads_to_everybodys_page(
    documents: DocumentRoute, query: str
) -> None:
    plain = await fetch(documents)
    site.age(documents, -100)
    assert await fetch(documents, f"/page/{query}") == plain
    assert await fetch(documents, f"/page/{query}", cookie="savor_token=x") == plain
    assert (await fetch(documents, f"/page/404/{query}")).status == 404
    assert state.made == 2


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("/own/", {}),
        ("/none/", {}),
        ("/page/?tab=1", {}),
        ("/page/?fbclid=1&tab=1", {}),
        ("/page/?tab=1&fbclid=1", {}),
        ("/page/?fbclid", {}),
        ("/page/?fbclid=%00", {}),
        ("/page/?xfbclid=1", {}),
        ("/page/?fbclid=1?tab=1&x", {}),
        ("/page/??fbclid=1", {}),
        ("/page/?&fbclid=1", {}),
        ("/page/", {"hx_request": "true"}),
        ("/page/", {"host": "evil.example"}),
        ("/page/", {"host": "a b"}),
        ("/page/", {"content_length": "3"}),
        ("/page/404/", {"cookie": "savor_token=x"}),
    ],
)
async def test_other_requests_go_to_django(
    documents: DocumentRoute, url: str, headers: dict[str, str]
) -> None:
    assert (await fetch(documents, url, **headers)).is_behind
    assert len(documents.store) == 0


async def test_other_methods_go_to_django(documents: DocumentRoute) -> None:
    assert (await fetch(documents, method="POST")).is_behind


async def test_http_is_redirected_by_django_where_https_is_demanded(settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT, settings.ROOT_URLCONF = True, "tests.front.documents.site"
    documents = site.build()
    assert (await fetch(documents)).is_behind
    settings.TRUSTED_PROXIES = 1
    documents = site.build()
    response = await fetch(documents, x_forwarded_proto="https", x_forwarded_host="testserver")
    assert b"https://testserver/page/" in response.body
    assert response.headers["x-accel-expires"] == "1"


async def test_what_is_not_found_is_answered_and_not_kept(documents: DocumentRoute) -> None:
    response = await fetch(documents, "/page/404/")
    assert (response.status, response.is_behind) == (404, False)
    assert len(documents.store) == 0


async def test_a_page_that_nobody_may_see_is_refused_to_all_together(documents: DocumentRoute) -> None:
    """Everybody who comes to an unlisted sale in a second gets one answer; the next one is made anew."""
    cookies = {"cookie": "savor_token=x"}
    answers = await asyncio.gather(*[fetch(documents, "/absent/", **cookies) for _ in range(5)])
    site.age(documents, -100)
    answers.append(await fetch(documents, "/absent/"))
    assert {(answer.status, answer.is_behind) for answer in answers} == {(404, False)}
    assert {answer.headers.get("cache-control") for answer in answers} == {"no-cache, private", None}
    assert state.made == 1
    site.age(documents, 101)
    await fetch(documents, "/absent/", **cookies)
    assert state.made == 2


async def test_few_answers_that_a_page_is_not_there_are_kept(documents: DocumentRoute) -> None:
    for number in range(MAX_ABSENT + 5):
        await fetch(documents, f"/absent/{number}/")
    assert len(documents.store._absent) == MAX_ABSENT


async def test_each_page_that_is_read_is_told_and_may_bring_a_cookie(documents: DocumentRoute) -> None:
    observed: list[tuple[ResolverMatch, Mapping[bytes, bytes]]] = []

    def observe(match: ResolverMatch, headers: Mapping[bytes, bytes]) -> bytes:
        observed.append((match, headers))
        return b"" if b"cookie" in headers else b"visitor=1; Path=/"

    documents._observe = observe
    first = await fetch(documents, "/page/7/")
    assert first.headers["set-cookie"] == "visitor=1; Path=/"
    assert first.headers["cache-control"] == "no-cache, private"
    again = await fetch(documents, "/page/7/", cookie="visitor=1", if_none_match=first.headers["etag"])
    assert (again.status, again.headers["cache-control"], "set-cookie" in again.headers) == (
        304,
        "no-cache",
        False,
    )
    await fetch(documents, "/page/7/", method="HEAD")
    assert [match.kwargs for match, _ in observed] == [{"number": 7}] * 2
