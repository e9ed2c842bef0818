"""Sign-ins on a Redis Cluster: a person's months share a slot, people and the boards don't."""

from datetime import date

import pytest

from apps.accounts.models import User
from apps.signins import calendars, check_ins, reconcile
from apps.signins.streaks import bitmaps, leaderboard
from apps.signins.streaks.days import ONE_DAY
from tests.differences import find_differences
from tests.redis_kit.test_cluster import cluster_url, on_the_cluster
from tests.signins import makers
from tests.signins.makers import TODAY

__all__ = ["cluster_url", "on_the_cluster"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis_nodes]


def test_signing_in_and_looking_on_a_cluster(alice: User) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY - ONE_DAY, 400))
    assert check_ins.check_in_today(alice.pk).streak == 401
    for _ in ("absent", "whole"):
        assert calendars.summarize_today(alice.pk).streak == 401
        assert leaderboard.load(alice.pk).mine == (1, 401)
        leaderboard.rebuild_if_missing()


def test_rebuilding_and_reconciling_on_a_cluster(alice: User, bob: User) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 9))
    makers.checked_in_on(bob, makers.days_in_a_row(TODAY, 4))
    assert reconcile.rebuild(lambda done, total: None) == 4
    bitmaps.fill_masks({(bob.pk, date(2026, 11, 1)): 1})
    assert len(find_differences("signins", fix=True)) == 1
    assert find_differences("signins") == []
