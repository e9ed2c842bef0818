"""A context processor that gives all forms of one response the same CSRF token."""

from functools import partial

from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.utils.functional import SimpleLazyObject

_META_KEY = "savor.csrf_token"


def token(request: HttpRequest) -> dict[str, object]:
    """`csrf_token` for every template of this response, made when the first of them shows it.

    It must come after Django's own processor, which masks the secret anew for each template.
    """
    shared = request.META.setdefault(_META_KEY, SimpleLazyObject(partial(get_token, request)))
    return {"csrf_token": shared}
