"""Rebuilds the bitmaps and the leaderboard in Redis from SQL."""

from apps.redis_kit import schema
from apps.signins import clock
from apps.signins.models import SignInMonth, Standing
from apps.signins.streaks import bitmaps, days, leaderboard

#: Months to rebuild; older ones are filled in from SQL when they are read.
RECENT_MONTHS = 12
BATCH_MONTHS = 1000


def rebuild(report: schema.ReportProgress) -> int:
    """Write the recent months and today's leaderboard.

    Returns the number of entries. Safe while people check in.
    """
    today = clock.today()
    recent = SignInMonth.objects.filter(month__gte=days.add_months(today.replace(day=1), 1 - RECENT_MONTHS))
    total = recent.count() + Standing.objects.with_live_streak(today).count()
    last = done = 0
    while rows := list(recent.filter(pk__gt=last).order_by("pk")[:BATCH_MONTHS]):
        bitmaps.fill_masks({(row.user_id, row.month): row.mask for row in rows})
        last, done = rows[-1].pk, done + len(rows)
        report(done, max(done, total))
    return done + leaderboard.rebuild(lambda added: report(done + added, max(done + added, total)))
