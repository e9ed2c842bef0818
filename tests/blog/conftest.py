from collections.abc import Iterator

import pytest

from apps.blog.likes import like_copies


@pytest.fixture(autouse=True)
def no_stale_copies() -> Iterator[None]:
    """No test pays for what an earlier one could not tell a Redis that was away."""
    like_copies._stale_note_ids.clear()
    yield
    like_copies._stale_note_ids.clear()
