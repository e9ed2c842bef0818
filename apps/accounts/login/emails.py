"""Log-in by a code that is mailed to an address, beside the phone that every account has.

A code that was mailed there proves the address, and the account's phone is told of each change. Whether an
address has an account is said only in the mail to it. Off unless settings.LOGIN_EMAIL.
"""

from uuid import uuid4

from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import Http404
from django.utils.translation import gettext as _

from apps.accounts import codes
from apps.accounts.codes import Purpose
from apps.accounts.login import logins
from apps.accounts.login.logins import Device, LoggedIn
from apps.accounts.models import LoginEmail, User
from apps.outbox import outbox
from apps.outbox.models import Channel
from apps.web.problems import Problem


def require_on() -> None:
    """Http404 where the operator hasn't turned log-in by e-mail on."""
    if not settings.LOGIN_EMAIL:
        raise Http404


def find_own(user: User) -> str:
    """The address that a person logs in by; "" without one."""
    return LoginEmail.objects.filter(user=user).values_list("address", flat=True).first() or ""


def send_code(address: str, *, ip: str, holder: str) -> str:
    """Mail a log-in code, or to an unknown address that no account has it; returns the mailed code, or "".

    The Problems of codes.send_by_email.
    """
    is_known = LoginEmail.objects.filter(address=address).exists()
    code = codes.send_by_email(address, ip=ip, holder=holder, is_known=is_known)
    return code if is_known else ""


def log_in(address: str, code: str, *, request: str, device: Device, old_token: str = "") -> LoggedIn:
    """The user and a new raw token for a right code, as logins.log_in; an unknown address makes no account.

    Problem 400 wrong_code, 403 disabled, 429.
    """
    codes.check(address, code, ip=device.ip, holder=request)
    with transaction.atomic():
        known = LoginEmail.objects.select_related("user").filter(address=address).first()
        if known is None:
            raise codes.wrong_code()
        return logins.log_in_proven(known.user, device=device, old_token=old_token)


def begin(user: User, address: str, *, ip: str) -> str:
    """Mail a code to the address that the person wants to log in by; the Problems of codes.send_by_email."""
    holder = codes.person_holder(user.pk)
    return codes.send_by_email(address, ip=ip, holder=holder, purpose=Purpose.ADD_EMAIL)


def finish(user: User, address: str, code: str, *, ip: str) -> None:
    """Make the address the person's only one; Problem 400 wrong_code, 409 email_taken, 429.

    The person gets a text message about it.
    """
    codes.check(address, code, ip=ip, holder=codes.person_holder(user.pk), purpose=Purpose.ADD_EMAIL)
    try:
        with transaction.atomic():
            LoginEmail.objects.update_or_create(user=user, defaults={"address": address})
            text = _(
                "%(site)s: your account can now be opened by e-mail."
                " If that wasn't you, remove the address under Me, E-mail address."
            )
            _tell_phone(user, text)
    except IntegrityError:
        text = _("Another account has this address. Remove it there first.")
        raise Problem(409, "email_taken", text) from None


def remove(user: User) -> None:
    """Let no e-mail open the account any more; the person gets a text message about it."""
    with transaction.atomic():
        if LoginEmail.objects.filter(user=user).delete()[0]:
            text = _(
                "%(site)s: your account can't be opened by e-mail any more. If that wasn't you, write to us."
            )
            _tell_phone(user, text)


def _tell_phone(user: User, text: str) -> None:
    message = text % {"site": settings.SITE_NAME}
    outbox.post(channel=Channel.SMS, to=user.phone, text=message, key=f"email-changed:{uuid4()}")
