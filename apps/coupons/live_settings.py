"""Settings of sales that operators change while the site runs."""

from typing import Annotated

from annotated_types import Ge, Le
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from apps.siteconfig.components.definitions import SECONDS, About, Component, Settings

#: Claims of a person in ten seconds: enough for one who taps and retries, too little for a script's loop.
CLAIMS_ALLOWED = 100


class SaleSettings(Settings):
    """How long an order waits for its payment, and how often one person may try."""

    pay_within_seconds: Annotated[
        int,
        Ge(60),
        Le(86_400),
        About(_("Time to pay"), SECONDS, _("Orders made from now on; those that wait keep their time.")),
    ]
    claims_per_ten_seconds: Annotated[
        int,
        Ge(2),
        Le(10_000),
        About(_("Claims of one person in 10 seconds"), effect=_("Lower it while scripts try to buy.")),
    ]


def _defaults() -> dict[str, int]:
    return {
        "pay_within_seconds": int(settings.PAY_WITHIN.total_seconds()),
        "claims_per_ten_seconds": CLAIMS_ALLOWED,
    }


SALES = Component("sales", SaleSettings, title=_("Sales"), defaults=_defaults)


def minutes_to_pay() -> int:
    """Whole minutes that a new order waits for its payment."""
    return SALES.current().pay_within_seconds // 60
