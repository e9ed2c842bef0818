"""What Redis holds of sign-ins, again from SQL."""

from apps.redis_kit import schema
from apps.signins import bitmaps, clock, days, leaders
from apps.signins.models import SignInMonth, Standing

#: Months that come back at once; older ones are read through.
MONTHS = 12
BATCH = 1000


def rebuild(report: schema.Report) -> int:
    """How many months and places on today's board were written; safe while people sign in."""
    today = clock.today()
    recent = SignInMonth.objects.filter(month__gte=days.later(today.replace(day=1), 1 - MONTHS))
    total = recent.count() + Standing.objects.alive(today).count()
    last = done = 0
    while rows := list(recent.filter(pk__gt=last).order_by("pk")[:BATCH]):
        bitmaps.fill({(row.user_id, row.month): row.mask for row in rows})
        last, done = rows[-1].pk, done + len(rows)
        report(done, max(done, total))
    return done + leaders.rebuild(lambda entered: report(done + entered, max(done + entered, total)))
