"""Redis keys of follows: the set of people that a person follows, and the lease for filling it."""

from apps.redis_kit import copies, schema
from apps.redis_kit.schema import marked as _

FOLLOWING = schema.key(
    "follows:{graph}:following:<user>",
    type="set",
    about=_(
        "ids of the people that a person follows, and 0, which marks the set as complete, even when empty"
    ),
    writer="redis_kit.copies",
    expiry=_("7 days after it was last read"),
    rebuilt_from="apps.follows.graph:SETS",
)
FOLLOWING_LEASE = copies.lease_key("follows:{graph}:lease:<user>")
