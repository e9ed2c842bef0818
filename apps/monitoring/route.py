"""The route of GET /healthz: the event loop answers it, also while all threads of Django are busy."""

from apps.front.response import Response
from apps.front.route import Exchange, Message

_ALIVE = Response(
    200,
    [
        (b"content-type", b"application/json"),
        (b"cache-control", b"max-age=0, no-cache, no-store, must-revalidate, private"),
        (b"x-content-type-options", b"nosniff"),
        (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
        (b"cross-origin-resource-policy", b"same-origin"),
    ],
    b'{"status": "alive"}',
    route="monitoring:alive",
)


class HealthRoute:
    """Answers that the process lives; while the gate is closed the view does."""

    methods = (b"GET", b"HEAD")

    def read(self, message: Message) -> bool | None:
        """True for the path alone."""
        return message.target == b"/healthz" or None

    def answer(self, _request: bool, exchange: Exchange) -> None:
        exchange.set_result(_ALIVE)

    def answer_failure(self, _request: bool, _error: Exception) -> None:
        """Django answers."""
