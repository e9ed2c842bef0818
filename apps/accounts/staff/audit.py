"""What happens to managers' accounts, in the audit log and on standard error."""

import logging

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.adminkit import history

log = logging.getLogger(__name__)
#: Digits of a phone that a line shows.
SHOWN_DIGITS = 4


def record(user: User, what: str) -> None:
    """Log what a manager did to their own account."""
    history.record_event(user.pk, str(user), what)


def record_log_in(user: User, *, ip: str) -> None:
    """Log that a manager's phone, password and second factor were right."""
    record(user, _("logged in to the admin from %(ip)s") % {"ip": ip})


def record_refused(phone: str, *, ip: str, why: str) -> None:
    """Warn that a log-in to the admin was refused; the audit log has it where the phone is a manager's."""
    log.warning("a log-in to the admin was refused: phone …%s, from %s, %s", phone[-SHOWN_DIGITS:], ip, why)
    user = User.objects.filter(phone=phone, is_staff=True).first()
    if user:
        what = _("was refused at the admin's log-in, from %(ip)s (%(why)s)")
        record(user, what % {"ip": ip, "why": why})
