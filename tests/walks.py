"""The files that somebody must read to follow a request: those that it enters."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from tests.checks import sources

APPS = f"{sources.ROOT}/apps/"


class Followed:
    """A WSGI application whose code is noted while it is followed, in whichever thread it runs."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._note: Any = None

    def __call__(self, environ: Any, start_response: Any) -> Any:
        sys.setprofile(self._note)
        try:
            return self._application(environ, start_response)
        finally:
            sys.setprofile(None)

    @contextmanager
    def following(self) -> Iterator[set[CodeType]]:
        """The code that is entered during the `with` block, by this thread and by the application."""
        entered = set[CodeType]()

        def note(frame: FrameType, _event: str, _: object) -> None:
            if frame.f_code.co_filename.startswith(APPS):
                entered.add(frame.f_code)

        self._note = note
        sys.setprofile(note)
        try:
            yield entered
        finally:
            sys.setprofile(None)
            self._note = None


def files(entered: set[CodeType]) -> list[str]:
    """The files of the code, by their paths below apps/."""
    return sorted({code.co_filename.removeprefix(APPS) for code in entered})
