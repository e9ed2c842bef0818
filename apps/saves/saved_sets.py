"""What each person saved, as a set in Redis that is filled from SQL when it is read."""

from collections.abc import Collection
from datetime import timedelta

from apps.accounts.models import User
from apps.redis_kit import copies
from apps.redis_kit.copies import Ids
from apps.saves import keys
from apps.saves.models import Save
from apps.saves.subjects import Subject
from apps.web import batches

#: People whose sets a rebuild fills in one batch.
BATCH_PEOPLE = 100


def ids_from_sql(user_ids: Collection[int]) -> dict[int, Ids]:
    """{user id: members} from SQL: ids of shops, and ids of notes below zero."""
    saved: dict[int, Ids] = {user_id: set() for user_id in user_ids}
    rows = Save.objects.filter(user__in=user_ids).values_list("user_id", "shop_id", "note_id")
    for user_id, shop_id, note_id in rows:
        saved[user_id].add(shop_id or -note_id)
    return saved


class SavedSets(copies.LeasedSet):
    """Members are ids of shops, and ids of notes below zero."""

    def name_member(self, member: int) -> str:
        return f"shop {member}" if member > 0 else f"note {-member}"


SETS = SavedSets(
    keys.SAVED,
    keys.SAVED_LEASE,
    query=ids_from_sql,
    expiry=timedelta(days=7),
    finding=("person", "saved"),
    owners=lambda: batches.counted_chunks(
        User.objects.filter(pk__in=Save.objects.values("user")), BATCH_PEOPLE
    ),
)


def is_saved(user_id: int, subject: Subject) -> bool:
    """Whether SQL, which decides, has the save."""
    return Save.objects.filter(user=user_id, **subject.columns).exists()
