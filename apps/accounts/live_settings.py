"""Settings of log-ins that operators change while the site runs."""

from typing import Annotated

from annotated_types import Ge, Le
from django.utils.translation import gettext_lazy as _

from apps.siteconfig.components.definitions import About, Component, Settings


class LoginSettings(Settings):
    """How many text messages with codes leave the site."""

    codes_per_minute: Annotated[
        int,
        Ge(1),
        Le(100_000),
        About(
            _("Log-in codes in a minute, to everybody"),
            effect=_("Each costs a text message. Lower it while somebody has codes sent to strangers."),
        ),
    ]
    codes_per_day: Annotated[
        int,
        Ge(1),
        Le(10_000_000),
        About(
            _("Log-in codes in a day (UTC), to everybody"),
            effect=_("The budget of messages: managers get an e-mail at 80 and 100 percent of it."),
        ),
    ]


LOGINS = Component(
    "logins",
    LoginSettings,
    title=_("Log-ins"),
    defaults=lambda: {"codes_per_minute": 2_000, "codes_per_day": 50_000},
)
