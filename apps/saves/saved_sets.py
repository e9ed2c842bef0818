"""What each person saved, as a set in Redis that is filled from SQL when it is read."""

import logging
from collections.abc import Collection
from datetime import timedelta

from apps.accounts.models import User
from apps.redis_kit import client, schema
from apps.redis_kit.leased_sets import Ids, LeasedSets
from apps.saves import keys
from apps.saves.models import Save
from apps.saves.subjects import Subject
from apps.web import batches

SET_TTL = timedelta(days=7)
#: People whose sets a rebuild fills in one batch.
BATCH_PEOPLE = 100
log = logging.getLogger(__name__)


def ids_from_sql(user_ids: Collection[int]) -> dict[int, Ids]:
    """{user id: members} from SQL: ids of shops, and ids of notes below zero."""
    saved: dict[int, Ids] = {user_id: set() for user_id in user_ids}
    rows = Save.objects.filter(user__in=user_ids).values_list("user_id", "shop_id", "note_id")
    for user_id, shop_id, note_id in rows:
        saved[user_id].add(shop_id or -note_id)
    return saved


SETS = LeasedSets(keys.SAVED, keys.SAVED_LEASE, load=ids_from_sql, ttl=SET_TTL)


def is_saved(user_id: int, subject: Subject) -> bool:
    """Whether SQL, which decides, has the save."""
    return Save.objects.filter(user=user_id, **subject.columns).exists()


def forget(user_id: int) -> None:
    """Drop a person's set after a change."""
    try:
        SETS.forget(user_id)
    except client.UNAVAILABLE:
        log.warning("Redis is unavailable: what person %d saved may be outdated until reconciled", user_id)


def rebuild(report: schema.ReportProgress) -> int:
    """Fill the sets of all people who saved something; returns the number of sets that were filled."""
    people = User.objects.filter(pk__in=Save.objects.values("user"))
    done, filled, total = 0, 0, people.count()
    for user_ids in batches.iter_pk_chunks(people, BATCH_PEOPLE):
        filled += SETS.rebuild(user_ids)
        done += len(user_ids)
        report(done, max(done, total))
    return filled
