"""Sign-ins on a Redis Cluster: a person's months share a slot, people and the boards don't."""

from datetime import date

import pytest

from apps.accounts.models import User
from apps.signins import bitmaps, calendar, leaders, rebuilding, reconcile
from apps.signins.days import DAY
from tests.redis_kit.test_cluster import cluster_url, on_the_cluster
from tests.signins import makers
from tests.signins.makers import TODAY

__all__ = ["cluster_url", "on_the_cluster"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_signing_in_and_looking_on_a_cluster(alice: User) -> None:
    makers.signed(alice, makers.row(TODAY - DAY, 400))
    assert calendar.sign_in(alice).streak == 401
    for _ in ("absent", "whole"):
        assert calendar.glance(alice.pk).streak == 401
        assert leaders.board(alice.pk).mine == (1, 401)
        leaders.heal()


def test_rebuilding_and_reconciling_on_a_cluster(alice: User, bob: User) -> None:
    makers.signed(alice, makers.row(TODAY, 9))
    makers.signed(bob, makers.row(TODAY, 4))
    assert rebuilding.rebuild(lambda done, total: None) == 4
    bitmaps.fill({(bob.pk, date(2026, 11, 1)): 1})
    assert len(reconcile.drift(fix=True)) == 1
    assert reconcile.drift() == []
