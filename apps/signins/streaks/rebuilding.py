"""What Redis holds of sign-ins, again from SQL."""

from apps.redis_kit import schema
from apps.signins import clock
from apps.signins.models import SignInMonth, Standing
from apps.signins.streaks import bitmaps, days, leaderboard

#: Months that come back at once; older ones are read through.
RECENT_MONTHS = 12
BATCH_MONTHS = 1000


def rebuild(report: schema.ReportProgress) -> int:
    """How many months and places on today's board were written; safe while people sign in."""
    today = clock.today()
    recent = SignInMonth.objects.filter(month__gte=days.add_months(today.replace(day=1), 1 - RECENT_MONTHS))
    total = recent.count() + Standing.objects.alive(today).count()
    last = done = 0
    while rows := list(recent.filter(pk__gt=last).order_by("pk")[:BATCH_MONTHS]):
        bitmaps.fill_masks({(row.user_id, row.month): row.mask for row in rows})
        last, done = rows[-1].pk, done + len(rows)
        report(done, max(done, total))
    return done + leaderboard.rebuild(lambda entered: report(done + entered, max(done + entered, total)))
