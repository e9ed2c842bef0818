"""Log-in codes: six digits sent to a phone, stored in Redis as an HMAC, checked once."""

import hmac
import logging
import re
import secrets
from datetime import timedelta
from enum import IntEnum, StrEnum

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts import keys, limits
from apps.outbox import sms
from apps.redis_kit import client, scripts
from apps.web import characters
from apps.web.problems import Problem

#: Five guesses at 1,000,000 codes; limits.py counts the codes.
MAX_CHECKS_PER_CODE = 5
CODE_DIGITS = 6
#: Characters of a pasted code at most: "123 456", "123-456", with marks of direction around it.
MAX_TYPED_LENGTH = 64
_CODE_PATTERN = re.compile(rf"[0-9]{{{CODE_DIGITS}}}")
logger = logging.getLogger(__name__)


class CheckResult(IntEnum):
    """What check_code.lua returns; people read the same text for WRONG and NO_CODE."""

    RIGHT = 1
    WRONG = 2
    NO_CODE = 3


class Purpose(StrEnum):
    """What a code is good for, and nothing else: the value is hashed with it."""

    LOG_IN = "code"
    CHANGE_PHONE = "change-phone"
    DELETE_ACCOUNT = "delete-account"


_TEXTS = {
    Purpose.LOG_IN: gettext_lazy("Savor: your code is %(code)s, good for %(n)d minutes."),
    Purpose.CHANGE_PHONE: gettext_lazy(
        "Savor: %(code)s changes the phone number of your account, good for %(n)d minutes. Tell nobody."
    ),
    Purpose.DELETE_ACCOUNT: gettext_lazy(
        "Savor: %(code)s DELETES your account, good for %(n)d minutes. Tell nobody."
    ),
}

STORE_CODE = scripts.Script("store_code", package="apps.accounts.codes", reply=int)
CHECK_CODE = scripts.Script("check_code", package="apps.accounts.codes", reply=CheckResult)


def send(phone: str, *, ip: str, purpose: Purpose = Purpose.LOG_IN) -> str:
    """Send a new code, which replaces an older one of any purpose; Problem 429, or 503 when it can't be sent.

    The answer never depends on whether the phone has an account.
    """
    limits.charge_send(phone, ip=ip)
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
    ttl_ms = settings.LOGIN_CODE_TTL // timedelta(milliseconds=1)
    STORE_CODE(client.get(), keys=[_code_key(phone)], args=[_code_mac(phone, code, purpose), ttl_ms])
    minutes = settings.LOGIN_CODE_TTL // timedelta(minutes=1)
    _deliver(phone, _TEXTS[purpose] % {"code": code, "n": minutes})
    return code


def check(phone: str, code: str, *, ip: str, purpose: Purpose = Purpose.LOG_IN) -> None:
    """Use up the right code of a phone; Problem 400 wrong_code or 429."""
    limits.charge_check(phone, ip=ip, is_guess=_may_be_guessed(phone))
    code = parse_code(code)
    if not code or compare_with_stored(phone, code, purpose) is not CheckResult.RIGHT:
        raise wrong_code()


def parse_code(text: str) -> str:
    """Return the six ASCII digits of a typed or pasted code such as "123 456"; "" when it is none."""
    typed = characters.to_plain_number(text[:MAX_TYPED_LENGTH]).replace(" ", "").replace("-", "")
    return typed if _CODE_PATTERN.fullmatch(typed) else ""


def wrong_code() -> Problem:
    return Problem(400, "wrong_code", _("This code is wrong or too old."))


def is_pending(phone: str, code: str, purpose: Purpose = Purpose.LOG_IN) -> bool:
    """Whether this is the phone's code and still good, uncounted: for the demo alone, which shows codes."""
    stored, checks = client.get().hmget(_code_key(phone), ["mac", "checks"])
    return stored == _code_mac(phone, code, purpose) and int(checks or 0) < MAX_CHECKS_PER_CODE


def compare_with_stored(phone: str, code: str, purpose: Purpose = Purpose.LOG_IN) -> CheckResult:
    """Compare a code with the stored one and count the check, in one step."""
    return CHECK_CODE(
        client.get(), keys=[_code_key(phone)], args=[_code_mac(phone, code, purpose), MAX_CHECKS_PER_CODE]
    )


def _may_be_guessed(phone: str) -> bool:
    """Whether the phone has a code that takes another check."""
    checks = client.get().hget(_code_key(phone), "checks")
    return checks is not None and int(checks) < MAX_CHECKS_PER_CODE


def _deliver(phone: str, text: str) -> None:
    # Not through the outbox or a queue: a row, a failed task or an append-only file would keep the code for
    # longer than its two minutes, beside its phone. So a slow provider makes the log-in slow.
    try:
        sms.sender().send(phone, text)
    except sms.NotSent as error:
        logger.exception("a log-in code could not be sent")
        raise Problem(503, "not_sent", _("We can't send messages right now."), retry_after=60) from error


def _code_key(phone: str) -> str:
    return keys.LOGIN_CODE(phone=_keyed_hash("phone", phone))


def _code_mac(phone: str, code: str, purpose: Purpose) -> str:
    # Without the key a million hashes would give the code away to a reader of Redis.
    return _keyed_hash(purpose.value, f"{phone}:{code}")


def _keyed_hash(purpose: str, text: str) -> str:
    return hmac.new(settings.SECRET_KEY.encode(), f"accounts.{purpose}:{text}".encode(), "sha256").hexdigest()
