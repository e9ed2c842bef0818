"""Renewals of log-ins in SQL: gathered in the process, written behind the answers by one statement a second.

    renewals.start()                 # in a web process, until it ends
    renewals.note(token_id, digest)  # SQL has to hear of this use: costs a microsecond, no round trip

A use pushes back when a log-in ends, and says when it was last seen. Half the crowd of a sale comes for the
first time in hours, in one second: no answer waits for SQL. What SQL doesn't take is written a second
later; what a killed process held, and what came beyond MAX_GATHERED, is written at the next use that is due.
Only live rows are written, so nothing that ended comes back; the copy of one that SQL calls ended is refused
from then on.
"""

import logging
import threading
from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connections, transaction
from django.db.models import Case, F, QuerySet, When
from django.utils import timezone

from apps.accounts.models import AccessToken
from apps.accounts.sessions import token_cache
from apps.front import process_end
from apps.web.compiled_queries import CompiledQuery, CompiledUpdate

#: Rows of a statement: SQLite writes so many in about a tenth of a second, and nobody else writes meanwhile.
MAX_ROWS = 10_000
#: Renewals that may wait, about ten megabytes: more come only while SQL is away.
MAX_GATHERED = 50_000
#: Longest wait at exit for what is gathered to be written.
EXIT_SECONDS = 3.0

log = logging.getLogger(__name__)


class Renewals:
    """The log-ins whose uses SQL hasn't heard of, by token id."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._digests: dict[int, str] = {}
        self._has_failed = False

    def note(self, token_id: int, digest: str) -> None:
        """Have a log-in renewed soon; again, before it is, is the same."""
        with self._lock:
            if len(self._digests) < MAX_GATHERED:
                self._digests[token_id] = digest

    def flush(self) -> int:
        """Write up to MAX_ROWS renewals; returns how many SQL took. It doesn't raise when SQL is away."""
        with self._lock:
            taken = {pk: self._digests.pop(pk) for pk in list(self._digests)[:MAX_ROWS]}
        if not taken:
            return 0
        try:
            _write(taken)
        except DatabaseError as error:
            self._note_outcome(str(error) or type(error).__name__)
            with self._lock:
                room = MAX_GATHERED - len(self._digests)
                self._digests |= dict(list(taken.items())[:room])
            return 0
        self._note_outcome("")
        return len(taken)

    def flush_all(self) -> None:
        """Write all renewals, until SQL takes no more."""
        while self.flush():
            pass

    def forget(self) -> None:
        """Drop all renewals, for tests."""
        with self._lock:
            self._digests.clear()

    def _note_outcome(self, failure: str) -> None:
        """Log the first of several failures, and that it works again."""
        if failure and not self._has_failed:
            log.warning("log-ins are renewed later, SQL is away: %s", failure)
        elif self._has_failed and not failure:
            log.warning("log-ins are renewed again")
        self._has_failed = bool(failure)


def _write(digests: dict[int, str]) -> None:
    """Renew the live ones; refuse from now on the copies of log-ins that ended in SQL."""
    ids, now = sorted(digests), timezone.now()
    with transaction.atomic():
        renewed = _renew(ids, now, now + settings.TOKEN_TTL)
    if renewed < len(ids):
        # Ended, or somebody else's to write at this moment.
        live = {pk for (pk,) in _find_live(ids, now)}
        token_cache.mark_revoked([digest for pk, digest in digests.items() if pk not in live])


@CompiledUpdate
def _renew(
    ids: list[int], now: datetime, expires_at: datetime
) -> tuple[QuerySet[AccessToken], dict[str, object]]:
    """A program's token ends when it was said to, however often it is used."""
    # Of those that are being revoked or renewed in this moment none is waited for: no two can wait for each
    # other, however the database takes its locks.
    free = AccessToken.objects.live(now).filter(pk__in=ids).select_for_update(skip_locked=True, of=("self",))
    is_program = When(kind=AccessToken.Kind.PROGRAM, then=F("expires_at"))
    return AccessToken.objects.filter(pk__in=free.values("pk")), {
        "last_seen_at": now,
        "expires_at": Case(is_program, default=expires_at),
    }


@CompiledQuery
def _find_live(ids: list[int], now: datetime) -> QuerySet[AccessToken, tuple[int]]:
    return AccessToken.objects.live(now).filter(pk__in=ids).values_list("pk")


_gathered = Renewals()
note, flush, flush_all, forget = _gathered.note, _gathered.flush, _gathered.flush_all, _gathered.forget


def start() -> None:
    """Write once a second on a thread of its own, until the process ends, and then what is left."""
    if not settings.TOKEN_RENEWAL_SECONDS:
        return
    ending = threading.Event()
    thread = threading.Thread(target=_run, args=[ending], name="renewals", daemon=True)
    thread.start()

    def end() -> None:
        ending.set()
        thread.join(EXIT_SECONDS)

    process_end.register(end)


def _run(ending: threading.Event) -> None:
    while not ending.wait(settings.TOKEN_RENEWAL_SECONDS):
        _attempt(flush)
    _attempt(flush_all)
    connections.close_all()


def _attempt(write: Callable[[], object]) -> None:
    try:
        write()
    except Exception:  # nobody waits for this thread, so nobody else would hear of it
        log.exception("log-ins could not be renewed")
    close_old_connections()
