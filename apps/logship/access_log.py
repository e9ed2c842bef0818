"""The site's access log: a JSON object a line, written once a second by a thread of each web process.

    {"at":"2026-11-23T18:40:01.123+08:00","city":"Hangzhou|杭州","country":"CN","page":true,"method":"GET",
     "path":"/shops/<shop_id>/","status":200,"ms":1.25}

A line has the city of an address and never the address; the route and never what a visitor filled into it: no
query, no ticket. A request costs an append to a list; a process that is killed loses a second of lines.
"""

import logging
import threading
import time
from collections import deque

from apps.front.observe import Answered
from apps.logship import access_lines
from apps.logship.access_lines import Answer, LineWriter
from apps.logship.segments import Segment

#: Seconds between two writes, lines that may wait for one, and lines formatted without a pause: a longer
#: piece of work would keep the event loop from its next request.
WRITE_SECONDS, MAX_WAITING, LINES_AT_ONCE = 1.0, 100_000, 100
PAUSE_SECONDS = 0.0005

log = logging.getLogger(__name__)


class AccessLog:
    """Collects answers and writes them as lines into the segment of this process."""

    def __init__(self, segment: Segment) -> None:
        self._segment, self._writer = segment, LineWriter()
        self._answers: deque[Answer] = deque()
        self._dropped = 0
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()

    def hear(self, answered: Answered) -> None:
        """Remember an answered request (front.observe); an open stream isn't one yet."""
        if answered.bytes is not None:
            self.add(access_lines.describe(answered))

    def add(self, answer: Answer) -> None:
        """Remember an answer; drops it where the disk is too slow."""
        if len(self._answers) >= MAX_WAITING:
            self._dropped += 1
            return
        self._answers.append(answer)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="access-log", daemon=True)
            self._thread.start()

    def write(self) -> None:
        """Write what waits. Never raises: a full disk loses lines and no request."""
        try:
            while self._answers:
                batch = [self._answers.popleft() for _ in range(min(LINES_AT_ONCE, len(self._answers)))]
                self._segment.write(self._writer.format(batch))
                time.sleep(PAUSE_SECONDS)
            self._segment.flush()
        except Exception:  # nobody waits for this thread's result, so nobody else would hear of it
            log.exception("lines of the access log were lost")
        if self._dropped:
            log.warning("%d lines of the access log were dropped", self._dropped)
            self._dropped = 0

    def close(self) -> None:
        """Write the rest and give the segment up."""
        self._closing.set()
        if self._thread:
            self._thread.join()
        self.write()
        self._segment.close()

    def _run(self) -> None:
        while not self._closing.wait(WRITE_SECONDS):
            self.write()
