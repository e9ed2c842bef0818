"""An action requested while logged out, done once after the log-in.

A form that a visitor posts is refused with the way to the log-in. If its view is registered here, the browser
keeps the form in a signed cookie, and the log-in page carries the form's id. The log-in sends it only with
both: a link with an id, or a cookie of another page, does nothing.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from apps.accounts import auth, keys, redirects
from apps.accounts.sessions import cookies, tokens
from apps.redis_kit import client
from apps.web.problems import Problem
from apps.web.registry import Registry

#: The browser keeps a form for so long; a log-in takes two minutes.
LIFETIME_SECONDS = 15 * 60
#: A browser drops a cookie of more than 4,096 bytes. What is longer stays a draft.
MAX_COOKIE_LENGTH = 3_600
COOKIE = f"{settings.HOST_COOKIE_PREFIX}savor_pending"
#: The id of what was done, for the script that keeps drafts: it clears the one that was sent.
DONE_COOKIE = "savor_done"
DONE_SECONDS = 60
#: The parameter of the log-in page.
PARAMETER = "then"
_SALT = "accounts.pending-action"
_HTMX_PREFIX = "HTTP_HX_"


@dataclass(frozen=True)
class Resumable:
    """A view that is called after the log-in: the posted fields that go along, and those with a fixed value.

    A visitor's press of a button that turns something always means "on".
    """

    fields: tuple[str, ...] = ()
    fixed: Mapping[str, str] = field(default_factory=dict)


#: By the name of the view.
RESUMABLES: Registry[Resumable] = Registry("forms that are sent after the log-in")


class PendingAction(NamedTuple):
    """A form that waits for the log-in; `person_id` is whose log-in had ended in this browser, or 0."""

    id: str
    path: str
    fields: dict[str, list[str]]
    next: str
    person_id: int


class Done(NamedTuple):
    """What became of a form: the page to go on to ("": where the log-in leads), and its id if it was done."""

    url: str = ""
    id: str = ""


def keep(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The response; one that leads a posted form to the log-in keeps the form in the browser, if it may."""
    header = "HX-Redirect" if "HX-Redirect" in response.headers else "Location"
    url = response.headers.get(header, "")
    found = request.resolver_match and RESUMABLES.get(request.resolver_match.view_name)
    if request.method != "POST" or not found or urlsplit(url).path != redirects.login_path():
        return response
    action = _from_request(request, found)
    signed = signing.dumps(action, salt=_SALT, compress=True)
    if len(signed) > MAX_COOKIE_LENGTH:
        return response
    response.headers[header] = f"{url}&{urlencode({PARAMETER: action.id})}"
    response.set_cookie(
        COOKIE,
        signed,
        max_age=LIFETIME_SECONDS,
        httponly=True,
        secure=settings.SECURE,
        samesite="Lax",
    )
    return response


def _from_request(request: HttpRequest, found: Resumable) -> PendingAction:
    posted = {name: request.POST.getlist(name) for name in (*found.fields, "next") if name in request.POST}
    return PendingAction(
        id=token_urlsafe(12),
        path=request.path,
        fields=posted | {name: [value] for name, value in found.fixed.items()},
        next=redirects.current_page(request),
        person_id=tokens.find_person(cookies.read_token(request)),
    )


def requested_id(request: HttpRequest) -> str:
    """The id that the log-in page carries, or ""."""
    return request.POST.get(PARAMETER) or request.GET.get(PARAMETER, "")


def find(request: HttpRequest) -> PendingAction | None:
    """The form that the log-in page is about; None without one, or for one that is forged or too old."""
    try:
        signed = request.COOKIES.get(COOKIE, "")
        action = PendingAction(*signing.loads(signed, salt=_SALT, max_age=LIFETIME_SECONDS))
    except (signing.BadSignature, TypeError):
        return None
    return action if action.id == requested_id(request) else None


def perform(request: HttpRequest, *, token: str) -> Done:
    """Send the form that waits, as the person whose new token this is, and leave a message about it."""
    if not requested_id(request):
        return Done()
    action, login = find(request), tokens.resolve(token)
    match = _resolve(action.path) if action else None
    if not action or not match or not login:
        messages.info(request, _("What you pressed before the log-in is too old. Please press it again."))
        return Done()
    if action.person_id not in {0, login.user_id}:
        messages.info(request, _("Another account pressed that before the log-in, so nothing was done."))
        return Done()
    if not _is_first(action):
        messages.info(request, _("What you pressed before the log-in was done already."))
        return Done()
    return _send(request, action, match, login)


def _is_first(action: PendingAction) -> bool:
    """Take the action for this process, once; without Redis False, since it could be done twice."""
    try:
        return bool(client.get().set(keys.DONE_ACTION(action=action.id), "1", nx=True, ex=LIFETIME_SECONDS))
    except client.UNAVAILABLE:
        return False


def _resolve(path: str) -> ResolverMatch | None:
    try:
        match = resolve(path)
    except Resolver404:
        return None
    return match if match.view_name in RESUMABLES else None


def _send(request: HttpRequest, action: PendingAction, match: ResolverMatch, login: tokens.Login) -> Done:
    sent = _build_request(request, action, match, login)
    try:
        response: HttpResponse = match.func(sent, *match.args, **match.kwargs)
    except Problem as problem:
        return _refuse(request, action, problem.detail)
    except (Http404, PermissionDenied):
        return _refuse(request, action, _("That is not here any more."))
    if response.status_code >= 400:
        return _refuse(request, action, _("That was not sent. Please look at it here, and send it again."))
    return Done(redirects.safe_next(response.headers.get("Location", action.next)), action.id)


def _refuse(request: HttpRequest, action: PendingAction, why: str) -> Done:
    messages.error(request, why)
    return Done(action.next)


def _build_request(
    request: HttpRequest, action: PendingAction, match: ResolverMatch, login: tokens.Login
) -> HttpRequest:
    """The form's request as its view would have had it from a plain form of a logged-in person."""
    sent: Any = copy(request)
    sent.__dict__.pop("headers", None)
    sent.META = {name: value for name, value in request.META.items() if not name.startswith(_HTMX_PREFIX)}
    sent.path = sent.path_info = action.path
    sent.GET, sent.POST, sent._files = QueryDict(), QueryDict(mutable=True), MultiValueDict()
    for name, values in action.fields.items():
        sent.POST.setlist(name, values)
    sent.resolver_match, sent.auth = match, login
    sent.user = auth.fetch_user(login)
    return sent  # type: ignore[no-any-return]


def mark_done(response: HttpResponse, done: Done) -> None:
    """Have the browser forget the form, and its draft if it was sent."""
    response.delete_cookie(COOKIE, samesite="Lax")
    if done.id:
        response.set_cookie(
            DONE_COOKIE, done.id, max_age=DONE_SECONDS, secure=settings.SECURE, samesite="Lax"
        )
