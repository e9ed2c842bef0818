"""Reads a request of the crowd as a server's parser does, for tests."""

import httptools


class ParsedRequest:
    """One request as a server's parser reads it."""

    def __init__(self, raw: bytes) -> None:
        self.headers: dict[str, str] = {}
        self.body, self.path, self.is_complete = b"", "", False
        self._parser = httptools.HttpRequestParser(self)
        self._parser.feed_data(raw)
        self.method = self._parser.get_method().decode()

    def on_url(self, url: bytes) -> None:
        self.path += url.decode()

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.decode().lower()] = value.decode()

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        self.is_complete = True
