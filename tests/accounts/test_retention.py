from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts import retention, tasks
from apps.accounts.models import AccessToken, DailyCount, User
from apps.accounts.sessions import tokens
from tests.factories import AccountDailyCountFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
LONG_AGO = timezone.now() - retention.RETENTION - timedelta(days=1)


def test_old_rows_go_and_live_ones_stay(alice: User) -> None:
    for _ in range(3):
        tokens.issue(alice, kind=AccessToken.Kind.API)
    expired, revoked, live = AccessToken.objects.order_by("pk")
    AccessToken.objects.filter(pk=expired.pk).update(expires_at=LONG_AGO)
    AccessToken.objects.filter(pk=revoked.pk).update(revoked_at=LONG_AGO)
    AccountDailyCountFactory.create(day=LONG_AGO.date())
    AccountDailyCountFactory.create()
    assert tasks.tidy() == 3
    assert list(AccessToken.objects.all()) == [live]
    assert DailyCount.objects.count() == 1


def test_the_minute_task_marks_revoked_log_ins_again(alice: User) -> None:
    tokens.issue(alice, kind=AccessToken.Kind.API)
    AccessToken.objects.update(revoked_at=timezone.now())
    assert tasks.revoke_recent_in_redis() == 1
