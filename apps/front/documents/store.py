"""Keeps documents for a second, and makes each anew once for all who want it.

So is the answer that a page is not there.

A document is fresh for a second from the moment at which its making began, so that a change which was
committed a second ago shows. A reader in its last part starts the making of the next one; after the second
all wait for it shortly. A document that can't be made (Redis or SQL is away) is served for up to a minute.
"""

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus

from apps.front.documents.documents import Document
from apps.front.documents.page_requests import DocumentKey
from apps.front.response import Response

#: Seconds for which a document is everybody's, and for which it stands in when no new one can be made.
FRESH_SECONDS, STALE_SECONDS = 1.0, 60.0
#: The first reader after so many seconds has the next one made, so that few ever wait for it.
REFRESH_AFTER_SECONDS = 0.7
#: Seconds for which readers of an older document wait for the new one.
REFRESH_WAIT_SECONDS = 0.25
#: Documents, and bytes of their bodies, that a process keeps; the least recently used leave.
MAX_DOCUMENTS, MAX_BYTES = 4_096, 128 * 1024 * 1024
#: Seconds after which a document leaves that was not made again: by then nobody gets it, it only saves its
#: compression if the page is the same still, and whoever walks through all pages would fill the memory.
KEPT_SECONDS = 300.0
#: Answers "not found" that a process keeps: a program that counts up through ids fills them.
MAX_ABSENT = 256
#: A failing site answers so: an older document is better.
SERVER_ERRORS = range(500, 600)

log = logging.getLogger(__name__)
#: Makes the page of a key; it returns the last document when the page hasn't changed.
Render = Callable[[DocumentKey, Document | None], Awaitable[Document | Response]]


#: A document, a response that can't be one, or None when Django failed.
Result = Document | Response | None


@dataclass(slots=True)
class _Entry:
    document: Document
    made_at: float


class DocumentStore:
    """Documents by key, at most so many and so large; `render` makes the page of a document.

    Readers of an older document wait `refresh_wait_seconds` for the new one. `outcomes` counts readers: "hit"
    and "stale" caused no work, "miss" had a page made.
    """

    def __init__(
        self,
        render: Render,
        *,
        max_documents: int = MAX_DOCUMENTS,
        max_bytes: int = MAX_BYTES,
        refresh_wait_seconds: float = REFRESH_WAIT_SECONDS,
    ) -> None:
        self._render, self._max_documents, self._max_bytes = render, max_documents, max_bytes
        self._refresh_wait_seconds = refresh_wait_seconds
        self._entries: OrderedDict[DocumentKey, _Entry] = OrderedDict()
        self._refreshes: dict[DocumentKey, asyncio.Task[Result]] = {}
        self._bytes = 0
        #: By key: the answer that the page is not there, and when it was made.
        self._absent: OrderedDict[DocumentKey, tuple[Response, float]] = OrderedDict()
        self.outcomes: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: DocumentKey) -> bool:
        return key in self._entries

    def find_fresh(self, key: DocumentKey, now: float) -> Document | None:
        """The document, if it is less than FRESH_SECONDS old at `now`, the loop's time."""
        entry = self._entries.get(key)
        if entry is None or now - entry.made_at >= FRESH_SECONDS:
            return None
        if now - entry.made_at >= REFRESH_AFTER_SECONDS and key not in self._refreshes:
            self._start_refresh(key)
        self._entries.move_to_end(key)
        self.outcomes["hit"] += 1
        return entry.document

    def find_absent(self, key: DocumentKey, now: float) -> Response | None:
        """The answer that the page is not there, if it is less than FRESH_SECONDS old at `now`."""
        answer, made_at = self._absent.get(key) or (None, 0.0)
        return answer if now - made_at < FRESH_SECONDS else None

    async def get(self, key: DocumentKey) -> Result:
        """A new document, or an outdated one while it is made or can't be made."""
        entry, refresh = self._entries.get(key), self._refreshes.get(key)
        outcome = "hit" if refresh else "miss"
        refresh = refresh or self._start_refresh(key)
        is_usable = entry is not None and asyncio.get_running_loop().time() - entry.made_at < STALE_SECONDS
        await asyncio.wait([refresh], timeout=self._refresh_wait_seconds if is_usable else None)
        if entry and is_usable and not (refresh.done() and _is_answer(refresh.result())):
            self.outcomes["stale"] += 1
            return entry.document
        self.outcomes[outcome] += 1
        return refresh.result()

    def _start_refresh(self, key: DocumentKey) -> "asyncio.Task[Result]":
        refresh = asyncio.get_running_loop().create_task(self._refresh(key))
        self._refreshes[key] = refresh
        refresh.add_done_callback(lambda _: self._refreshes.pop(key))
        return refresh

    async def _refresh(self, key: DocumentKey) -> Result:
        began, last = asyncio.get_running_loop().time(), self._entries.get(key)
        try:
            made = await self._render(key, last.document if last else None)
        except Exception:
            log.exception("the page %s was not made", key.path)
            return None
        if _is_answer(made):
            self._drop(key)
        if isinstance(made, Document):
            self._keep(key, _Entry(made, began))
        elif made.status == HTTPStatus.NOT_FOUND:
            self._keep_absent(key, made, began)
        return made

    def _keep(self, key: DocumentKey, entry: _Entry) -> None:
        self._entries[key] = entry
        self._bytes += entry.document.size
        while self._entries and (self._is_full or self._oldest.made_at < entry.made_at - KEPT_SECONDS):
            self._drop(next(iter(self._entries)))

    @property
    def _is_full(self) -> bool:
        return len(self._entries) > self._max_documents or self._bytes > self._max_bytes

    @property
    def _oldest(self) -> _Entry:
        return next(iter(self._entries.values()))

    def _keep_absent(self, key: DocumentKey, answer: Response, began: float) -> None:
        self._absent[key] = answer, began
        self._absent.move_to_end(key)
        if len(self._absent) > MAX_ABSENT:
            self._absent.popitem(last=False)

    def _drop(self, key: DocumentKey) -> None:
        """Forget a document: a new one takes its place, or it is no page for everybody any more."""
        entry = self._entries.pop(key, None)
        self._bytes -= entry.document.size if entry else 0


def _is_answer(result: Result) -> bool:
    """Whether a page's making succeeded, also with a page that can't be shared."""
    return isinstance(result, Document) or (result is not None and result.status not in SERVER_ERRORS)
