"""Recent contacts: the people that a user last wrote to, mentioned or answered, the newest first.

Source: Redis in Action, section 6.1.1 (a list of 100 names; here of ids, so that a renamed person stays one).
"""

import logging
from datetime import timedelta

from apps.accounts import keys
from apps.redis_kit import client, scripts, transport
from apps.redis_kit.transport import Command

log = logging.getLogger(__name__)
MAX_CONTACTS = 100
TTL = timedelta(days=90)
TOUCH = scripts.Script("touch_contact", package="apps.accounts.relations", reply=int)


def touch(user_id: int, other_id: int) -> None:
    """Make a person the newest contact of a user; nothing happens for oneself, or while Redis is away."""
    if user_id == other_id:
        return
    names, args = _build_call(user_id, other_id)
    try:
        TOUCH(client.get(), keys=names, args=args)
    except client.UNAVAILABLE as error:
        log.warning("a contact is not kept, Redis is away: %s", error)


def touch_command(user_id: int, other_id: int) -> Command:
    """`touch` for a round trip with others; Redis refuses it with NOSCRIPT until `touch` was called once."""
    names, args = _build_call(user_id, other_id)
    return TOUCH.command(keys=names, args=args)


def recent(user_id: int) -> list[int]:
    """The ids of a user's contacts, the newest first, 100 at most; none while Redis is away."""
    try:
        raw = transport.execute(client.get(), ("LRANGE", keys.CONTACTS(user=user_id), 0, MAX_CONTACTS - 1))
    except client.UNAVAILABLE:
        return []
    return [int(contact_id) for contact_id in raw]


def forget(user_id: int, other_id: int) -> None:
    """Take two people out of each other's contacts, as a block does."""
    pairs = ((user_id, other_id), (other_id, user_id))
    removals = [("LREM", keys.CONTACTS(user=one), 0, other) for one, other in pairs]
    try:
        transport.execute_many(client.get(), removals)
    except client.UNAVAILABLE as error:
        log.warning("contacts stay, Redis is away: %s", error)


def _build_call(user_id: int, other_id: int) -> scripts.Call:
    return [keys.CONTACTS(user=user_id)], [other_id, MAX_CONTACTS, int(TTL.total_seconds())]
