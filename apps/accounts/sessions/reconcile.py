"""Compares the cached log-ins in Redis with SQL's: whom a token lets in, and which it refuses."""

from collections.abc import Iterator, Sequence

from apps.accounts import keys
from apps.accounts.models import AccessToken
from apps.accounts.sessions import token_cache
from apps.redis_kit import client, transport
from apps.redis_kit.findings import Finding
from apps.web.batches import chunked

BATCH_TOKENS = 500
REFUSED = "gone"


def check(fix: bool) -> Iterator[Finding]:
    """Yield cached log-ins that SQL doesn't know so, each compared twice. A missing copy is none."""
    names = client.get().scan_iter(match=keys.TOKEN.scan_pattern, count=BATCH_TOKENS)
    for some in chunked((str(name).rpartition(":")[2] for name in names), BATCH_TOKENS):
        suspects = [digest for digest, _actual, _expected in _compare(some)]
        wrong = list(_compare(suspects))
        if fix:
            _repair([digest for digest, _actual, _expected in wrong])
        for digest, actual, expected in wrong:
            # The digest of a token doesn't log in, but the whole of it is nobody's business.
            yield Finding(f"log-in {digest[:12]}…", "copy", actual, expected)


def _compare(digests: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """(digest, "user:token id" in Redis, the same of SQL) where they differ."""
    if not digests:
        return
    # Redis first: what is revoked meanwhile is wrong in one comparison only.
    texts = transport.execute_many(client.get(), [("GET", keys.TOKEN(digest=digest)) for digest in digests])
    live = AccessToken.objects.live().filter(digest__in=digests)
    rows = {digest: f"{user}:{pk}" for digest, user, pk in live.values_list("digest", "user_id", "pk")}
    for digest, text in zip(digests, texts, strict=True):
        if text is not None:
            actual = REFUSED if text.startswith(REFUSED) else ":".join(text.split(":")[:2])
            expected = rows.get(digest, REFUSED)
            if actual != expected:
                yield digest, actual, expected


def _repair(digests: Sequence[str]) -> None:
    """Drop the copies, which their next use fills; those of revoked log-ins say so at once."""
    if not digests:
        return
    transport.execute_many(client.get(), [("DEL", keys.TOKEN(digest=digest)) for digest in digests])
    revoked = AccessToken.objects.filter(digest__in=digests, revoked_at__isnull=False)
    token_cache.mark_revoked(list(revoked.values_list("digest", flat=True)))
