"""Redis keys of the back office."""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

LENS_REQUESTS = schema.key(
    "backoffice:lens:<session>",
    type="list",
    about=_("the newest requests of one browser with the lens on, newest first, as JSON"),
    writer="lua/keep_request",
    expiry=_("10 minutes after the last request"),
    expendable=_("the panel is empty until the next request"),
    private=_("requests of one browser"),
)
