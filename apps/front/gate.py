"""The gate in front of all requests, which is open unless the site says otherwise."""

from typing import Any

from apps.front.response import Response


class Switch:
    """Whether the gate is closed: while `closed` holds something, connections ask no route."""

    closed: object = None


class Gate:
    """An open gate."""

    #: Looked at for every request.
    switch: Switch = Switch()

    async def refuse(self, scope: dict[str, Any]) -> Response | None:
        """The answer to a request that a closed gate does not let in, by its ASGI scope."""
