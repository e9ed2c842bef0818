"""What each app does with the data of a person who deletes their account: it registers an Erasure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from apps.accounts.models import User
from apps.web.registry import Registry

#: Rows that one step of an erasure changes: a worker that is killed repeats no more than these.
BATCH_SIZE = 100


@dataclass(frozen=True)
class Blocker:
    """Why an account can't be deleted now, and the page with the way on.

    One with `loss` may be given up: it says what is lost then.
    """

    text: str
    url: str
    loss: str = ""


def _nothing(_user_id: int, _at: datetime) -> int:
    return 0


def _no_blockers(_user: User) -> Iterable[Blocker]:
    return ()


def _no_data(_user_id: int) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Erasure:
    """One app's share. Each step changes at most BATCH_SIZE rows, and bears being repeated after a crash.

    `purge(user_id)` removes for good and returns how many rows it changed: 0 is the end. `hide` and `restore`
    (user id, time of the request) do the same for what everybody could see, while the person may still come
    back. `goes` are sentences about what is removed. `kept` names the columns that go on naming the nameless
    account, such as "coupons.VoucherOrder.user", with the reason that people read. `export` is what "download
    my data" contains.
    """

    purge: Callable[[int], int]
    goes: Iterable[Any] = ()
    hide: Callable[[int, datetime], int] = _nothing
    restore: Callable[[int, datetime], int] = _nothing
    kept: Mapping[str, Any] = field(default_factory=dict)
    blockers: Callable[[User], Iterable[Blocker]] = _no_blockers
    export: Callable[[int], dict[str, Any]] = _no_data


#: By the app's name; those who build on others come first, so a purge never meets rows that point at its own.
ERASURES: Registry[Erasure] = Registry("what apps do with the data of deleted accounts")


def find_blockers(user: User) -> list[Blocker]:
    """Everything that keeps this account from being deleted now."""
    return [blocker for rule in ERASURES.entries() for blocker in rule.blockers(user)]


def list_goes() -> list[Any]:
    """Sentences about what a deletion removes, translated when they are shown."""
    return [sentence for rule in ERASURES.entries() for sentence in rule.goes]


def list_kept() -> list[Any]:
    """Sentences about what is kept and why, each once."""
    reasons = [reason for rule in ERASURES.entries() for reason in rule.kept.values()]
    return list(dict.fromkeys(reasons))


def kept_columns() -> set[str]:
    """The columns that go on naming an account after its purge."""
    return {column for rule in ERASURES.entries() for column in rule.kept}


def delete_batch(rows: "QuerySet[Any]") -> int:
    """Delete at most BATCH_SIZE rows of a query and return how many."""
    chosen = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH_SIZE])
    if chosen:
        rows.model._default_manager.filter(pk__in=chosen).delete()
    return len(chosen)


def clear_batch(rows: "QuerySet[Any]", column: str) -> int:
    """Empty a column of at most BATCH_SIZE rows of a query and return how many."""
    chosen = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH_SIZE])
    return rows.model._default_manager.filter(pk__in=chosen).update(**{column: None}) if chosen else 0


def export_rows(rows: "QuerySet[Any]", *columns: str) -> list[dict[str, Any]]:
    """Rows for "download my data": these columns of each, the oldest first."""
    return list(rows.order_by("pk").values(*columns))
