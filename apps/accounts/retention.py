"""Deleting old log-ins and daily counts."""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from apps.accounts.models import AccessToken, DailyCount

#: Long enough to look into an abuse of last week.
RETENTION = timedelta(days=30)


def delete_expired() -> int:
    """Delete log-ins and daily counts that ended more than KEEP ago; returns the number of rows."""
    before = timezone.now() - RETENTION
    ended = AccessToken.objects.filter(Q(expires_at__lt=before) | Q(revoked_at__lt=before)).delete()[0]
    return ended + DailyCount.objects.filter(day__lt=before.date()).delete()[0]
