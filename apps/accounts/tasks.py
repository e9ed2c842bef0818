from celery import shared_task

from apps.accounts import retention
from apps.accounts.sessions import tokens


@shared_task(name="accounts.bury_recent")
def revoke_recent_in_redis() -> int:
    """Each minute: what Redis missed of revocations."""
    return tokens.revoke_recent_in_redis()


@shared_task(name="accounts.tidy")
def tidy() -> int:
    """Each day: rows that nobody asks for any more."""
    return retention.delete_expired()
