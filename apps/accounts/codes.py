import hmac
import logging
import re
import secrets
from datetime import timedelta
from enum import IntEnum

from django.conf import settings
from django.utils.translation import gettext as _

from apps.accounts import keys, limits
from apps.outbox import sms
from apps.problems import Problem
from apps.redis_kit import client, scripts

#: Five guesses at 1,000,000 codes; limits.py counts the codes.
CHECKS_PER_CODE = 5
DIGITS = 6
_CODE = re.compile(rf"[0-9]{{{DIGITS}}}")
logger = logging.getLogger(__name__)


class Check(IntEnum):
    """What check_code.lua says; people hear the same for WRONG and NO_CODE."""

    RIGHT = 1
    WRONG = 2
    NO_CODE = 3


STORE = scripts.Script("store_code", package="apps.accounts", reply=int)
CHECK = scripts.Script("check_code", package="apps.accounts", reply=Check)


def send(phone: str, *, ip: str) -> str:
    """Send a new code, which replaces an older one; Problem 429, or 503 when it can't be sent.

    Nothing here looks at who has the phone, so the answer can't tell whether anybody does.
    """
    limits.charge_send(phone, ip=ip)
    code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    ttl_ms = settings.LOGIN_CODE_TTL // timedelta(milliseconds=1)
    STORE(client.get(), keys=[_key(phone)], args=[_mac(phone, code), ttl_ms])
    minutes = settings.LOGIN_CODE_TTL // timedelta(minutes=1)
    _deliver(phone, _("Savor: your code is %(code)s, good for %(n)d minutes.") % {"code": code, "n": minutes})
    return code


def check(phone: str, code: str, *, ip: str) -> None:
    """Use up a right code; Problem 400 wrong_code or 429."""
    limits.charge_check(phone, ip=ip)
    if not _CODE.fullmatch(code) or ask(phone, code) is not Check.RIGHT:
        raise Problem(400, "wrong_code", _("This code is wrong or too old."))


def ask(phone: str, code: str) -> Check:
    """Compare a code with the kept one, in one step with counting it."""
    return CHECK(client.get(), keys=[_key(phone)], args=[_mac(phone, code), CHECKS_PER_CODE])


def _deliver(phone: str, text: str) -> None:
    try:
        sms.sender().send(phone, text)
    except sms.NotSent as error:
        logger.exception("a log-in code could not be sent")
        raise Problem(503, "not_sent", _("We can't send messages right now."), retry_after=60) from error


def _key(phone: str) -> str:
    return keys.CODE(phone=_keyed("phone", phone))


def _mac(phone: str, code: str) -> str:
    # Without the key a million hashes would give the code away to a reader of Redis.
    return _keyed("code", f"{phone}:{code}")


def _keyed(purpose: str, text: str) -> str:
    return hmac.new(settings.SECRET_KEY.encode(), f"accounts.{purpose}:{text}".encode(), "sha256").hexdigest()
