"""The logged-in user of a request: bearer tokens of the API, and helpers for pages and endpoints."""

from functools import partial
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from ninja.security import HttpBearer

from apps.accounts import second_factor
from apps.accounts.models import User
from apps.accounts.second_factor import PermissionCheck
from apps.accounts.sessions import cookies, tokens
from apps.accounts.sessions.scopes import Scope
from apps.accounts.sessions.tokens import Login
from apps.web.bearer import read_bearer
from apps.web.compiled_queries import CompiledQuery
from apps.web.problems import Problem

READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@CompiledQuery
def _query_active_user(user_id: int) -> QuerySet[User]:
    return User.objects.filter(pk=user_id, is_active=True)


class Bearer(HttpBearer):
    """`Authorization: Bearer <token>`; the endpoint has request.auth (a Login) and a lazy request.user.

    A program's token needs `scope`; without one, "read" for what only reads, else "write".
    """

    scope: Scope | None = None

    def __call__(self, request: HttpRequest) -> Any:
        token = read_bearer(request.headers.get("Authorization", ""))
        return None if token is None else self.authenticate(request, token)

    def authenticate(self, request: HttpRequest, token: str) -> Login | None:
        login = tokens.resolve(token)
        if login:
            self.require_scope(login, request)
            check = request.permission_check = check_permissions(login)  # type: ignore[attr-defined]
            request.user = SimpleLazyObject(partial(fetch_user, login, check))  # type: ignore[assignment]
        return login

    def require_scope(self, login: Login, request: HttpRequest) -> None:
        """Problem 403 missing_scope for a program's token that may not do this."""
        scope = self.scope or (Scope.READ if request.method in READING_METHODS else Scope.WRITE)
        if scope not in login.scopes:
            raise missing_scope(scope)


class OrdersBearer(Bearer):
    """Accepts programs' tokens with the scope "orders"."""

    scope = Scope.ORDERS


class LogInBearer(Bearer):
    """Accepts a log-in, and no program's token: it can't take an account over, nor make more tokens."""

    def require_scope(self, login: Login, request: HttpRequest) -> None:
        """Problem 403 log_in_required for any program's token."""
        if login.is_program:
            raise Problem(403, "log_in_required", _("A program's token can't do this. Log in for it."))


class OptionalBearer(Bearer):
    """Accepts a request without a token; a token that is sent must be valid (401)."""

    def __call__(self, request: HttpRequest) -> Login | bool | None:
        sent: Login | None = super().__call__(request)
        return sent or ("Authorization" not in request.headers)


class BearerOrCookie(Bearer):
    """Accepts a program's bearer token or a browser's cookie; an Authorization header alone decides."""

    def __call__(self, request: HttpRequest) -> Login | None:
        if request.headers.get("Authorization"):
            login: Login | None = super().__call__(request)
            return login
        token = cookies.read_token(request)
        return self.authenticate(request, token) if token else None


class OrdersBearerOrCookie(BearerOrCookie, OrdersBearer):
    """The same for what is about orders."""


class LogInBearerOrCookie(BearerOrCookie, LogInBearer):
    """The same without programs' tokens."""


class StaffBearer(Bearer):
    """Accepts only staff with a permission of the admin; 403 for others.

    TokenMiddleware says where only the second factor is missing.
    """

    scope = Scope.OPERATIONS

    def __init__(self, permission: str) -> None:
        super().__init__()
        self._permission = permission

    def authenticate(self, request: HttpRequest, token: str) -> Login | None:
        login = super().authenticate(request, token)
        user = require_user(request) if login else None
        if user and not (user.is_staff and user.has_perm(self._permission)):
            raise PermissionDenied
        return login


class StaffBearerOrCookie(BearerOrCookie, StaffBearer):
    """The same for a browser's cookie too."""


bearer = Bearer()
orders_bearer = OrdersBearer()
log_in_bearer = LogInBearer()
optional_bearer = OptionalBearer()
bearer_or_cookie = BearerOrCookie()
orders_bearer_or_cookie = OrdersBearerOrCookie()
log_in_bearer_or_cookie = LogInBearerOrCookie()
visits_bearer = StaffBearer("uv.view_dailyvisits")


def require_login(request: HttpRequest) -> Login:
    """The Login of an endpoint with `auth=auth.bearer`; costs no query, unlike request.user."""
    found: Any = getattr(request, "auth", None)
    if not isinstance(found, Login):
        raise not_logged_in()
    return found


def require_cookie_login(request: HttpRequest) -> Login:
    """The Login of a browser's cookie; Problem 401 without one. It reads no row, unlike request.user."""
    login = tokens.resolve(cookies.read_token(request))
    if login is None:
        raise not_logged_in()
    return login


def viewer_id(request: HttpRequest) -> int | None:
    """The user id behind a page, or an endpoint with `auth=auth.optional_bearer`; None for a visitor."""
    found: Any = getattr(request, "auth", None)
    return found.user_id if isinstance(found, Login) else request.user.pk


def user_or_none(request: HttpRequest) -> User | None:
    """The logged-in user of a page or an endpoint; None for a visitor. Reads the user's row."""
    return request.user if isinstance(request.user, User) and request.user.is_authenticated else None


def require_user(request: HttpRequest) -> User:
    """The logged-in user of a page or an endpoint; Problem 401 for a visitor."""
    user = request.user
    if isinstance(user, AnonymousUser) or not user.is_authenticated:
        raise not_logged_in()
    return user


def fetch_user(login: Login, check: PermissionCheck | None = None) -> User:
    """The user of a log-in; Problem 401 when the account was disabled or deleted.

    The user's permissions are those that the log-in may use; `check` is check_permissions(login).
    """
    found = _query_active_user(login.user_id)
    if not found:
        raise not_logged_in()
    user = found[0]
    user.permission_check = check or check_permissions(login)
    return user


def check_permissions(login: Login) -> PermissionCheck:
    """What a request with this log-in asks before it uses permissions."""
    if login.is_program:
        permits = partial(second_factor.permits_program, token_id=login.token_id)
        return PermissionCheck(permits, lacks_scope=Scope.OPERATIONS not in login.scopes)
    return PermissionCheck(partial(second_factor.permits_token, token_id=login.token_id))


def not_logged_in() -> Problem:
    return Problem(401, "not_logged_in")


def missing_scope(scope: Scope) -> Problem:
    """Problem 403 with the `scope` that a program's token would need."""
    text = _("This token may not do this: it lacks the scope “%(scope)s”.")
    return Problem(403, "missing_scope", text % {"scope": scope.value}, scope=scope.value)
