"""The language of a request, by the rules of Django's LocaleMiddleware."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language_from_request

from apps.front.head_fields import find_cookie
from apps.front.short_cache import MAX_CACHED_HEADERS, short_cache

_COOKIE = settings.LANGUAGE_COOKIE_NAME.encode()


def find_language(cookies: bytes, accept_language: bytes) -> str:
    """The language in which Django's LocaleMiddleware would answer."""
    return choose_language(find_cookie(cookies, _COOKIE) if cookies else "", accept_language)


@short_cache(MAX_CACHED_HEADERS)
def choose_language(cookie: str, accept_language: bytes) -> str:
    """The same by the value of the cookie, "" for none."""
    request = HttpRequest()
    request.COOKIES = {settings.LANGUAGE_COOKIE_NAME: cookie} if cookie else {}
    request.META = {"HTTP_ACCEPT_LANGUAGE": accept_language.decode("latin-1")}
    return get_language_from_request(request)
