"""Logging in: a right code, or another proof, becomes a user and a token."""

from dataclasses import dataclass
from typing import NamedTuple

from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.accounts import codes
from apps.accounts.deletion import deletions
from apps.accounts.models import User
from apps.accounts.profiles import findable_people
from apps.accounts.sessions import tokens
from apps.geoip import locating
from apps.geoip.locating import Place
from apps.metrics import gathering
from apps.web import client_address, findable
from apps.web.on_commit import run_after_commit
from apps.web.problems import Problem


@dataclass(frozen=True)
class Device:
    """Where a log-in comes from: AccessToken.Kind, address and its place, browser or program."""

    kind: str
    ip: str
    user_agent: str = ""
    place: Place | None = None


def device_from_request(request: HttpRequest, *, kind: str) -> Device:
    """The device that a request comes from."""
    agent, ip = request.headers.get("User-Agent", ""), client_address.client_ip(request)
    return Device(kind=kind, ip=ip, user_agent=agent.replace("\x00", ""), place=locating.locate(ip))


class LoggedIn(NamedTuple):
    """Who logged in, and the raw token; `is_new` is a first log-in, `is_back` took a deletion back."""

    user: User
    token: str
    is_new: bool
    is_back: bool


def log_in(phone: str, code: str, *, request: str, device: Device, old_token: str = "") -> LoggedIn:
    """The user and a new raw token for a right code; an unknown phone becomes a new user.

    `request` is what codes.new_request gave whoever asked for the code, "" from programs that don't know it.
    An account that waits for its deletion is taken back. Problem 400 wrong_code, 403 disabled, 429.
    `old_token`, which the browser sent, is revoked: a token that an attacker planted there must not become
    the victim's.
    """
    codes.check_request(phone, code, ip=device.ip, request=request)
    with transaction.atomic():
        user, is_new = User.objects.get_or_create_by_phone(phone, language=get_language() or "")
        if is_new:
            findable.changed(findable_people.NAME, user.pk)
        return log_in_proven(user, is_new=is_new, device=device, old_token=old_token)


def log_in_proven(user: User, *, device: Device, is_new: bool = False, old_token: str = "") -> LoggedIn:
    """A new raw token for a user who has just proven who they are, in the caller's transaction.

    An account that waits for its deletion is taken back. Problem 403 disabled.
    """
    is_back = not user.is_active and deletions.take_back(user)
    if not user.is_active:
        raise Problem(403, "disabled", _("This account is closed."))
    if old_token:
        tokens.log_out(old_token)
    _save_language(user)
    run_after_commit(gathering.count, "logins")
    token = tokens.issue(user, kind=device.kind, place=device.place, user_agent=device.user_agent)
    return LoggedIn(user, token, is_new, is_back)


def _save_language(user: User) -> None:
    """Messages to a person are in the language in which they logged in last."""
    language = get_language() or ""
    if language != user.language:
        user.language = language
        user.save(update_fields=["language"])
