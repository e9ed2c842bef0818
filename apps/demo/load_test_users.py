"""Users for load tests, known by their phones and used again by each run."""

from collections.abc import Iterator
from datetime import timedelta

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import QuerySet

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens

#: The ITU has given country code 999 to nobody: no code can be sent there, and nobody can log in with it.
COUNTRY_CODE = "+999"
MAX_USERS = 10_000_000
#: People and tokens made in one transaction.
BATCH_SIZE = 5_000


def mint_tokens(count: int, *, last_used: timedelta) -> Iterator[list[str]]:
    """Batches of new API tokens of the first `count` load-test users; missing users are created.

    SQL and Redis know them as tokens that were used last so long ago: a real crowd comes for the first time
    in a day, and the first use after a pause is the dearest.

    Search and the lists of names leave them out (User.is_made_for_load), so neither has anything to index.
    """
    nobody_knows = make_password(None)
    for start in range(0, count, BATCH_SIZE):
        wanted = range(start, min(start + BATCH_SIZE, count))
        with transaction.atomic():
            users = _fetch_or_create(wanted, password=nobody_knows)
            minted = tokens.issue_many(users, kind=AccessToken.Kind.API, last_used=last_used)
        yield minted


def phone_of_number(number: int) -> str:
    """The phone of a load-test user; phones sort as the numbers do."""
    return f"{COUNTRY_CODE}{number:010d}"


def _fetch_or_create(wanted: range, *, password: str) -> list[User]:
    people = _people(wanted)
    if people.count() < len(wanted):
        made = [
            User(
                phone=phone_of_number(number),
                nickname=f"Load {number:07d}",
                password=password,
                is_made_for_load=True,
            )
            for number in wanted
        ]
        User.objects.bulk_create(made, ignore_conflicts=True)
    return list(people.only("pk"))


def _people(wanted: range) -> QuerySet[User]:
    phones = (phone_of_number(wanted[0]), phone_of_number(wanted[-1]))
    return User.objects.filter(phone__range=phones).order_by("phone")
