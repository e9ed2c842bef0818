"""Phone numbers of people: read as people write and paste them, stored in E.164."""

import phonenumbers
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from apps.web.phone_numbers import MAX_TYPED_LENGTH as MAX_TYPED_LENGTH
from apps.web.phone_numbers import BadPhone as BadPhone
from apps.web.phone_numbers import canonical as canonical
from apps.web.phone_numbers import parse as parse
from apps.web.problems import Problem


def require_reachable(phone: str) -> None:
    """Problem 422 bad_phone for what is no number, or one of a country that is not in settings.SMS_COUNTRIES.

    A stored phone may be no number: that of a person made for load tests is of no country.
    """
    try:
        region = phonenumbers.region_code_for_number(phonenumbers.parse(phone))
    except phonenumbers.NumberParseException:
        raise Problem(422, "bad_phone", str(_("This number can't receive a code.")), field="phone") from None
    if settings.SMS_COUNTRIES and region not in settings.SMS_COUNTRIES:
        raise Problem(422, "bad_phone", str(_("We send no codes to numbers of this country.")), field="phone")


def mask(phone: str) -> str:
    """A stored number for a page that others may look at, as "138****0100", with a foreign country's code."""
    try:
        number = phonenumbers.parse(phone)
    except phonenumbers.NumberParseException:
        return f"****{phone[-4:]}"
    digits = str(number.national_number)
    is_home = number.country_code == phonenumbers.country_code_for_region(settings.PHONE_REGION)
    country = "" if is_home else f"+{number.country_code} "
    return f"{country}{digits[: max(0, len(digits) - 8)]}****{digits[-4:]}"


def validate(text: str) -> None:
    """Django's validator of a phone field."""
    try:
        parse(text)
    except BadPhone as error:
        raise ValidationError(error.args[0], code="phone") from None
