"""Settings of ads that operators change while the site runs."""

from typing import Annotated

from annotated_types import Ge, Le
from django.utils.translation import gettext_lazy as _

from apps.siteconfig.components.definitions import About, Component, Settings


class AdSettings(Settings):
    """How much is risked on ads of which little is known."""

    exploring_percent: Annotated[
        int,
        Ge(0),
        Le(100),
        About(
            _("Exploration share"),
            "%",
            _("New ads get their chance by them. With 0, each ad is worth what its counts say on average."),
        ),
    ]


ADS = Component("ads", AdSettings, title=_("Ads"), defaults=lambda: {"exploring_percent": 100})
