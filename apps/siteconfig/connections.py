"""Redis connections whose server operators choose while the site runs: statistics and visits, caches.

Each process switches within a second of the change; calls under way end on the old server. What
the old server holds stays there: counters begin anew on the new one, caches fill themselves.
Source: Redis in Action, chapter 5.4.3.
"""

import logging
from typing import Annotated

from annotated_types import MaxLen
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from redis.exceptions import RedisError

from apps.redis_kit import cache, client
from apps.redis_kit.addresses import hide_passwords
from apps.siteconfig.components.definitions import About, Component, Overrides, Settings

#: Seconds within which a server must answer before anything moves to it.
PING_SECONDS = 1.0
MAX_URL_LENGTH = 300
log = logging.getLogger(__name__)


class ConnectionSettings(Settings):
    """URLs by the name in settings.REDIS_CONNECTIONS; "" is the URL there."""

    stats: Annotated[
        str,
        MaxLen(MAX_URL_LENGTH),
        About(
            gettext_lazy("Server of statistics and visits"),
            effect=gettext_lazy("Like redis://host:6379/0. Today's numbers begin anew there."),
        ),
    ]
    cache: Annotated[
        str,
        MaxLen(MAX_URL_LENGTH),
        About(
            gettext_lazy("Server of caches"),
            effect=gettext_lazy("Like redis://host:6379/0. Caches there begin empty and fill themselves."),
        ),
    ]


def refuse_unreachable(overrides: Overrides) -> dict[str, str]:
    """A sentence for each URL at which no server answers."""
    sentences = {name: _refuse(url) for name, url in overrides.items()}
    return {name: sentence for name, sentence in sentences.items() if sentence}


def _refuse(url: str) -> str:
    try:
        client.ping(url, deadline=PING_SECONDS)
    except (RedisError, OSError):
        return _("No Redis server takes commands there.")
    except (ValueError, TypeError):
        return _("This is no address of a Redis server. Write it like redis://host:6379/0.")
    return ""


CONNECTIONS = Component(
    "connections",
    ConnectionSettings,
    title=gettext_lazy("Redis connections"),
    defaults=lambda: dict.fromkeys(ConnectionSettings.model_fields, ""),
    check=refuse_unreachable,
)


def apply() -> None:
    """Move this process's connections to the servers that are chosen now."""
    chosen = CONNECTIONS.current()
    for name in ConnectionSettings.model_fields:
        if client.move(name, getattr(chosen, name)):
            log.warning("Redis connection %s moves to %s", name, hide_passwords(getattr(chosen, name)))
            if name == cache.CONNECTION:
                cache.forget_all()
