"""Scheduled tasks of accounts."""

from celery import shared_task

from apps.accounts import codes, retention
from apps.accounts.deletion import deletions
from apps.accounts.sessions import tokens


@shared_task(name="accounts.revoke_in_redis")
def revoke_recent_in_redis() -> int:
    """Each minute: repeat recent revocations in Redis."""
    return tokens.revoke_recent_in_redis()


@shared_task(name="accounts.tidy")
def tidy() -> int:
    """Each day: delete expired rows."""
    return retention.delete_expired()


@shared_task(name="accounts.sweep_deletions")
def sweep_deletions() -> int | None:
    """Each minute: hide, bring back or remove for good what deleted accounts still have."""
    return deletions.sweep()


@shared_task(name="accounts.check_code_budget")
def check_code_budget() -> int:
    """Each minute: e-mail the managers when the day's budget of log-in codes runs out."""
    return codes.check_budget()
