import pytest

from apps.web.cross_origin import is_cross_origin

OWN = "https://savor.example"


@pytest.mark.parametrize(
    ("fetch_site", "origin", "has_cookie", "has_bearer", "refused"),
    [
        # Sec-Fetch-Site decides alone, whatever Origin says.
        ("same-origin", OWN, True, False, False),
        ("same-origin", "null", True, False, False),
        ("same-origin", None, True, False, False),
        ("none", None, True, False, False),
        ("same-site", OWN, True, False, True),
        ("cross-site", OWN, True, False, True),
        ("cross-site", None, False, False, True),
        ("Same-Origin", OWN, True, False, True),
        ("same-origin, cross-site", OWN, True, False, True),
        ("sideways", OWN, False, False, True),
        # Without it, Origin must be the site's own.
        (None, OWN, True, False, False),
        ("", OWN, True, False, False),
        (None, "null", True, False, True),
        (None, "null", False, False, True),
        (None, "http://savor.example", True, False, True),
        (None, "https://savor.example:8443", True, False, True),
        (None, "https://savor.example.evil.example", True, False, True),
        (None, "https://www.savor.example", False, False, True),
        # Neither: a program, unless it brings a cookie.
        (None, None, False, False, False),
        (None, None, True, False, True),
        ("", "", True, False, True),
        # A bearer token comes from a program, never from a page of another site.
        ("cross-site", "https://evil.example", True, True, False),
        (None, "null", True, True, False),
        (None, None, True, True, False),
    ],
)
def test_who_sent_an_unsafe_request(
    fetch_site: str | None, origin: str | None, has_cookie: bool, has_bearer: bool, refused: bool
) -> None:
    found = is_cross_origin(
        fetch_site=fetch_site, origin=origin, own_origin=OWN, has_cookie=has_cookie, has_bearer=has_bearer
    )
    assert found is refused
