"""A notification costs its cause one round trip, which also tells the person's open pages."""

import pytest
from django.db import transaction

from apps.accounts.models import User
from apps.mailbox import notifications
from apps.mailbox.notices import Kind, Notice

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.one_server("trips to it are counted")
def test_it_costs_one_round_trip(alice: User, bob: User, round_trips: list[object]) -> None:
    for target_id in (1, 2):
        del round_trips[:]
        with transaction.atomic():
            notifications.notify(
                Notice(alice.pk, Kind.LIKE, actor_id=bob.pk, target_kind="note", target_id=target_id)
            )
    assert len(round_trips) == 1
