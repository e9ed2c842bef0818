"""Another phone for an account: a code to the present phone, then one to the new one.

An open browser alone is not enough to take the account away. Whether the new number has an account already is
said only after the code to that number was right.
"""

from datetime import timedelta
from uuid import uuid4

from django.conf import settings
from django.core import signing
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from apps.accounts import codes
from apps.accounts.codes import Purpose
from apps.accounts.login.logins import Device
from apps.accounts.models import User
from apps.accounts.sessions import tokens
from apps.accounts.staff import audit
from apps.outbox import outbox
from apps.outbox.models import Channel
from apps.web.problems import Problem

#: From the present phone's code to the new one's.
PROOF_AGE = timedelta(minutes=10)
#: Digits of the new number that the old one is told.
SHOWN_DIGITS = 4
_SALT = "accounts.phone-change"


def begin(user: User, new_phone: str, *, ip: str) -> str:
    """Send a code to the present phone; Problem 422 same_phone, or those of codes.send."""
    if new_phone == user.phone:
        raise Problem(422, "same_phone", _("This is your number already."), field="phone")
    return _send(user, user.phone, ip)


def prove_present(user: User, new_phone: str, code: str, *, ip: str) -> tuple[str, str]:
    """Check the present phone's code and send one to the new phone; returns the proof of the first, and the
    code. Problem 400 wrong_code, 429, 503.
    """
    _check(user, user.phone, code, ip)
    return signing.dumps([user.pk, user.phone, new_phone], salt=_SALT), _send(user, new_phone, ip)


def finish(user: User, new_phone: str, *, proof: str, code: str, device: Device) -> str:
    """Give the account its new phone and end all its log-ins; returns the raw token of a new one.

    Problem 400 wrong_code or proof_too_old, 409 phone_taken, 429. The old phone gets a text message about it.
    """
    require_proof(user, new_phone, proof)
    _check(user, new_phone, code, device.ip)
    old_phone = user.phone
    with transaction.atomic():
        _take(user, new_phone)
        tokens.revoke_all(user.pk)
        text = _(
            "%(site)s: your account now has the number ending in %(digits)s. If that wasn't you, write to us."
        )
        message = text % {"site": settings.SITE_NAME, "digits": new_phone[-SHOWN_DIGITS:]}
        outbox.post(channel=Channel.SMS, to=old_phone, text=message, key=f"phone-changed:{uuid4()}")
        if user.is_staff:
            audit.record(user, _("changed the phone number"))
        return tokens.issue(user, kind=device.kind, place=device.place, user_agent=device.user_agent)


def _send(user: User, phone: str, ip: str) -> str:
    return codes.send(phone, ip=ip, holder=codes.person_holder(user.pk), purpose=Purpose.CHANGE_PHONE)


def _check(user: User, phone: str, code: str, ip: str) -> None:
    codes.check(phone, code, ip=ip, holder=codes.person_holder(user.pk), purpose=Purpose.CHANGE_PHONE)


def require_proof(user: User, new_phone: str, proof: str) -> None:
    """Problem 400 proof_too_old unless the present phone's code was right for this number a moment ago."""
    try:
        proven = signing.loads(proof, salt=_SALT, max_age=PROOF_AGE)
    except signing.BadSignature:
        proven = None
    if proven != [user.pk, user.phone, new_phone]:
        raise Problem(400, "proof_too_old", _("That took too long. Please start again."))


def _take(user: User, new_phone: str) -> None:
    taken = _("Another account has this number. Log out, and log in with it to see that account.")
    try:
        with transaction.atomic():
            # The row may have another phone meanwhile: two browsers at once, or staff.
            changed = User.objects.filter(pk=user.pk, phone=user.phone).update(phone=new_phone)
    except IntegrityError:
        raise Problem(409, "phone_taken", taken) from None
    if not changed:
        raise Problem(400, "proof_too_old", _("That took too long. Please start again."))
    user.phone = new_phone
