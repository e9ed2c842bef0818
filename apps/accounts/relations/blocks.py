"""Blocks: two people with a block between them, in either direction, see and get nothing of each other."""

from collections.abc import Callable, Collection

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from apps.accounts import access
from apps.accounts.models import Block, User
from apps.queues import owed
from apps.web import paging
from apps.web.compiled_queries import CompiledQuery
from apps.web.problems import Problem
from apps.web.registry import Registry

#: People that one person may block: a bound on what lists have to leave out.
MAX_BLOCKS = 1_000
PAGE_SIZE = 50
#: Called with (blocker id, blocked id) after the commit of each new block.
BLOCKED: Registry[Callable[[int, int], object]] = Registry("person blocked")
#: Called with the same after the end of a block.
UNBLOCKED: Registry[Callable[[int, int], object]] = Registry("person unblocked")


def block(user_id: int, other_id: int) -> None:
    """Block a person; again is fine. Problem 404, 422 own_account or too_many_blocks."""
    if user_id == other_id:
        raise Problem(422, "own_account", _("You can't block yourself."))
    access.person(other_id)
    with transaction.atomic():
        if Block.objects.filter(blocker=user_id).count() >= MAX_BLOCKS:
            raise Problem(422, "too_many_blocks", _("You blocked 1,000 people. Unblock one first."))
        _row, is_new = Block.objects.get_or_create(blocker_id=user_id, blocked_id=other_id)
        if is_new:
            owed.run_after_commit(after_block, user_id, other_id)


def unblock(user_id: int, other_id: int) -> None:
    """End a block; again is fine."""
    with transaction.atomic():
        gone, _by_model = Block.objects.filter(blocker=user_id, blocked=other_id).delete()
        if gone:
            owed.run_after_commit(after_unblock, user_id, other_id)


def after_block(user_id: int, other_id: int) -> bool:
    """Tell other apps of a new block, after its commit; False when an app failed."""
    return len(list(BLOCKED.call_each(user_id, other_id))) == len(BLOCKED)


def after_unblock(user_id: int, other_id: int) -> bool:
    """Tell other apps of an ended block, after its commit; False when an app failed."""
    return len(list(UNBLOCKED.call_each(user_id, other_id))) == len(UNBLOCKED)


def has_blocked(user_id: int, other_id: int) -> bool:
    """Whether the first person blocked the second."""
    return Block.objects.filter(blocker=user_id, blocked=other_id).exists()


def are_apart(user_id: int, other_id: int) -> bool:
    """Whether one of the two blocked the other."""
    return bool(apart_from(user_id, [other_id]))


def is_apart(user_id: int | OuterRef, other_id: int | OuterRef) -> Exists:
    """The condition of a query that one of the two blocked the other."""
    pair = Q(blocker=user_id, blocked=other_id) | Q(blocker=other_id, blocked=user_id)
    return Exists(Block.objects.filter(pair))


@CompiledQuery
def _query_pairs(user_id: int) -> QuerySet[Block, tuple[int, int]]:
    either = Q(blocker=user_id) | Q(blocked=user_id)
    return Block.objects.filter(either).values_list("blocker_id", "blocked_id")


@CompiledQuery
def _query_pairs_among(user_id: int, other_ids: list[int]) -> QuerySet[Block, tuple[int, int]]:
    # The other end of each block: the person's own id among these must not name all their blocks.
    either = Q(blocker=user_id, blocked__in=other_ids) | Q(blocked=user_id, blocker__in=other_ids)
    return Block.objects.filter(either).values_list("blocker_id", "blocked_id")


def apart_from(user_id: int, other_ids: Collection[int] | None = None) -> frozenset[int]:
    """The ids, among these or all, with a block between them and this person in either direction; one query.

    Never the id of the person.
    """
    if other_ids is not None and not other_ids:
        return frozenset()
    pairs = _query_pairs(user_id) if other_ids is None else _query_pairs_among(user_id, list(other_ids))
    return frozenset(blocked if blocker == user_id else blocker for blocker, blocked in pairs)


def find_person(viewer_id: int | None, person_id: int) -> User:
    """An active person; Http404 also when they blocked the viewer."""
    if viewer_id and has_blocked(person_id, viewer_id):
        raise Http404
    return access.person(person_id)


def require_together(user_id: int, other_ids: Collection[int], sentence: str) -> None:
    """Problem 403 blocked, with the sentence, if a block is between the user and another; one query."""
    if apart_from(user_id, set(other_ids) - {user_id}):
        raise Problem(403, "blocked", sentence)


def load_for(user_ids: Collection[int]) -> dict[int, tuple[list[int], list[int]]]:
    """{user id: (ids they blocked, ids that blocked them)} of the people with any block; one query."""
    pairs = Block.objects.filter(Q(blocker__in=user_ids) | Q(blocked__in=user_ids)).order_by("pk")
    found: dict[int, tuple[list[int], list[int]]] = {user_id: ([], []) for user_id in user_ids}
    for blocker, blocked in pairs.values_list("blocker_id", "blocked_id"):
        if blocker in found:
            found[blocker][0].append(blocked)
        if blocked in found:
            found[blocked][1].append(blocker)
    return {user_id: both for user_id, both in found.items() if any(both)}


def apart_among(viewer_id: int | None, user_ids: Collection[int]) -> frozenset[int]:
    """The ids among these with a block between them and a viewer; empty, and no query, for a visitor."""
    return apart_from(viewer_id, user_ids) if viewer_id and user_ids else frozenset()


def list_blocked(user_id: int, *, cursor: str = "", size: int = PAGE_SIZE) -> paging.Page[Block]:
    """A page of the blocks that a person made, with `blocked`, the newest first. BadCursor."""
    rows = Block.objects.filter(blocker=user_id).select_related("blocked")
    return paging.fetch_page(rows, order=("-id",), types=(int,), cursor=cursor, size=size)
