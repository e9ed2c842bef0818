from collections.abc import Iterator

import pytest

from apps.blog import like_copies


@pytest.fixture(autouse=True)
def nothing_untold() -> Iterator[None]:
    """No test pays for what an earlier one could not tell a Redis that was away."""
    like_copies._untold.clear()
    yield
    like_copies._untold.clear()
