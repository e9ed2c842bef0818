"""The admin may evaluate and style; no other page may, and nobody may run inline scripts."""

import pytest
from django.test import Client

HEADER = "Content-Security-Policy"


@pytest.mark.django_db
def test_the_admin_may_evaluate_and_style_but_not_run_inline_scripts(client: Client) -> None:
    policy = client.get("/admin/login/")[HEADER]
    assert "script-src 'self' 'unsafe-eval'" in policy
    assert "style-src 'self' 'unsafe-inline'" in policy
    assert "script-src 'self' 'unsafe-inline'" not in policy


@pytest.mark.parametrize("path", ["/healthz", "/administrator/", "/no-such-page/"])
@pytest.mark.django_db
def test_other_pages_stay_strict(client: Client, path: str) -> None:
    assert "unsafe" not in client.get(path)[HEADER]
