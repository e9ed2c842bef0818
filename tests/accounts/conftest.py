import pytest
from pytest_django.fixtures import Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from tests.accounts import sms_recorder


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
    tokens.read_through([tokens.digest(raw)])
    return raw
