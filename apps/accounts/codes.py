"""Log-in codes: six digits sent to a phone or an e-mail address, stored in Redis as an HMAC, checked once.

Only a code's holder can type it: a random request that was given to the client that asked for the code, or
the logged-in person. So guesses of others don't use it up. Programs that don't send the request back share
CHECK_WITHOUT_REQUEST for the phone's newest code that the API has sent. The day's codes have a budget.
"""

import hmac
import logging
import re
import secrets
from datetime import timedelta
from enum import IntEnum, StrEnum
from typing import Annotated

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from ninja import Schema
from pydantic import Field

from apps.accounts import keys, limits, phones
from apps.accounts.limits import SENT_BY_ALL
from apps.accounts.live_settings import LOGINS
from apps.accounts.models import DailyCount
from apps.metrics import redaction
from apps.outbox import mail, outbox, sms
from apps.redis_kit import client, scripts
from apps.web import characters
from apps.web.problems import Problem

#: Five guesses at 1,000,000 codes; limits.py counts the codes.
MAX_CHECKS_PER_CODE = 5
CODE_DIGITS = 6
#: Characters of a pasted code at most: "123 456", "123-456", with marks of direction around it.
MAX_TYPED_LENGTH = 64
REQUEST_BYTES = 16
_REQUEST_PATTERN = re.compile(r"[A-Za-z0-9_-]{22}")
_CODE_PATTERN = re.compile(rf"[0-9]{{{CODE_DIGITS}}}")
#: The signed cookie in which pages keep the request of a code until the code is typed.
REQUEST_COOKIE = f"{settings.HOST_COOKIE_PREFIX}savor_code"
_REQUEST_SALT = "accounts.code-request"
#: Phones and codes in the JSON API.
Phone = Annotated[str, Field(max_length=64, examples=["13800138000"])]
Code = Annotated[str, Field(max_length=64, examples=["012345"])]
#: Percentages of the day's budget at which managers get an e-mail, once a day each.
ALARM_PERCENTS = (80, 100)
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
    ADD_EMAIL = "add-email"


_TEXTS = {
    Purpose.LOG_IN: gettext_lazy("%(site)s: your code is %(code)s, good for %(n)d minutes."),
    Purpose.CHANGE_PHONE: gettext_lazy(
        "%(site)s: %(code)s changes the phone number of your account, good for %(n)d minutes. Tell nobody."
    ),
    Purpose.DELETE_ACCOUNT: gettext_lazy(
        "%(site)s: %(code)s DELETES your account, good for %(n)d minutes. Tell nobody."
    ),
    Purpose.ADD_EMAIL: gettext_lazy(
        "%(site)s: %(code)s lets this address log in to your account, good for %(n)d minutes. Tell nobody."
    ),
}
_UNKNOWN_ADDRESS = gettext_lazy(
    "Somebody, perhaps you, wants to log in to %(site)s by this address, but no account has it."
    " Log in by your phone number and add the address under Me. If that wasn't you, there is nothing to do."
)

STORE_CODE = scripts.Script("store_code", package="apps.accounts", reply=int)
CHECK_CODE = scripts.Script("check_code", package="apps.accounts", reply=CheckResult)


def new_request() -> str:
    """A new holder of a code, given only to the client that asks for the code."""
    return secrets.token_urlsafe(REQUEST_BYTES)


def person_holder(user_id: int) -> str:
    """The holder of a code that a logged-in person asks for; never the form of a request."""
    return f"person {user_id}"


def send(
    phone: str, *, ip: str, holder: str, purpose: Purpose = Purpose.LOG_IN, is_open: bool = False
) -> str:
    """Send a new code, which replaces the holder's older one; Problem 422, 429, or 503 when it can't be sent.

    An open one can be typed without its request too. The answer never depends on whether the phone has an
    account.
    """
    phones.require_reachable(phone)
    code = _make(phone, ip=ip, holder=holder, purpose=purpose, is_open=is_open)
    _deliver(phone, _message(code, purpose), code)
    return code


def send_by_email(
    address: str, *, ip: str, holder: str, purpose: Purpose = Purpose.LOG_IN, is_known: bool = True
) -> str:
    """Mail a new code, which replaces the holder's older one; Problem 429, or 503 when it can't be sent.

    An address that is not known gets a mail without the code, so that the answer and its time tell nothing.
    """
    code = _make(address, ip=ip, holder=holder, purpose=purpose)
    text = _message(code, purpose) if is_known else _UNKNOWN_ADDRESS % {"site": settings.SITE_NAME}
    _mail(address, text, code)
    return code


def _make(to: str, *, ip: str, holder: str, purpose: Purpose, is_open: bool = False) -> str:
    limits.charge_send(to, ip=ip)
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
    _store(to, code, holder=holder, purpose=purpose, is_open=is_open)
    return code


def _message(code: str, purpose: Purpose) -> str:
    minutes = settings.LOGIN_CODE_TTL // timedelta(minutes=1)
    return _TEXTS[purpose] % {"site": settings.SITE_NAME, "code": code, "n": minutes}


def _store(phone: str, code: str, *, holder: str, purpose: Purpose, is_open: bool) -> None:
    ttl_ms = settings.LOGIN_CODE_TTL // timedelta(milliseconds=1)
    with client.get().pipeline(transaction=False) as pipe:
        args: list[scripts.Arg] = [_code_mac(phone, code, purpose), ttl_ms]
        STORE_CODE.queue(pipe, keys=[_code_key(phone, holder)], args=args)
        if is_open:
            pipe.set(_open_key(phone), _code_key(phone, holder), px=ttl_ms)
        pipe.execute()


def check(phone: str, code: str, *, ip: str, holder: str, purpose: Purpose = Purpose.LOG_IN) -> None:
    """Use up the right code that this holder was sent; Problem 400 wrong_code or 429."""
    key = _code_key(phone, holder)
    limits.charge_check(ip=ip, is_guess=_may_be_guessed(key))
    _use_up(key, phone, code, purpose, counts_wrong=True)


def check_request(phone: str, code: str, *, ip: str, request: str) -> None:
    """Use up the right log-in code of a request, "" from programs that don't send it back.

    Problem 400 wrong_code, also for what is no request, or 429.
    """
    if request:
        holder = request if _REQUEST_PATTERN.fullmatch(request) else ""
        return check(phone, code, ip=ip, holder=holder)
    found = client.get().get(_open_key(phone))
    key = None if found is None else str(found)
    is_guess = key is not None and _may_be_guessed(key)
    limits.charge_check(ip=ip, is_guess=is_guess, phone_without_request=phone)
    if key is None:
        raise wrong_code()
    return _use_up(key, phone, code, Purpose.LOG_IN, counts_wrong=False)


def _use_up(key: str, phone: str, code: str, purpose: Purpose, *, counts_wrong: bool) -> None:
    code = parse_code(code)
    if not code or _compare(key, _code_mac(phone, code, purpose), counts_wrong) is not CheckResult.RIGHT:
        raise wrong_code()


def parse_code(text: str) -> str:
    """Return the six ASCII digits of a typed or pasted code such as "123 456"; "" when it is none."""
    typed = characters.to_plain_number(text[:MAX_TYPED_LENGTH]).replace(" ", "").replace("-", "")
    return typed if _CODE_PATTERN.fullmatch(typed) else ""


def wrong_code() -> Problem:
    return Problem(400, "wrong_code", _("Wrong or expired code."))


def is_pending(phone: str, code: str, *, holder: str, purpose: Purpose = Purpose.LOG_IN) -> bool:
    """Whether this is the holder's code and still good, uncounted: for the demo alone, which shows codes."""
    stored, checks = client.get().hmget(_code_key(phone, holder), ["mac", "checks"])
    return stored == _code_mac(phone, code, purpose) and int(checks or 0) < MAX_CHECKS_PER_CODE


def compare_with_stored(
    phone: str, code: str, *, holder: str, purpose: Purpose = Purpose.LOG_IN
) -> CheckResult:
    """Compare a code with the holder's stored one and count the check, in one step."""
    return _compare(_code_key(phone, holder), _code_mac(phone, code, purpose), counts_wrong=True)


def _compare(key: str, mac: str, counts_wrong: bool) -> CheckResult:
    args: list[scripts.Arg] = [mac, MAX_CHECKS_PER_CODE, int(counts_wrong)]
    return CHECK_CODE(client.get(), keys=[key], args=args)


def _may_be_guessed(key: str) -> bool:
    """Whether there is a code that takes another check."""
    checks = client.get().hget(key, "checks")
    return checks is not None and int(checks) < MAX_CHECKS_PER_CODE


def _deliver(phone: str, text: str, code: str) -> None:
    # Not through the outbox or a queue: a row, a failed task or an append-only file would keep the code for
    # longer than its two minutes, beside its phone. So a slow provider makes the log-in slow.
    try:
        sms.send_code(phone, text, code)
    except sms.NotSent as error:
        logger.exception("a log-in code could not be sent")
        raise Problem(503, "not_sent", _("We can't send messages right now."), retry_after=60) from error


def _mail(address: str, text: str, code: str) -> None:
    # In the request, as _deliver: a silent server holds it for EMAIL_TIMEOUT. Answers may repeat the address.
    subject = _("Log in to %(site)s") % {"site": settings.SITE_NAME}
    with redaction.hiding(code, address):
        try:
            mail.send(address, subject, text)
        except mail.NotSent as error:
            logger.warning("a log-in code could not be mailed: %s", error)
            text = _("We can't send e-mails right now.")
            raise Problem(503, "not_sent", text, retry_after=60) from None


def _code_key(phone: str, holder: str) -> str:
    return keys.LOGIN_CODE(phone=_keyed_hash("phone", f"{phone}:{holder}"))


def _open_key(phone: str) -> str:
    return keys.OPEN_CODE(phone=_keyed_hash("phone", phone))


def _code_mac(phone: str, code: str, purpose: Purpose) -> str:
    # Without the key a million hashes would give the code away to a reader of Redis.
    return _keyed_hash(purpose.value, f"{phone}:{code}")


def _keyed_hash(purpose: str, text: str) -> str:
    return hmac.new(settings.SECRET_KEY.encode(), f"accounts.{purpose}:{text}".encode(), "sha256").hexdigest()


def write_request(response: HttpResponse, request_id: str) -> None:
    """Have the browser keep the request for as long as its code is good."""
    response.set_signed_cookie(
        REQUEST_COOKIE,
        request_id,
        salt=_REQUEST_SALT,
        max_age=settings.LOGIN_CODE_TTL,
        httponly=True,
        secure=settings.SECURE,
        samesite="Lax",
    )


def read_request(request: HttpRequest) -> str:
    """The request that the browser keeps; "" without one, or one that is forged or too old."""
    return (
        request.get_signed_cookie(REQUEST_COOKIE, "", salt=_REQUEST_SALT, max_age=settings.LOGIN_CODE_TTL)
        or ""
    )


class CodeSent(Schema):
    expires_in: int = Field(description="seconds")
    debug_code: str | None = Field(None, description="the code itself, only with DEMO=1")


class LogInCodeSent(CodeSent):
    request: str = Field(description="send it back with the code: then nobody else's guesses count for it")


def code_sent(code: str) -> CodeSent:
    """The answer to a code that was sent."""
    seconds = int(settings.LOGIN_CODE_TTL.total_seconds())
    return CodeSent(expires_in=seconds, debug_code=code if settings.DEMO else None)


def parse_phone(text: str) -> str:
    """The phone in E.164; raises Problem 422 bad_phone."""
    try:
        return phones.parse(text)
    except phones.BadPhone as error:
        raise Problem(422, "bad_phone", str(error), field="phone") from None


def check_budget() -> int:
    """E-mail the managers when much of the day's budget is used; returns the codes of this day (UTC)."""
    today = timezone.now().date()
    row = DailyCount.objects.filter(day=today, what=SENT_BY_ALL, subject=DailyCount.hashed("")).first()
    sent, budget = row.count if row else 0, LOGINS.current().codes_per_day
    for percent in ALARM_PERCENTS:
        if sent * 100 >= budget * percent:
            _email_managers(sent, budget, key=f"code-budget:{today}:{percent}")
    return sent


def _email_managers(sent: int, budget: int, *, key: str) -> None:
    text = _(
        "%(sent)d log-in codes were sent today (UTC), and the day's budget is %(budget)d."
        " When it is used up, nobody gets a code until midnight.\n\n"
        "Somebody may have codes sent at your cost: set SMS_COUNTRIES to the countries that you serve,"
        " and HUMAN_CHECK. If it is a good day, raise the budget in the admin: Settings, Log-ins."
    )
    subject = _("%s: the day's log-in codes run out") % settings.SITE_NAME
    outbox.email_managers(subject=subject, text=text % {"sent": sent, "budget": budget}, key=key)
