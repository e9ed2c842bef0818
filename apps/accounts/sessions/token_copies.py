"""The cached log-ins as copies of SQL's: whom a token lets in, and which it refuses.

They have no lease: scripts fill and renew them, and the mark of a revoked log-in refuses later fills.
"""

from collections.abc import Collection
from operator import itemgetter

from django.utils import timezone

from apps.accounts import keys
from apps.accounts.models import AccessToken, AccessTokenQuerySet
from apps.accounts.sessions import token_cache
from apps.redis_kit import client, copies, transport
from apps.redis_kit.findings import Finding
from apps.web.batches import chunked

#: Log-ins that a rebuild caches in one batch.
BATCH_TOKENS = 5_000
REFUSED = "gone"


def _read_copies(digests: Collection[str]) -> dict[str, str]:
    """{digest: "user:token id"}, or REFUSED."""
    texts = transport.execute_many(client.get(), [("GET", keys.TOKEN(digest=digest)) for digest in digests])
    return {
        digest: REFUSED if text.startswith(REFUSED) else ":".join(text.split(":")[:2])
        for digest, text in zip(digests, texts, strict=True)
        if text is not None
    }


def _query(digests: Collection[str]) -> dict[str, str]:
    live = {digest: f"{user}:{pk}" for digest, user, pk in _read_rows(AccessToken.objects.live(), digests)}
    return dict.fromkeys(digests, REFUSED) | live


def _read_rows(tokens: AccessTokenQuerySet, digests: Collection[str]) -> list[tuple[str, int, int]]:
    return list(tokens.filter(digest__in=list(digests)).values_list("digest", "user_id", "pk"))


def _forget(digests: Collection[str]) -> None:
    """Drop copies, which their next use fills; those of revoked log-ins refuse at once."""
    transport.execute_many(client.get(), [("DEL", keys.TOKEN(digest=digest)) for digest in digests])
    revoked = AccessToken.objects.filter(digest__in=list(digests), revoked_at__isnull=False)
    token_cache.mark_revoked(list(revoked.values_list("digest", flat=True)))


def _fill(digests: Collection[str]) -> int:
    # Copies of programs' tokens live for a minute: their next use fills them.
    rows = _read_rows(AccessToken.objects.live().log_ins(), digests)
    token_cache.fill_many(rows)
    return len(rows)


def _recently_used() -> copies.OwnerBatches[str]:
    """The log-ins used within a copy's life."""
    since = timezone.now() - token_cache.COPY_TTL
    recent = AccessToken.objects.live().log_ins().filter(last_seen_at__gte=since).order_by("pk")
    digests = list(recent.values_list("digest", flat=True))
    return len(digests), chunked(digests, BATCH_TOKENS)


def _describe(digest: str, actual: str, expected: str) -> list[Finding]:
    # The digest of a token doesn't log in, but the whole of it is nobody's business.
    return [Finding(f"log-in {digest[:12]}…", "copy", actual, expected)]


COPY = copies.Copy(
    keys.TOKEN,
    read_copies=_read_copies,
    query=_query,
    forget=_forget,
    describe=_describe,
    fill=_fill,
    owners=_recently_used,
    parse_owner=itemgetter("digest"),
)
