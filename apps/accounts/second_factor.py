"""A manager's second factor: codes of an authenticator (TOTP), and backup codes that work once.

Who has one uses their permissions, in the admin, on pages and by the API, only in a log-in that has given a
code within PROOF_AGE. Without one, staff uses them unless the site demands one (STAFF_SECOND_FACTOR).
django-otp keeps the devices and slows guesses down: after each wrong code the next waits twice as long.
"""

from base64 import b32encode
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django_otp import DEVICE_ID_SESSION_KEY
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from apps.accounts.models import AccessToken, User
from apps.adminkit import history
from apps.web import characters
from apps.web.problems import Problem

NAME = "savor"
BACKUP_CODES = 8
#: How long a code opens what a person's permissions open: a long shift.
PROOF_AGE = timedelta(hours=12)
_PROVEN_AT = "second_factor_at"


def is_set_up(user: User) -> bool:
    """Whether the manager's log-ins ask for a code."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def permits(user: User, find_proof: Callable[[], datetime | None]) -> bool:
    """Whether a log-in may use the person's permissions; `find_proof` returns when it last gave a code."""
    if not is_set_up(user):
        return not (user.is_staff and settings.STAFF_SECOND_FACTOR)
    proven_at = find_proof()
    return proven_at is not None and timezone.now() - proven_at < PROOF_AGE


class PermissionCheck:
    """Says of one request's user whether its log-in may use their permissions, and remembers the answer."""

    def __init__(self, permits: Callable[[User], bool], *, lacks_scope: bool = False) -> None:
        self._permits = permits
        #: Whether it is a program's token, which uses no permissions.
        self.lacks_scope = lacks_scope
        self._verdict: bool | None = None

    def __call__(self, user: User) -> bool:
        if self._verdict is None:
            self._verdict = not self.lacks_scope and self._permits(user)
        return self._verdict

    @property
    def has_denied(self) -> bool:
        """Whether a permission was asked for that the person has, and denied."""
        return self._verdict is False


def permits_token(user: User, token_id: int) -> bool:
    """The same of a log-in of the site or the API."""
    tokens = AccessToken.objects.filter(pk=token_id, user=user)
    return permits(user, lambda: tokens.values_list("proven_at", flat=True).first())


def permits_program(user: User, token_id: int) -> bool:
    """The same of a program's token: the code with which it was made is good as long as the token."""
    if not is_set_up(user):
        return not (user.is_staff and settings.STAFF_SECOND_FACTOR)
    return AccessToken.objects.filter(pk=token_id, user=user, proven_at__isnull=False).exists()


def prove_new_token(user: User, code: str) -> datetime | None:
    """The moment at which the person proved themselves for a new token, by a code that is good once.

    None for who has no second factor and needs none. Problem 400 wrong_code, 403 second_factor_required.
    """
    if not is_set_up(user):
        if settings.STAFF_SECOND_FACTOR:
            raise required(user)
        return None
    if verify(user, code) is None:
        raise Problem(400, "wrong_code", wrong_code().messages[0])
    return timezone.now()


def permits_session(user: User, session: Any) -> bool:
    """The same of a session of the admin."""
    return permits(user, lambda: _proof_of_session(session))


def _proof_of_session(session: Any) -> datetime | None:
    stamp = session.get(_PROVEN_AT) if DEVICE_ID_SESSION_KEY in session else None
    return datetime.fromisoformat(stamp) if stamp else None


def prove_token(user: User, token_id: int, code: str, *, ip: str) -> datetime:
    """Let a log-in of the site or the API use the person's permissions, by a code; returns until when.

    Problem 400 wrong_code.
    """
    if verify(user, code) is None:
        raise Problem(400, "wrong_code", wrong_code().messages[0])
    now = timezone.now()
    AccessToken.objects.filter(pk=token_id, user=user).update(proven_at=now)
    history.record_event(user.pk, str(user), _("gave a code on the site, from %(ip)s") % {"ip": ip})
    return now + PROOF_AGE


def keep_proof(session: Any, device_id: str) -> None:
    """Note in a session of the admin that a code of this device was given now."""
    session[DEVICE_ID_SESSION_KEY] = device_id
    session[_PROVEN_AT] = timezone.now().isoformat()


def forget_proof(session: Any) -> None:
    """Take the note out of the session."""
    session.pop(DEVICE_ID_SESSION_KEY, None)
    session.pop(_PROVEN_AT, None)


def proven_device_id(user: Any) -> str:
    """The device by whose code check_log_in has let this very User in; "" without one."""
    device = vars(user).get("otp_device")
    return str(device.persistent_id) if device else ""


def required(user: User) -> Problem:
    """Problem 403 second_factor_required, with the address that takes the code (`prove_at`)."""
    if is_set_up(user):
        sentence = _("Give a code of your authenticator first.")
        return Problem(403, "second_factor_required", sentence, prove_at=reverse("api:prove_second_factor"))
    sentence = _("Set up a second factor in the admin first.")
    return Problem(403, "second_factor_required", sentence, prove_at=reverse("admin_second_factor"))


def begin(user: User) -> TOTPDevice:
    """The device that the manager is setting up: its secret stays the same until it is confirmed."""
    device, _made = TOTPDevice.objects.get_or_create(user=user, confirmed=False, defaults={"name": NAME})
    return device


def confirm(user: User, code: str) -> list[str]:
    """Put the second factor in force by a code of the new authenticator; returns the backup codes.

    Raises ValidationError for a wrong code.
    """
    with transaction.atomic():
        pending = TOTPDevice.objects.select_for_update().filter(user=user, confirmed=False).first()
        is_right = pending is not None and pending.verify_token(code)
        if pending and is_right:
            TOTPDevice.objects.filter(user=user, confirmed=True).delete()
            pending.confirmed = True
            pending.save(update_fields=["confirmed"])
    if not is_right:
        raise wrong_code()
    return renew_backup_codes(user)


def renew_backup_codes(user: User) -> list[str]:
    """New backup codes in place of the old ones; they are shown once."""
    codes = [StaticToken.random_token() for _ in range(BACKUP_CODES)]
    with transaction.atomic():
        StaticDevice.objects.filter(user=user).delete()
        device = StaticDevice.objects.create(user=user, name=NAME)
        StaticToken.objects.bulk_create([StaticToken(device=device, token=code) for code in codes])
    return codes


def verify(user: User, code: str) -> Device | None:
    """The device that accepts the code, which is good once; None for a wrong or a hasty one."""
    typed = characters.to_plain_number(code).replace(" ", "").replace("-", "").lower()
    kind = TOTPDevice if typed.isdigit() else StaticDevice
    # The transaction ends before anybody raises: a wrong code must be counted.
    with transaction.atomic():
        devices = kind.objects.select_for_update().filter(user=user, confirmed=True)
        return next((device for device in devices if device.verify_token(typed)), None)


def check_log_in(user: User, code: str) -> None:
    """Let a manager without a second factor pass, and one with it by a right code; else ValidationError.

    The session then knows the device: django-otp writes down what it finds in `user.otp_device`.
    """
    if not is_set_up(user):
        return
    if not code:
        raise ValidationError(_("Type the code of your authenticator too."), code="code_required")
    device = verify(user, code)
    if device is None:
        raise wrong_code()
    keeps_device: Any = user
    keeps_device.otp_device = device


def remove(user: User) -> None:
    """Take the second factor away, with its backup codes."""
    with transaction.atomic():
        TOTPDevice.objects.filter(user=user).delete()
        StaticDevice.objects.filter(user=user).delete()


def count_backup_codes(user: User) -> int:
    """How many backup codes are left."""
    return int(StaticToken.objects.filter(device__user=user).count())


def find_device_id(user: User) -> str:
    """What a session holds that has proved the manager's authenticator."""
    return str(TOTPDevice.objects.get(user=user, confirmed=True).persistent_id)


def spell_secret(device: TOTPDevice) -> str:
    """The secret for an authenticator that reads no pictures, in groups of four letters."""
    text = b32encode(device.bin_key).decode()
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def wrong_code() -> ValidationError:
    return ValidationError(_("This code is wrong, or was used already. Wait for the next one."), code="code")
