"""The admin may evaluate and style, no other page may; no inline script runs but the early one."""

import re

import pytest
from django.test import Client

from apps.web import csp

HEADER = "Content-Security-Policy"


@pytest.mark.django_db
def test_the_admin_may_evaluate_and_style_but_not_run_inline_scripts(client: Client) -> None:
    policy = client.get("/admin/login/")[HEADER]
    assert "script-src 'self' 'unsafe-eval'" in policy
    assert "style-src 'self' 'unsafe-inline'" in policy
    assert "script-src 'self' 'unsafe-inline'" not in policy


@pytest.mark.django_db
def test_an_error_of_the_admin_may_run_the_early_script(client: Client) -> None:
    assert csp.hash_source(csp.early_script()) in client.get("/admin/nowhere/")[HEADER]


@pytest.mark.parametrize("path", ["/healthz", "/administrator/", "/no-such-page/"])
@pytest.mark.django_db
def test_other_pages_stay_strict(client: Client, path: str) -> None:
    assert "unsafe" not in client.get(path)[HEADER]


@pytest.mark.parametrize("path", ["/healthz", "/api/shops/types", "/api/shops/999999999"])
@pytest.mark.django_db
def test_an_answer_of_data_may_do_nothing(client: Client, path: str) -> None:
    assert client.get(path)[HEADER] == "default-src 'none'; frame-ancestors 'none'"


@pytest.mark.django_db
def test_the_page_of_the_api_may_run_its_scripts(client: Client) -> None:
    assert "script-src 'self'" in client.get("/api/docs")[HEADER]


@pytest.mark.parametrize("path", ["/", "/no-such-page/"])
@pytest.mark.django_db
def test_a_page_may_run_the_one_script_that_it_brings(client: Client, path: str) -> None:
    page = client.get(path)
    [script] = re.findall(r"<script>(.*?)</script>", page.content.decode(), re.DOTALL)
    assert csp.hash_source(script) in page[HEADER]
