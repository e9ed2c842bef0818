"""Phone numbers: parsed as people write and paste them, stored in E.164."""

import re

import phonenumbers
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from phonenumbers import PhoneNumberType

from apps.web import characters

#: Characters of a pasted number at most, with marks of direction and separators.
MAX_TYPED_LENGTH = 64
#: What people type, once digits, dashes, spaces and brackets are plain: "+86 138-0013-8000", "(+86) 138 …".
_TYPED_PATTERN = re.compile(r"\(?\+?[0-9(][0-9() .\-]{4,40}")
_SEPARATORS_PATTERN = re.compile(r"[() .\-]")
_TYPES_WITHOUT_SMS = {
    PhoneNumberType.FIXED_LINE,
    PhoneNumberType.TOLL_FREE,
    PhoneNumberType.PREMIUM_RATE,
    PhoneNumberType.SHARED_COST,
}


class BadPhone(ValueError):
    """The text is no phone number that can receive a code; the message is for people."""


def parse(text: str) -> str:
    """The E.164 form of a typed number, read in settings.PHONE_REGION; BadPhone when it is none."""
    typed = characters.to_plain_number(text[: MAX_TYPED_LENGTH + 1])
    if len(text) > MAX_TYPED_LENGTH or not _TYPED_PATTERN.fullmatch(typed):
        raise BadPhone(_("This is not a phone number."))
    try:
        number = phonenumbers.parse(_SEPARATORS_PATTERN.sub("", typed), settings.PHONE_REGION)
    except phonenumbers.NumberParseException:
        raise BadPhone(_("This is not a phone number.")) from None
    if not phonenumbers.is_valid_number(number) or phonenumbers.number_type(number) in _TYPES_WITHOUT_SMS:
        raise BadPhone(_("This number can't receive a code."))
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def canonical(text: str) -> str:
    """`parse`, or the text itself when it is no number: a look-up then finds no user."""
    try:
        return parse(text)
    except BadPhone:
        return text


def validate(text: str) -> None:
    """Django's validator of a phone field."""
    try:
        parse(text)
    except BadPhone as error:
        raise ValidationError(error.args[0], code="phone") from None
