"""What happens to check-ins when an account is deleted."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import Erasure, delete_batch, export_rows
from apps.redis_kit import client, transport
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks import bitmaps, days, leaderboard


def hide(user_id: int, _at: datetime) -> int:
    """Take the person off the boards."""
    _leave_boards(user_id)
    return 0


def restore(user_id: int, _at: datetime) -> int:
    """Put a running streak back on the boards."""
    leaderboard.add_streaks(Standing.objects.filter(pk=user_id))
    return 0


def purge(user_id: int) -> int:
    """Delete days, points and totals, and the months in Redis."""
    months = SignInMonth.objects.filter(user=user_id)
    names = [bitmaps.month_key(user_id, month) for month in months.values_list("month", flat=True)]
    transport.execute_many(client.get(), [("DEL", name) for name in names])
    _leave_boards(user_id)
    return (
        delete_batch(months)
        + delete_batch(PointEntry.objects.filter(user=user_id))
        + delete_batch(Standing.objects.filter(pk=user_id))
    )


def export(user_id: int) -> dict[str, Any]:
    """Checked-in days as SQL keeps them, and the ledger of points."""
    months = SignInMonth.objects.filter(user=user_id).masks()
    checked = [day for month, mask in sorted(months.items()) for day in days.days_in_mask(month, mask)]
    points = PointEntry.objects.filter(user=user_id)
    return {
        "check_ins": checked,
        "points": export_rows(points, "amount", "reason", "day", "created_at"),
    }


def _leave_boards(user_id: int) -> None:
    totals = Standing.objects.filter(pk=user_id).first()
    if totals and totals.last_day:
        boards = (totals.last_day, totals.last_day + days.ONE_DAY)
        commands = [("ZREM", leaderboard.board_key(day), user_id) for day in boards]
        transport.execute_many(client.get(), commands)


ERASURE = Erasure(
    purge=purge,
    goes=(_("Your check-ins, streaks and points."),),
    hide=hide,
    restore=restore,
    export=export,
)
