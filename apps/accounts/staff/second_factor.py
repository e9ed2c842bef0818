"""A manager's second factor: codes of an authenticator (TOTP), and backup codes that work once.

django-otp keeps the devices and slows guesses down: after each wrong code the next waits twice as long.
"""

from base64 import b32encode
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from django_otp import DEVICE_ID_SESSION_KEY
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from apps.accounts.models import User
from apps.web import characters

NAME = "savor"
BACKUP_CODES = 8


def is_set_up(user: User) -> bool:
    """Whether the manager's log-ins ask for a code."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


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


def is_verified(session: Any) -> bool:
    """Whether this session began with, or has set up, a second factor."""
    return DEVICE_ID_SESSION_KEY in session


def wrong_code() -> ValidationError:
    return ValidationError(_("This code is wrong, or was used already. Wait for the next one."), code="code")
