from celery import shared_task

from apps.accounts import tidying, tokens


@shared_task(name="accounts.bury_recent")
def bury_recent() -> int:
    """Each minute: what Redis missed of revocations."""
    return tokens.bury_recent()


@shared_task(name="accounts.tidy")
def tidy() -> int:
    """Each day: rows that nobody asks for any more."""
    return tidying.tidy()
