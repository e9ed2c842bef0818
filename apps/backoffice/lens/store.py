"""Keeps the newest recorded requests of each browser in Redis, so that any web process can show them."""

import json
from datetime import timedelta
from typing import Any

from apps.backoffice import keys
from apps.backoffice.lens import steps
from apps.backoffice.lens.access import LensSession
from apps.backoffice.lens.recording import Recording
from apps.redis_kit import client, scripts, transport

MAX_KEPT_REQUESTS = 20
#: A longer request is kept without its steps.
MAX_REQUEST_BYTES = 128 * 1024
LIFETIME = timedelta(minutes=10)
KEEP_REQUEST = scripts.Script("keep_request", package="apps.backoffice.lens", reply=int)


def keep(session: LensSession, recording: Recording) -> None:
    """Keep a finished recording for the session's panel; nothing is kept without Redis or a panel."""
    if not session.name:
        return
    described = steps.describe(recording)
    text = json.dumps(described)
    if len(text) > MAX_REQUEST_BYTES:
        text = json.dumps(described | {"steps": [], "left_out": recording.trips + recording.queries})
    args: list[scripts.Arg] = [text, MAX_KEPT_REQUESTS, int(LIFETIME.total_seconds())]
    try:
        KEEP_REQUEST(client.get("stats"), keys=[keys.LENS_REQUESTS(session=session.name)], args=args)
    except client.UNAVAILABLE:
        return


def read_newest(session: LensSession) -> list[dict[str, Any]]:
    """The session's recorded requests, newest first; raises client.UNAVAILABLE."""
    if not session.name:
        return []
    command = ("LRANGE", keys.LENS_REQUESTS(session=session.name), 0, MAX_KEPT_REQUESTS - 1)
    return [json.loads(text) for text in transport.execute(client.get("stats"), command)]


def forget(session: LensSession) -> None:
    """Drop what was recorded; it ends by itself where Redis is away."""
    try:
        if session.name:
            transport.execute(client.get("stats"), ("DEL", keys.LENS_REQUESTS(session=session.name)))
    except client.UNAVAILABLE:
        return
