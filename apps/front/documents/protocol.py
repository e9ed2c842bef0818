"""An HTTP protocol for uvicorn that writes fresh documents to the socket, without ASGI."""

from typing import ClassVar

from apps.front.documents import page_requests
from apps.front.documents.server import SharedDocuments
from apps.front.protocol import DirectHttpProtocol


class DocumentProtocol(DirectHttpProtocol):
    """One connection; a page without a fresh document is the application's, as is every other request."""

    documents: ClassVar[SharedDocuments]

    def on_head(self) -> None:
        if self.parser.get_method() not in (b"GET", b"HEAD") or not self._answer_from_document():
            super().on_head()

    def _answer_from_document(self) -> bool:
        """Answer a request for a page whose document is fresh; returns whether it was one."""
        if not self.may_answer_directly:
            return False
        began = self.loop.time()
        request = page_requests.read(self.url.decode("latin-1"), self.scheme or "http", self.fields)
        method = self.parser.get_method().decode()
        answer = self.documents.answer_at_once(request, method, began) if request else None
        if answer:
            self.begin_direct(answer.route, began=began)
            self.finish_direct(answer, without_body=method == "HEAD")
        return answer is not None
