"""Users for load tests, known by their phones and used again by each run."""

from collections.abc import Iterator

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import QuerySet

from apps.accounts.models import AccessToken, User
from apps.accounts.profiles import findable_people
from apps.accounts.sessions import tokens
from apps.search import changes
from apps.search.suggest import following

#: The ITU has given country code 999 to nobody: no code can be sent there, and nobody can log in with it.
COUNTRY_CODE = "+999"
MAX_USERS = 10_000_000
#: People and tokens made in one transaction.
BATCH_SIZE = 5_000


def mint_tokens(count: int) -> Iterator[list[str]]:
    """Batches of new API tokens of the first `count` load-test users; missing users are created."""
    nobody_knows = make_password(None)
    for start in range(0, count, BATCH_SIZE):
        wanted = range(start, min(start + BATCH_SIZE, count))
        with transaction.atomic():
            known = set(_people(wanted).values_list("pk", flat=True))
            users = _fetch_or_create(wanted, password=nobody_knows)
            minted = tokens.issue_many(users, kind=AccessToken.Kind.API)
        _index([user.pk for user in users if user.pk not in known])
        yield minted


def _index(user_ids: list[int]) -> None:
    """Let search find them at once, without a job for each, so that a long run doesn't outrun the index."""
    changes.index_imported(findable_people.NAME, user_ids)
    following.index_imported(findable_people.NAME, user_ids)


def phone_of_number(number: int) -> str:
    """The phone of a load-test user; phones sort as the numbers do."""
    return f"{COUNTRY_CODE}{number:010d}"


def _fetch_or_create(wanted: range, *, password: str) -> list[User]:
    people = _people(wanted)
    if people.count() < len(wanted):
        made = [User(phone=phone_of_number(n), nickname=f"Load {n:07d}", password=password) for n in wanted]
        User.objects.bulk_create(made, ignore_conflicts=True)
    return list(people.only("pk"))


def _people(wanted: range) -> QuerySet[User]:
    phones = (phone_of_number(wanted[0]), phone_of_number(wanted[-1]))
    return User.objects.filter(phone__range=phones).order_by("phone")
