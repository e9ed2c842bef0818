"""Redis keys of the back office."""

from apps.redis_kit import schema

LENS_REQUESTS = schema.key(
    "backoffice:lens:<session>",
    type="list",
    about="the newest requests of one browser with the lens on, newest first, as JSON",
    writer="lua/keep_request",
    expiry="10 minutes after the last request",
    expendable="the panel is empty until the next request",
    private="requests of one browser",
)
