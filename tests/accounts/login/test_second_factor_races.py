"""A second factor under attack: many guesses, and one right code at many doors at once."""

from functools import partial

import pytest
from django_otp.plugins.otp_totp.models import TOTPDevice

from apps.accounts import second_factor
from apps.accounts.models import User
from tests.accounts.login.test_second_factor import current_code
from tests.races import Race

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
AT_ONCE = 12


@pytest.fixture
def backup_codes(manager: User) -> list[str]:
    """The manager's backup codes: the second factor is in force, and the next code counts."""
    second_factor.begin(manager)
    codes = second_factor.confirm(manager, current_code(manager))
    TOTPDevice.objects.update(last_t=-1)
    return codes


def is_right(user: User, code: str, _door: int) -> bool:
    return second_factor.verify(user, code) is not None


def test_one_code_at_many_doors_opens_one(manager: User, backup_codes: list[str], race: Race) -> None:
    for code in (current_code(manager), backup_codes[0]):
        opened = race(AT_ONCE, partial(is_right, manager, code))
        assert opened.count(True) == 1, code
        TOTPDevice.objects.update(throttling_failure_count=0, throttling_failure_timestamp=None)


def test_of_many_guesses_at_once_one_is_looked_at(manager: User, backup_codes: list[str], race: Race) -> None:
    """The first wrong one slows down all others, the right code among them."""
    right = current_code(manager)
    assert second_factor.verify(manager, f"{(int(right) + 1) % 1_000_000:06}") is None
    guesses = [f"{number:06}" for number in range(AT_ONCE - 1)] + [right]
    assert race(AT_ONCE, lambda number: second_factor.verify(manager, guesses[number])) == [None] * AT_ONCE
    assert TOTPDevice.objects.get(user=manager).throttling_failure_count == 1
