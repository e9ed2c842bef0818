"""A broken rule, as the reports of sales and payments name it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Violation:
    """A broken invariant of a sale, or (None) of all orders; `by` is the difference in units or orders.

    Rule and detail are English sentences of stored_texts.Template, which the admin translates.
    """

    rule: str
    voucher_id: int | None
    by: int
    detail: str
