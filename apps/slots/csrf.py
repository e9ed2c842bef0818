"""One CSRF token an answer: Django masks the secret anew for each template that a page is made of."""

from functools import partial

from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.utils.functional import SimpleLazyObject

_HELD = "savor.csrf_token"


def token(request: HttpRequest) -> dict[str, object]:
    """A context processor, after Django's own: the first template that shows the token makes it for all."""
    held = request.META.setdefault(_HELD, SimpleLazyObject(partial(get_token, request)))
    return {"csrf_token": held}
