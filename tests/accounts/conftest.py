from collections.abc import Callable

import pytest
from pytest_django.fixtures import Settings

from apps.accounts import tokens
from apps.accounts.models import AccessToken, User
from tests import races
from tests.accounts import outbox

Race = Callable[[int, Callable[[int], object]], list[object]]


@pytest.fixture(autouse=True)
def post_office(settings: Settings) -> None:
    """Messages arrive in tests.accounts.outbox."""
    settings.SMS_SENDER = "tests.accounts.outbox.Outbox"
    outbox.messages.clear()


@pytest.fixture
def token(alice: User) -> str:
    """Alice's API token, with its hot copy."""
    return issued(alice)


def issued(user: User, kind: str = AccessToken.Kind.API) -> str:
    """A token whose copy is in Redis, although the test's transaction never commits."""
    raw = tokens.issue(user, kind=kind)
    tokens.read_through(tokens.digest(raw))
    return raw


@pytest.fixture
def race() -> Race:
    """race(100, act) -> what act(0) … act(99) returned, all started at once; an exception is returned too."""
    return races.race
