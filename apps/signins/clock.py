"""The site's calendar day, which decides when the next check-in is possible."""

from datetime import date

from django.utils import timezone


def today() -> date:
    """Today's date in the site's time zone, whatever time zone the request has activated."""
    return timezone.localdate(timezone=timezone.get_default_timezone())
