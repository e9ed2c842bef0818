"""Sends text messages by the HTTP request that the settings SMS_HTTP_* describe."""

import re
from urllib.parse import urlsplit, urlunsplit

import phonenumbers
from django.conf import settings

from apps.outbox import failures
from apps.outbox.failures import NotSent, PermanentlyRefused
from apps.web import outgoing_http
from apps.web.outgoing_http import Answer

#: What these answers refuse is the message itself: the same request again would be refused again.
PERMANENT_STATUSES = {400, 422}
MAX_EXCERPT_LENGTH = 160
#: What an answer may repeat of a message, and no log and no row may keep.
_DIGITS = re.compile(r"[0-9]{4,}")


class HttpSender:
    """A Sender and CodeSender for gateways that take one HTTP request a message (docs/providers.md)."""

    def send(self, phone: str, text: str) -> None:
        """Send a text; PermanentlyRefused by settings whose request has no place for it."""
        if "text" not in settings.SMS_HTTP_BODY.placeholders:
            raise PermanentlyRefused(failures.NO_TEXT.fill())
        self._post(phone, text=text, code="")

    def send_code(self, phone: str, text: str, code: str) -> None:
        """Send a log-in code: the text that has it, or the code alone, as the request wants it."""
        self._post(phone, text=text, code=code)

    def _post(self, phone: str, *, text: str, code: str) -> None:
        body = settings.SMS_HTTP_BODY
        filled = body.fill(_phone_forms(phone) | {"text": text, "code": code})
        url, headers = settings.SMS_HTTP_URL, {"Content-Type": body.media_type} | settings.SMS_HTTP_HEADERS
        if settings.SMS_HTTP_METHOD == "GET":
            url, filled = _add_query(url, filled.decode()), b""
        try:
            answer = outgoing_http.exchange(
                settings.SMS_HTTP_METHOD, url, headers=headers, body=filled, seconds=settings.SMS_HTTP_TIMEOUT
            )
        except outgoing_http.NoAnswer as error:
            # The reason is of the connection; it never repeats a query.
            raise NotSent(failures.BROKEN.fill(error=_mask(str(error)))) from None
        _require_success(answer)


def _require_success(answer: Answer) -> None:
    rule = settings.SMS_HTTP_SUCCESS
    if answer.is_success and rule.is_met(answer.body):
        return
    reason = failures.REFUSED.fill(status=answer.status, answer=_mask(answer.body.decode(errors="replace")))
    raise (PermanentlyRefused if answer.status in PERMANENT_STATUSES else NotSent)(reason)


def _mask(text: str) -> str:
    """An excerpt on one line, without numbers that may be a code or a phone."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text[: 2 * MAX_EXCERPT_LENGTH])
    return _DIGITS.sub("…", plain)[:MAX_EXCERPT_LENGTH]


def _phone_forms(phone: str) -> dict[str, str]:
    try:
        number = phonenumbers.parse(phone)
    except phonenumbers.NumberParseException:
        raise PermanentlyRefused(failures.NO_NUMBER.fill()) from None
    national = phonenumbers.national_significant_number(number)
    return {"phone": phone, "digits": phone.removeprefix("+"), "national": national}


def _add_query(url: str, query: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query="&".join(filter(None, (parts.query, query)))))
