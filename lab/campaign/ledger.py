"""What the people of a campaign wrote down: every answer they got, whoever is right about it."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Promise:
    """One order that the site said a person has; `told` is the last thing it said of it since."""

    order_id: int
    person: int
    receipt: str = ""
    #: "accepted", a status of the order, "lost" (410), "gone" (404), or another refusal's code.
    told: str = "accepted"
    #: The person saw it recorded; asked to cancel it or get the money back; the bank took the money.
    recorded: bool = False
    paid: bool = False


@dataclass
class Ledger:
    """The promises by order id, of one sale; persons are user ids."""

    promises: dict[int, Promise] = field(default_factory=dict)
    #: Order ids that were told to a second person.
    told_twice: list[int] = field(default_factory=list)
    #: Each answer by what was asked and what came: "claim 201", "look 404 not_found".
    answers: Counter[str] = field(default_factory=Counter)
    #: Answers that nobody may get: 500 and its like, or a 503 that doesn't say when to come back.
    errors: list[str] = field(default_factory=list)
    handed_in: int = 0
    #: Callbacks of the bank that the shop took.
    callbacks: int = 0

    def promise(self, order_id: int, person: int, receipt: str = "") -> Promise:
        """Note that this person was told to have that order; returns the entry, an earlier one as well."""
        known = self.promises.setdefault(order_id, Promise(order_id, person, receipt))
        if known.person != person:
            self.told_twice.append(order_id)
        known.receipt = known.receipt or receipt
        return known

    def answer(self, asked: str, status: int, code: str, *, waits: bool) -> None:
        """Note an answer; `waits` tells whether it says when to come back."""
        self.answers[f"{asked} {status} {code}".strip()] += 1
        if (status >= 500 and status != 503) or (status == 503 and not waits):
            self.errors.append(f"{asked}: {status} {code}")

    @property
    def accepted(self) -> int:
        return len(self.promises)
