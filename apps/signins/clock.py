from datetime import date

from django.utils import timezone


def today() -> date:
    """The day it is in the site's time zone, whichever zone the reader's request is in."""
    return timezone.localdate(timezone=timezone.get_default_timezone())
