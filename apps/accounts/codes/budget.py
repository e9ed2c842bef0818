"""The day's budget of log-in codes, and the e-mails to managers as it runs out."""

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.limits import SENT_BY_ALL
from apps.accounts.live_settings import LOGINS
from apps.accounts.models import DailyCount
from apps.outbox import outbox

#: Managers hear of it at these shares of the budget, once a day each.
ALARM_PERCENTS = (80, 100)


def check() -> int:
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
