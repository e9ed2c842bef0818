"""The roles of the demo's people: regulars, other authors, and the customer."""

from dataclasses import dataclass
from random import Random
from typing import Self

from apps.accounts.models import User
from apps.demo import logins, people

#: The first people, the regulars, write half of the notes; the other authors are those up to AUTHOR_COUNT.
#: The very first person is the best known.
REGULAR_COUNT, AUTHOR_COUNT = 12, 120


@dataclass(frozen=True)
class Roles:
    """User ids. `everybody` is in order, without the customer, who follows the regulars."""

    everybody: list[int]
    customer_id: int
    #: Ids of the shops about which the customer wrote: two notes and, last, a draft.
    customer_shops: tuple[int, int, int] = (2, 11, 5)

    @classmethod
    def load(cls) -> Self:
        customer = User.objects.get(phone=logins.CUSTOMER_PHONE)
        return cls(people.all_ids(), customer.pk)

    @property
    def regulars(self) -> list[int]:
        return self.everybody[:REGULAR_COUNT]

    def author(self, chance: Random, *, chinese: bool) -> int:
        """The id of a random author of a note in a language: a regular half of the time."""
        drawn = chance.choice(
            range(REGULAR_COUNT) if chance.random() < 0.5 else range(REGULAR_COUNT, AUTHOR_COUNT)
        )
        return self.everybody[people.find_writer(drawn, chinese=chinese)]
