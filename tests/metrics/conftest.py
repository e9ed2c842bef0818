"""Fixtures of the metrics' tests."""

from collections.abc import Iterator

import pytest

from apps.metrics import gathering


@pytest.fixture
def gathers() -> Iterator[None]:
    """Gather in this process; the test itself sends what it gathered."""
    gathering.stop()
    gathering.start()
    yield
    gathering.stop()
