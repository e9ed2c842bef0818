"""Phone numbers as people type and paste them, in E.164."""

import re

import phonenumbers
from django.conf import settings
from django.utils.translation import gettext_lazy as _
from phonenumbers import PhoneNumberType

from apps.web import characters

#: Characters of a pasted number at most, with marks of direction and separators.
MAX_TYPED_LENGTH = 64
#: What people type, once digits, dashes, spaces and brackets are plain: "+86 138-0013-8000", "(+86) 138 …".
_TYPED_PATTERN = re.compile(r"\(?\+?[0-9(][0-9() .\-]{4,40}")
_SEPARATORS_PATTERN = re.compile(r"[() .\-]")
#: In some countries, such as the USA, nothing tells a mobile phone's number from another's. Personal numbers,
#: pagers and the like cost who writes to them up to several yuan.
_MOBILE_TYPES = {PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE}
#: The "region" of numbers of no country: satellites (+881, +882), global networks (+883, +878).
_NO_COUNTRY = phonenumbers.REGION_CODE_FOR_NON_GEO_ENTITY


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
    if not _receives_codes(number):
        raise BadPhone(_("This number can't receive a code."))
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def canonical(text: str) -> str:
    """`parse`, or the text itself when it is no number: a look-up then finds no user."""
    try:
        return parse(text)
    except BadPhone:
        return text


def _receives_codes(number: phonenumbers.PhoneNumber) -> bool:
    if not phonenumbers.is_valid_number(number):
        return False
    is_national = phonenumbers.region_code_for_number(number) not in {None, _NO_COUNTRY}
    return is_national and phonenumbers.number_type(number) in _MOBILE_TYPES
