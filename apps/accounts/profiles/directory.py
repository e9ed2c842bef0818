"""The people of the site for the mailbox, which imports no accounts: names, phones, cities, blocks."""

from collections.abc import Collection

from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from apps.accounts import city_names, phones
from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.mailbox.people import Person


class AccountsDirectory:
    """The people of accounts."""

    def load(self, user_ids: Collection[int]) -> dict[int, Person]:
        """The active people among these ids; one query."""
        found = User.objects.filter(is_active=True).in_bulk(user_ids)
        return {user_id: build_person(user) for user_id, user in found.items()}

    def city_key(self, written: str) -> str:
        """A city as everybody's is compared."""
        return city_names.key(written)

    def city_choices(self, written: str) -> list[tuple[str, str]]:
        """The site's cities, and what is written already."""
        return city_names.choices(written)

    def count(self, city: str) -> int:
        """The number of listed people, of one city or of all ("")."""
        people = User.objects.listed()
        return (people.filter(_lives_in(city)) if city else people).count()

    def find_by_phones(self, given: Collection[str]) -> dict[str, int]:
        """{phone as it was given: user id} of the active people with these phones."""
        parsed = {text: phones.canonical(text) for text in given}
        rows = User.objects.filter(is_active=True, phone__in=parsed.values()).values_list("phone", "pk")
        ids = dict(rows)
        return {text: ids[phone] for text, phone in parsed.items() if phone in ids}

    def hears_nothing(self, recipient: int | OuterRef, actor_id: int) -> Exists:
        """Whether one of the two blocked the other."""
        return blocks.is_apart(recipient, actor_id)


def build_person(user: User) -> Person:
    """A user as the mailbox knows people."""
    return Person(
        user_id=user.pk,
        nickname=user.nickname,
        avatar=user.avatar.url if user.avatar else "",
        url=reverse("accounts:person", args=[user.pk]),
        phone=user.phone,
        language=user.message_language,
        city=city_names.key(user.city),
        joined_at=user.joined_at,
    )


def _lives_in(city: str) -> Q:
    conditions = Q()
    for name in city_names.spellings(city):
        conditions |= Q(city__iexact=name)
    return conditions
