"""Other hosts and addresses that don't exist are refused in the event loop, in Django's words."""

import asyncio
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client

from apps.front.documents import page_requests
from apps.front.refusal_route import RefusalRoute
from tests.asgi_client import AsgiResponse
from tests.front.documents.site import behind
from tests.protocol_client import Connection

pytestmark = pytest.mark.django_db(transaction=True)
LANGUAGES = {"en": "en", "zh-hans": "zh-CN,zh;q=0.9"}


def fetch(*requests: tuple[str, dict[str, str]]) -> list[AsgiResponse]:
    """The answers to these requests, one after another on a new front."""
    page_requests.forget_settings()
    route = RefusalRoute(WSGIHandler())

    async def run() -> list[AsgiResponse]:
        return [
            await Connection(route, application=behind).answer(
                "\r\n".join(
                    [f"{line} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
                ).encode()
            )
            for line, headers in requests
        ]

    return asyncio.run(run())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("path", "host", "status"),
    [
        ("/nowhere/", "testserver", 404),
        ("/nowhere", "testserver", 404),
        ("/api/nowhere", "testserver", 404),
        ("/nowhere/?next=/", "testserver", 404),
        ("/shops/", "evil.example", 400),
        ("/nowhere/", "evil.example:81", 400),
        ("/api/shops", "evil.example", 400),
        ("/shops/", "a b", 400),
    ],
)
def test_the_answer_is_djangos(client: Client, path: str, host: str, status: int, language: str) -> None:
    headers = {"accept-language": LANGUAGES[language]}
    expected = client.get(path, headers={**headers, "host": host}, SAVOR_STREAMS="1")
    first, second = fetch(*[(f"GET {path}", {"host": host, **headers})] * 2)
    assert expected.status_code == status
    for answer in (first, second):
        assert (answer.status, answer.body.encode()) == (status, expected.content)
        found = {name.lower(): value for name, value in answer.headers.items()}
        for name, value in expected.items():
            if name.lower() not in ("content-security-policy", "content-length"):
                assert found[name.lower()] == value, name
        assert found["content-language"] == language


def test_a_person_gets_the_same_page_which_no_proxy_keeps() -> None:
    headers = {"host": "testserver", "cookie": "savor_token=x"}
    plain, own = fetch(("GET /nowhere/", {"host": "testserver"}), ("GET /none/", headers))
    assert own.body == plain.body
    assert "nowhere" not in plain.body
    assert own.headers["cache-control"] == "no-cache, private"


@pytest.mark.parametrize(
    ("line", "headers"),
    [
        ("GET /login/", {}),
        ("GET /shops", {}),
        ("GET /admin/nowhere/", {}),
        ("GET /static/nowhere.css", {}),
        ("GET /nowhere/?a=%00", {}),
        ("GET /nowhere/%2e", {}),
        ("GET /nowhere/", {"cookie": 'a="\\000"'}),
        ("GET /nowhere/", {"content-type": "text/plain; charset=hex"}),
        ("POST /nowhere/", {}),
    ],
)
def test_all_else_goes_to_django(line: str, headers: dict[str, Any]) -> None:
    (answer,) = fetch((line, {"host": "testserver", **headers}))
    assert answer.body == "behind"
