"""Fixtures of the tests of what operators set: each test begins and ends as in a new process."""

from collections.abc import Iterator

import pytest

from apps.siteconfig.components.copies import CHANGED, copy
from apps.siteconfig.maintenance.switch import switch


@pytest.fixture(autouse=True)
def nothing_set() -> Iterator[None]:
    """Forget in this process what operators have set; Redis is emptied between tests."""
    switch.closed = None
    copy.clear()
    yield
    switch.closed = None
    copy.clear()
    CHANGED.notify()
