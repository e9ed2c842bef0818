"""Who is who among the people of the demo."""

from dataclasses import dataclass
from random import Random
from typing import Self

from apps.accounts.models import User
from apps.demo import logins, people

#: The first of the two hundred write most of the notes; the very first is known to everybody.
REGULAR_COUNT, AUTHOR_COUNT = 12, 120


@dataclass(frozen=True)
class Roles:
    """Ids: everybody in order, without the customer, whose feed is the regulars' notes."""

    everybody: list[int]
    customer_id: int
    #: Where the customer has written first: two notes and, last, a draft.
    customer_shops: tuple[int, int, int] = (2, 11, 5)

    @classmethod
    def load(cls) -> Self:
        customer = User.objects.get(phone=logins.CUSTOMER_PHONE)
        return cls(people.all_ids(), customer.pk)

    @property
    def regulars(self) -> list[int]:
        return self.everybody[:REGULAR_COUNT]

    def author(self, chance: Random) -> int:
        """Of a note: a regular as often as not."""
        return chance.choice(
            self.regulars if chance.random() < 0.5 else self.everybody[REGULAR_COUNT:AUTHOR_COUNT]
        )
