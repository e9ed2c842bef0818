"""HTTP's own rules, for every address: HEAD wherever GET is, and ETags compared as RFC 9110 says."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django import Settings

from apps.accounts.models import User
from apps.web import http_rules
from tests.api_document import read_document
from tests.coupons import buyers

DOCUMENT = read_document()
READS = sorted(path for path, methods in DOCUMENT["paths"].items() if "get" in methods)
STATIC = "/static/site.css"


METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW")


def plain_patterns(patterns: list[Any], prefix: str = "") -> Iterator[str]:
    """The addresses without a value in them."""
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from plain_patterns(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern) and not set("<(^[") & set(path):
            yield "/" + path.removesuffix("$")


@pytest.mark.django_db
@pytest.mark.parametrize("path", READS)
def test_every_get_of_the_api_answers_head(manager: User, path: str) -> None:
    """The same status and headers; of live streams, the answer to who gets none."""
    client = buyers.api_client(manager)
    address = path.format_map(dict.fromkeys(PARAMETERS, "1")) if "{" in path else path
    get, head = client.get(address), client.head(address)
    assert head.status_code == get.status_code != 405
    assert head["Content-Type"] == get["Content-Type"]
    assert head.content == b""


PARAMETERS = {
    part.partition("}")[0] for path in READS for part in path.split("{")[1:]
}  # names in the addresses of the API


@pytest.mark.django_db
def test_a_method_that_an_address_of_the_api_lacks_is_405_with_those_that_it_has(manager: User) -> None:
    client, wrong = buyers.api_client(manager), []
    for path, operations in DOCUMENT["paths"].items():
        has = {method.upper() for method in operations}
        allowed = ", ".join(sorted(has | ({"HEAD"} if "GET" in has else set())))
        for method in {*METHODS} - set(allowed.split(", ")):
            answer = client.generic(method, re.sub(r"{\w+}", "1", path))
            if (answer.status_code, answer.get("Allow")) != (405, allowed):
                wrong.append((method, path, answer.status_code, answer.get("Allow")))
    assert wrong == []


@pytest.mark.django_db
def test_every_page_answers_head_like_get(manager: User) -> None:
    client = buyers.browser_client(manager)
    client.raise_request_exception = False
    paths = [*plain_patterns(get_resolver().url_patterns)]
    pages = [path for path in paths if not path.startswith(("/admin/", "/api/", "/static/"))]
    assert len(pages) > 40
    found = {}
    for path in pages:
        answers = client.get(path).status_code, client.head(path).status_code
        if answers[0] != answers[1] or (answers[1] == 405 and client.get(path).status_code != 405):
            found[path] = answers
    assert found == {}


def test_head_acts_on_nothing(client: Client, db: None) -> None:
    """A view that asks whether it is a GET, and otherwise acts, only asks."""
    assert client.head("/login/").status_code == client.get("/login/").status_code


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("{etag}", 304),
        ("W/{etag}", 304),
        ('"other", {etag}', 304),
        ('"other",W/{etag} , "third"', 304),
        ("*", 304),
        ('"other"', 200),
        ('W/"other", "third"', 200),
    ],
)
def test_a_static_file_that_is_held_is_not_sent_again(
    tmp_path: Path, settings: Settings, rf: RequestFactory, sent: str, status: int
) -> None:
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "site.css").write_text("body {}")
    serve = http_rules.StaticFilesMiddleware(lambda _request: HttpResponse(status=404))
    etag = serve(rf.get(STATIC))["ETag"]
    for ask in (rf.get, rf.head):
        answer = serve(ask(STATIC, headers={"If-None-Match": sent.format(etag=etag)}))
        assert answer.status_code == status
        answer.close()


def test_a_weak_tag_is_as_good_as_a_strong_one() -> None:
    assert http_rules.names_etag('W/"a"', '"a"')
    assert http_rules.names_etag('"a"', 'W/"a"')
    assert not http_rules.names_etag('"A"', '"a"')
