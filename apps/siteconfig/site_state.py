"""What operators have set, as this process knows it: at most a second old, read in one round trip."""

from apps.redis_kit import client, eviction, transport
from apps.siteconfig import keys
from apps.siteconfig.components.copies import copy
from apps.siteconfig.maintenance.switch import switch
from apps.siteconfig.polling import Poller


def read() -> None:
    """Read everything from Redis. While Redis is away the site is open and settings stay as they were."""
    commands = [("GET", keys.MAINTENANCE()), ("HGETALL", keys.SETTINGS())]
    try:
        closed, settings = transport.execute_many(client.get(), commands)
    except client.UNAVAILABLE:
        switch.load(None)
        return
    switch.load(closed)
    copy.load(dict(transport.paired(settings)))


#: The one of this process.
poller = Poller(read, beside=eviction.check_budgets)
