"""Log-in tokens: 256 random bits and the user id; SQL keeps their SHA-256, Redis a cached copy.

A plain hash is enough: 256 random bits can't be searched, and the hash does not log in. The id in the token
lets log-ins, limits and claims of many requests be read at once; older tokens have none and stay valid.
"""

import hashlib
import re
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from apps.accounts.models import AccessToken, AccessTokenQuerySet, User
from apps.accounts.sessions import renewals, scopes, token_cache
from apps.accounts.sessions.cookies import TOKEN_COOKIE, only_log_in
from apps.accounts.sessions.scopes import Scope
from apps.accounts.sessions.token_cache import CopyState, LiveRow, TokenCopy
from apps.front import live
from apps.front.head_fields import find_cookie
from apps.geoip.locating import Place
from apps.queues import owed
from apps.redis_kit import client
from apps.web import on_commit
from apps.web.bearer import read_bearer
from apps.web.compiled_queries import CompiledInsert
from apps.web.problems import Problem

TOKEN_BYTES = 32
#: A token nobody can have been given is refused without asking anybody.
TOKEN_PATTERN = re.compile(
    rf"(?:{scopes.PREFIX}[rwos]{{1,4}}_)?[A-Za-z0-9_-]{{43}}(?:\.([1-9][0-9]{{0,18}}))?"
)
_COOKIE_NAME = TOKEN_COOKIE.encode()
BATCH_SIZE = 5_000
#: Log-ins on one list; nobody reads more.
MAX_LISTED_SESSIONS = 100
#: How far back revoke_recent_in_redis looks: many times its own period, within the life of a copy.
REVOKED_LOOKBACK = timedelta(minutes=10)


@dataclass(frozen=True)
class Login:
    """The user id and token id of a valid token, and what it may do; a log-in may do everything."""

    user_id: int
    token_id: int
    scopes: frozenset[Scope] = scopes.ALL
    is_program: bool = False


def issue(user: User, *, kind: str, place: Place | None = None, user_agent: str = "") -> str:
    """Create a log-in and return its raw token, which is stored nowhere; of `place` the city is kept."""
    raw, now = _new_raw_token(user), timezone.now()
    hashed, times = digest(raw), (now, now + settings.TOKEN_TTL)
    cities = ((place.city or place.country)[:100], place.city_zh[:100]) if place else ("", "")
    token_id = _insert_token(user.pk, hashed, kind, *times, *cities, user_agent[:200])
    assert token_id, "nobody has drawn these 256 bits before"
    transaction.on_commit(partial(token_cache.fill, hashed, user_id=user.pk, token_id=token_id))
    return raw


@CompiledInsert
def _insert_token(
    user_id: int,
    hashed: str,
    kind: str,
    now: datetime,
    expires_at: datetime,
    city_en: str,
    city_zh: str,
    user_agent: str,
) -> AccessToken:
    return AccessToken(
        user_id=user_id,
        digest=hashed,
        kind=kind,
        created_at=now,
        last_seen_at=now,
        expires_at=expires_at,
        city_en=city_en,
        city_zh=city_zh,
        user_agent=user_agent,
    )


def issue_for_program(
    user: User, *, name: str, allowed: Iterable[Scope], expires_at: datetime, proven_at: datetime | None
) -> tuple[AccessToken, str]:
    """(row, raw token) of a new token for a program, with these scopes; the raw token is stored nowhere.

    `proven_at` says when the person gave a code of their authenticator for it.
    """
    chosen = [scope for scope in Scope if scope in set(allowed)]
    raw, now = scopes.build_prefix(chosen) + _new_raw_token(user), timezone.now()
    row = AccessToken.objects.create(
        user=user,
        digest=digest(raw),
        kind=AccessToken.Kind.PROGRAM,
        name=name,
        scopes=" ".join(chosen),
        created_at=now,
        last_seen_at=now,
        expires_at=expires_at,
        proven_at=proven_at,
    )
    return row, raw


def issue_many(users: Sequence[User], *, kind: str, last_used: timedelta = timedelta(0)) -> list[str]:
    """Create one log-in for each user, last used so long ago; the raw tokens in order. For load tests."""
    tokens, used_at = [_new_raw_token(user) for user in users], timezone.now() - last_used
    for start in range(0, len(users), BATCH_SIZE):
        part = slice(start, start + BATCH_SIZE)
        rows = [
            _token_row(user.pk, raw, kind, used_at)
            for user, raw in zip(users[part], tokens[part], strict=True)
        ]
        made = AccessToken.objects.bulk_create(rows)
        copies = [(row.digest, row.user_id, row.pk) for row in made]
        on_commit.run_after_commit(token_cache.fill_many, copies, last_used=last_used)
    return tokens


def resolve(raw: str) -> Login | None:
    """The Login of a raw token, its expiry pushed back, or None; one round trip, or SQL without Redis."""
    if not has_token_shape(raw):
        return None
    hashed = digest(raw)
    try:
        login = logins_from_copies({hashed: token_cache.find(hashed)}).get(hashed)
    except client.UNAVAILABLE:
        login = next((Login(row.user_id, row.token_id) for row in _read_live([hashed])), None)
    return limit_to_scopes(login, raw) if login else None


def limit_to_scopes(login: Login, raw: str) -> Login:
    """The same Login with what its raw token may do, if that is a program's."""
    is_program = raw.startswith(scopes.PREFIX)
    return replace(login, scopes=scopes.find(raw), is_program=True) if is_program else login


def find_person(raw: str) -> int:
    """The id of the person of a log-in, also of one that has ended; 0 for an unknown token."""
    if not has_token_shape(raw):
        return 0
    return AccessToken.objects.filter(digest=digest(raw)).values_list("user_id", flat=True).first() or 0


def find_sent(fields: Mapping[bytes, bytes]) -> str | None:
    """The raw token that a request brings by the fields of its head, "" for none; None for another scheme.

    An Authorization field alone decides, if there is one; else the cookie.
    """
    authorization = fields.get(b"authorization")
    if authorization:
        return read_bearer(authorization.decode("latin-1"))
    return only_log_in(find_cookie(fields.get(b"cookie", b""), _COOKIE_NAME))


def has_token_shape(raw: str) -> bool:
    """Whether the text has the form of a token."""
    return TOKEN_PATTERN.fullmatch(raw) is not None


def logins_from_copies(copies: Mapping[str, TokenCopy]) -> dict[str, Login]:
    """The Logins of the live ones among cached copies, by digest; the absent cost one query together.

    One that is due is live: SQL hears of its use a moment later.
    """
    logins = {}
    for hashed, copy in copies.items():
        if copy.state is CopyState.DUE:
            renewals.note(copy.token_id, hashed)
        if copy.state in (CopyState.LIVE, CopyState.DUE):
            logins[hashed] = Login(copy.user_id, copy.token_id)
    absent = [hashed for hashed, copy in copies.items() if copy.state is CopyState.ABSENT]
    return logins | read_through(absent) if absent else logins


def read_through(digests: Collection[str]) -> dict[str, Login]:
    """The Logins that SQL knows, by one query, copied to Redis unless they are revoked between the two."""
    rows = _read_live(digests)
    filled = token_cache.fill_each(rows)
    if unknown := set(digests) - {row.digest for row in rows}:
        token_cache.mark_unknown(unknown)
    return {row.digest: Login(row.user_id, row.token_id) for row in rows if row.digest in filled}


def list_sessions(user: User, *, current: int) -> AccessTokenQuerySet:
    """A user's newest live log-ins, the last used first; `current` marks the one with that id."""
    mine = AccessToken.objects.live().log_ins().filter(user=user).annotate(current=Q(pk=current))
    return mine.order_by("-last_seen_at", "-pk")[:MAX_LISTED_SESSIONS]


def revoke(tokens: AccessTokenQuerySet) -> int:
    """Revoke log-ins, in every process as soon as SQL has committed; returns how many."""
    with transaction.atomic():
        found = list(tokens.filter(revoked_at=None).values_list("digest", "user_id"))
        ended = [hashed for hashed, _user_id in found]
        AccessToken.objects.filter(digest__in=ended).update(revoked_at=timezone.now())
        owed.run_after_commit(token_cache.mark_revoked, ended)
        owed.run_after_commit(live.close_streams, {user_id for _hashed, user_id in found})
    return len(ended)


def log_out(raw: str) -> int:
    """Revoke the log-in of a raw token; returns 0 when there was none."""
    return revoke(AccessToken.objects.filter(digest=digest(raw)))


def revoke_one(user_id: int, *, token_id: int) -> None:
    """Revoke one log-in of a user; Problem 404 when it is not theirs or has ended."""
    revoke_or_404(AccessToken.objects.live().log_ins().filter(user=user_id, pk=token_id))


def revoke_or_404(tokens: AccessTokenQuerySet) -> None:
    """Revoke tokens; Problem 404 when there are none."""
    if not revoke(tokens):
        raise Problem(404, "not_found")


def revoke_all(*user_ids: int) -> int:
    """Revoke every log-in and program's token of the given users, and end their sessions of the admin.

    Returns how many there were.
    By their wish, or because the account or phone changed.
    """
    with transaction.atomic():
        User.objects.filter(pk__in=user_ids).update(session_epoch=F("session_epoch") + 1)
        return revoke(AccessToken.objects.filter(user__in=user_ids))


def revoke_recent_in_redis() -> int:
    """Mark recent revocations and disabled users in Redis again, which may have missed them."""
    recent = timezone.now() - REVOKED_LOOKBACK
    revoked = AccessToken.objects.filter(revoked_at__gte=recent)
    disabled = AccessToken.objects.filter(user__is_active=False, revoked_at=None)
    revoke(disabled)
    digests = list(revoked.values_list("digest", flat=True))
    token_cache.mark_revoked(digests)
    return len(digests)


def digest(raw: str) -> str:
    """The SHA-256 of a token, in hex, as SQL keeps it."""
    return hashlib.sha256(raw.encode()).hexdigest()


def claimed_user_id(raw: str) -> int | None:
    """The user id that a token claims, 0 for an older one without; None for a text that is no token.

    Only the token's copy or SQL can confirm it.
    """
    match = TOKEN_PATTERN.fullmatch(raw)
    return int(match[1] or 0) if match else None


def _new_raw_token(user: User) -> str:
    return f"{secrets.token_urlsafe(TOKEN_BYTES)}.{user.pk}"


def _token_row(user_id: int, raw: str, kind: str, used_at: datetime) -> AccessToken:
    return AccessToken(
        user_id=user_id,
        digest=digest(raw),
        kind=kind,
        created_at=used_at,
        last_seen_at=used_at,
        expires_at=used_at + settings.TOKEN_TTL,
    )


def _read_live(digests: Collection[str]) -> list[LiveRow]:
    """The live tokens among these digests, by one query; uses that SQL has not recorded are noted."""
    fields = ("digest", "user_id", "pk", "kind", "created_at", "last_seen_at", "expires_at")
    found = AccessToken.objects.live().filter(digest__in=list(digests)).values_list(*fields)
    rows, now = [], timezone.now()
    for hashed, user_id, token_id, kind, created_at, seen_at, expires_at in found:
        is_program = kind == AccessToken.Kind.PROGRAM
        rows.append(LiveRow(hashed, user_id, token_id, expires_at if is_program else None))
        is_first = is_program and seen_at == created_at
        interval = token_cache.PROGRAM_TTL if is_program else token_cache.SQL_RENEW_INTERVAL
        if is_first or now - seen_at >= interval:
            renewals.note(token_id, hashed)
    return rows
