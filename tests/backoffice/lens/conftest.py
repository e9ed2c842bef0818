"""Fixtures of the lens: sessions of staff, and browsers with the lens on."""

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.backoffice.lens.access import LensSession
from apps.front.lens import LENS_COOKIE
from tests.coupons import buyers


@pytest.fixture
def session(manager: User) -> LensSession:
    """The lens of a member of staff."""
    return LensSession(manager.pk, "a" * 32)


@pytest.fixture
def looking(session: LensSession) -> Client:
    """A visitor's browser with the lens of a member of staff on."""
    opened = Client(headers=buyers.SAME_ORIGIN)
    opened.cookies[LENS_COOKIE] = session.token
    return opened
