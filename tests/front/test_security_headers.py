"""What browsers and proxies may do with an answer."""

import pytest
from django.test import Client

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.front.security_headers import PERMISSIONS_POLICY

pytestmark = pytest.mark.django_db


def test_a_page_may_ask_for_the_position_and_for_nothing_else(client: Client) -> None:
    page = client.get("/login/")
    assert page["Permissions-Policy"] == PERMISSIONS_POLICY
    assert {"geolocation=(self)", "camera=()", "microphone=()"} <= set(PERMISSIONS_POLICY.split(", "))


@pytest.mark.parametrize("path", ["/login/", "/no-such-page/", "/static/css/tokens.css", "/api/shop-types"])
def test_no_other_site_embeds_an_answer(client: Client, path: str) -> None:
    assert client.get(path)["Cross-Origin-Resource-Policy"] == "same-origin"


def test_personal_answers_of_the_api_are_kept_by_nobody(client: Client, alice: User) -> None:
    bearer = {"Authorization": f"Bearer {tokens.issue(alice, kind=AccessToken.Kind.API)}"}
    for path in (
        "/api/me",
        "/api/me/sessions",
        "/api/orders",
        "/api/mailbox",
        "/api/chats",
        "/api/me/recent",
    ):
        for headers in (bearer, {}):
            assert client.get(path, headers=headers)["Cache-Control"] == "private, no-store", path
