"""A flash sale in plain Python: what Redis and SQL together must be like after every step."""

from dataclasses import dataclass, field

from apps.coupons.claims.seckill import ClaimAnswer, Outcome

ACTIVE = ("unpaid", "paid", "used")
RETURNED = ("cancelled", "refunded")


@dataclass
class Order:
    """One accepted order and where it is: waiting (in the stream), a row's status, or buried."""

    number: int
    user: int
    token: str
    place: str = "waiting"
    #: Which of the person's coupons of the sale it is.
    piece: int = 0

    @property
    def is_active(self) -> bool:
        return self.place in ACTIVE

    @property
    def is_row(self) -> bool:
        return self.is_active or self.place in RETURNED


@dataclass
class SaleModel:
    """Units, how many one person may have, orders by number, and what Redis remembers as released."""

    total: int
    per_person: int = 1
    orders: dict[int, Order] = field(default_factory=dict)
    released: dict[tuple[int, str], Order] = field(default_factory=dict)
    #: Numbers that were promised, lost ones included: none may be given twice.
    promised: set[int] = field(default_factory=set)

    def owned(self, user: int) -> list[Order]:
        """The orders that count for a person's limit, by their pieces."""
        mine = (one for one in self.orders.values() if one.user == user)
        owned = (one for one in mine if one.is_active or one.place == "waiting")
        return sorted(owned, key=lambda one: one.piece)

    def pick(self, user: int, which: int) -> Order | None:
        """One of these orders."""
        owned = self.owned(user)
        return owned[which % len(owned)] if owned else None

    def has_enough(self, user: int) -> bool:
        return len(self.owned(user)) >= self.per_person

    def is_owned(self, user: int, token: str) -> bool:
        """Whether a request of the person has made one of these orders."""
        return any(one.token == token for one in self.owned(user))

    def put_in_place(self, order: Order) -> None:
        """Give an order the person's first free piece."""
        order.piece = min({*range(self.per_person)} - {one.piece for one in self.owned(order.user)})
        order.place = "waiting"

    def orders_in(self, *places: str) -> list[Order]:
        return [one for one in self.orders.values() if one.place in places]

    @property
    def left(self) -> int:
        """Units that Redis still sells."""
        return self.total - len(self.orders_in("waiting", *ACTIVE))

    @property
    def sql_left(self) -> int:
        return self.total - len(self.orders_in(*ACTIVE))

    def expected(self, user: int, token: str) -> ClaimAnswer:
        """The right answer to a claim; a new order's number is not known before."""
        owned = self.owned(user)
        repeated = next((one for one in owned if one.token == token), None)
        if before := repeated or self.released.get((user, token)):
            return ClaimAnswer(Outcome.ACCEPTED, before.number)
        if self.has_enough(user):
            return ClaimAnswer(Outcome.ALREADY_BOUGHT, owned[-1].number)
        return ClaimAnswer(Outcome.ACCEPTED if self.left else Outcome.SOLD_OUT)

    def accept(self, order: Order) -> None:
        assert order.number not in self.promised, "an order's number was given twice"
        self.promised.add(order.number)
        self.put_in_place(order)
        self.orders[order.number] = order

    def is_refused_by_sql(self, order: Order) -> bool:
        """A person's request token that has made a row makes no other, however late it is repeated."""
        twins = (one for one in self.orders.values() if (one.user, one.token) == (order.user, order.token))
        return any(one.is_row and one.number != order.number for one in twins)

    def give_back(self, order: Order, place: str) -> None:
        order.place = place
        self.released[order.user, order.token] = order

    def dead_letter(self, order: Order) -> None:
        order.place = "buried"
        self.released[order.user, order.token] = order

    def reload(self) -> None:
        """Redis as SQL tells it."""
        rows = sorted(self.orders_in(*RETURNED), key=lambda one: one.number)
        self.released = {(one.user, one.token): one for one in rows}

    def lose_redis(self) -> None:
        """What had no row is as if it had never been."""
        for order in self.orders_in("waiting"):
            order.place = "lost"
