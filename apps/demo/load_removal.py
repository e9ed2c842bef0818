"""Removes what load tests made: people, with all that they did, and sales."""

import time
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.accounts.deletion import deletions, rules
from apps.accounts.models import AccessToken, AccountDeletion, User
from apps.accounts.sessions import tokens
from apps.coupons.catalog import load_lab
from apps.coupons.models import VoucherOrder
from apps.outbox.models import Message
from apps.redis_kit import client, schema, transport
from apps.uv import recent
from apps.web import batches

#: People of one transaction.
BATCH_PEOPLE = 500
#: How long the consumers may take for the last orders of people who are logged out already.
DRAIN_SECONDS = 30.0
POLL_SECONDS = 0.2
#: Columns whose rows go with each account; a row in another one makes it worth asking every app.
OWN_COLUMNS = frozenset({f"{AccessToken._meta.label}.user", f"{VoucherOrder._meta.label}.user"})


class StillQueued(Exception):
    """Raised while orders of people made for load have no row yet, with their number."""


class Removed(NamedTuple):
    """What a removal did. `people_kept` stay as nameless accounts, `sales_kept` as withdrawn vouchers:
    rows of other people need them.
    """

    people: int = 0
    people_kept: int = 0
    orders: int = 0
    sales: int = 0
    sales_kept: int = 0


def count_people() -> int:
    """How many accounts a removal has to go through."""
    return _made_for_load().count()


def remove(report: Callable[[int], object]) -> Removed:
    """Remove all people and sales made for load, batch by batch; again and again is harmless.

    `report` gets the number of people done after each batch. Raises StillQueued when consumers don't record
    the last orders, and client.UNAVAILABLE; a removal that was cut off goes on with the next.
    """
    load_lab.withdraw_sales()
    for user_ids in batches.iter_pk_chunks(_made_for_load(), BATCH_PEOPLE):
        tokens.revoke_all(*user_ids)
    _wait_for_consumers()
    done = orders = gone = 0
    for user_ids in batches.iter_pk_chunks(_made_for_load(), BATCH_PEOPLE):
        orders += load_lab.forget_orders(user_ids)
        gone += _remove_people(user_ids)
        done += len(user_ids)
        report(done)
    return Removed(gone, done - gone, orders, *load_lab.forget_sales())


def _made_for_load() -> QuerySet[User]:
    return User.objects.filter(is_made_for_load=True)


def _wait_for_consumers() -> None:
    ends = time.monotonic() + DRAIN_SECONDS
    while waiting := load_lab.count_queued():
        if time.monotonic() > ends:
            raise StillQueued(waiting)
        time.sleep(POLL_SECONDS)


def _remove_people(user_ids: Collection[int]) -> int:
    """Remove accounts whose orders are gone; returns how many no row needs any more."""
    for user_id in _with_traces(user_ids):
        _purge(user_id)
    leaving = sorted(set(user_ids) - _kept(user_ids))
    with transaction.atomic():
        phones = list(User.objects.filter(pk__in=leaving).values_list("phone", flat=True))
        Message.objects.filter(to__in=phones).delete()
        AccessToken.objects.filter(user__in=leaving).delete()
        User.objects.filter(pk__in=leaving).delete()
        transaction.on_commit(lambda: _forget_in_redis(leaving))
    return len(leaving)


def _with_traces(user_ids: Collection[int]) -> list[int]:
    """Those who did more than log in and buy, such as liking a note: every app has to be asked."""
    kept = rules.kept_columns() - OWN_COLUMNS
    left = deletions.find_leftovers(user_ids)
    traces = {user_id for user_id, columns in left.items() if not OWN_COLUMNS.issuperset(columns)}
    return sorted(traces | _named_in(kept, user_ids))


def _purge(user_id: int) -> None:
    """Do at once what the deletion of an account does after its grace."""
    now = timezone.now()
    about = {"requested_at": now, "purge_at": now, "hidden_at": now, "is_final": True}
    deletion, _is_new = AccountDeletion.objects.get_or_create(pk=user_id, defaults=about)
    deletions.purge(deletion)


def _kept(user_ids: Collection[int]) -> set[int]:
    """The people that rows kept for others still name, such as an answered comment."""
    return _named_in(rules.kept_columns() - {f"{AccountDeletion._meta.label}.user"}, user_ids)


def _named_in(columns: Collection[str], user_ids: Collection[int]) -> set[int]:
    found: set[int] = set()
    for label, (model, name) in deletions.person_columns().items():
        if label in columns:
            rows: Any = model._default_manager.filter(**{f"{name}__in": user_ids}).order_by()
            found.update(rows.values_list(name, flat=True).distinct())
    return found


def _forget_in_redis(user_ids: Collection[int]) -> None:
    """Delete every key that is one person's alone, as the schema knows them."""
    personal = [key for key in schema.declared() if key.fields == ("user",)]
    names = [key(user=user_id) for user_id in user_ids for key in personal]
    for some in batches.chunked(names, BATCH_PEOPLE):
        transport.execute_many(client.get(), [("UNLINK", name) for name in some])
    for user_id in user_ids:
        recent.clear(recent.person_owner(user_id))
