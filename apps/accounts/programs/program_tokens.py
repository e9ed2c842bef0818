"""Tokens for programs: how people make, list and revoke their own.

A token of the scope "operations" is made with a code of the person's second factor and ends within
MAX_OPERATIONS_DAYS; its person's permissions are looked at whenever it is used.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import limits, second_factor
from apps.accounts.models import AccessToken, AccessTokenQuerySet, User
from apps.accounts.sessions import tokens
from apps.accounts.sessions.scopes import Scope
from apps.adminkit import history
from apps.web.problems import Problem

#: Live tokens a person: one a program, and some programs.
MAX_TOKENS = 20
MAX_DAYS, MAX_OPERATIONS_DAYS = 366, 90


class NewToken(NamedTuple):
    """A token just made: its row, and its text, which is stored nowhere."""

    row: AccessToken
    raw: str


def make(user: User, *, name: str, scopes: Sequence[str], days: int | None, code: str = "") -> NewToken:
    """A new token that ends after so many days, or never.

    Problem 403 forbidden for operations by who isn't staff, 409 too_many_tokens, 422 expiry_needed, 429, and
    those of second_factor.prove_new_token. ValidationError for a bad name.
    """
    limits.charge_program_token(user.pk)
    clean_name, allowed = _clean_name(name), [Scope(scope) for scope in scopes]
    _require_room(user)
    for_operations = Scope.OPERATIONS in allowed
    if for_operations:
        _require_may_operate(user, days)
    # Last, as a code is good once; and before the transaction, as a wrong one must be counted.
    proven_at = second_factor.prove_new_token(user, code) if for_operations else None
    expires_at = timezone.now() + timedelta(days=days) if days else AccessToken.NEVER
    with transaction.atomic():
        # One after another: two requests at once don't both find the last place free.
        User.objects.select_for_update().get(pk=user.pk)
        _require_room(user)
        return _insert(user, clean_name, allowed, expires_at, proven_at)


def list_own(user: User) -> AccessTokenQuerySet:
    """A person's live tokens, the newest first."""
    return AccessToken.objects.live().programs().filter(user=user).order_by("-pk")


def revoke(user: User, token_id: int) -> None:
    """Revoke one of a person's tokens, in every process at once; Problem 404 when it is not theirs."""
    tokens.revoke_or_404(list_own(user).filter(pk=token_id))


def _require_may_operate(user: User, days: int | None) -> None:
    if not user.is_staff:
        raise Problem(403, "forbidden", _("Only staff may make a token for operations."))
    if not days or days > MAX_OPERATIONS_DAYS:
        text = _("A token for operations ends within %(days)d days.")
        raise Problem(422, "expiry_needed", text % {"days": MAX_OPERATIONS_DAYS}, field="expires_in_days")


def _require_room(user: User) -> None:
    if list_own(user).count() >= MAX_TOKENS:
        text = _("You have %(count)d tokens. Revoke one that you don't need any more.")
        raise Problem(409, "too_many_tokens", text % {"count": MAX_TOKENS})


def _clean_name(name: str) -> str:
    try:
        cleaned: str = AccessToken._meta.get_field("name").clean(name, None)
    except ValidationError as error:
        raise ValidationError({"name": error.messages}) from None
    if not cleaned:
        raise ValidationError({"name": _("Give the token a name.")})
    return cleaned


def _insert(
    user: User, name: str, allowed: Sequence[Scope], expires_at: datetime, proven_at: datetime | None
) -> NewToken:
    row, raw = tokens.issue_for_program(
        user, name=name, allowed=allowed, expires_at=expires_at, proven_at=proven_at
    )
    if Scope.OPERATIONS in allowed:
        history.record_event(
            user.pk, str(user), _("made the token “%(name)s” for operations") % {"name": name}
        )
    return NewToken(row, raw)
