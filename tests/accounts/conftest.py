from collections.abc import Callable

import pytest
from pytest_django.fixtures import Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from tests import races
from tests.accounts import sms_recorder

Race = Callable[[int, Callable[[int], object]], list[object]]


@pytest.fixture(autouse=True)
def post_office(settings: Settings) -> None:
    """Messages arrive in tests.accounts.sms_recorder."""
    settings.SMS_SENDER = "tests.accounts.sms_recorder.RecordingSender"
    sms_recorder.messages.clear()


@pytest.fixture
def token(alice: User) -> str:
    """Alice's API token, with its hot copy."""
    return issue_cached_token(alice)


def issue_cached_token(user: User, kind: str = AccessToken.Kind.API) -> str:
    """A token whose copy is in Redis, although the test's transaction never commits."""
    raw = tokens.issue(user, kind=kind)
    tokens.read_through(tokens.digest(raw))
    return raw


@pytest.fixture
def race() -> Race:
    """race(100, act) -> what act(0) … act(99) returned, all started at once; an exception is returned too."""
    return races.race
