"""What follows a commit can't undo it."""

import pytest
from django.db import transaction
from redis.exceptions import ConnectionError as ConnectionLost

from apps.web import on_commit


def away(number: int, *, why: str) -> None:
    raise ConnectionLost(f"{number}: {why}")


@pytest.mark.django_db(transaction=True)
def test_an_error_after_the_commit_is_logged_by_name(caplog: pytest.LogCaptureFixture) -> None:
    done: list[int] = []
    with transaction.atomic():
        on_commit.run_after_commit(away, 7, why="gone")
        on_commit.run_after_commit(done.append, 8)
        assert done == []
    assert done == [8]
    assert "Error calling away in on_commit()" in caplog.text
    assert "7: gone" in caplog.text
