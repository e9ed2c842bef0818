"""People: their accounts, follows and check-ins."""

from datetime import timedelta

import factory
from django.utils import timezone
from factory.django import Password

from apps.accounts.deletion import deletions
from apps.accounts.models import AccessToken, AccountDeletion, DailyCount, User
from apps.follows.models import Follow
from apps.signins.models import PointEntry, SignInMonth
from tests.factories.rows import RowFactory


class UserFactory(RowFactory[User]):
    """A person without a password, as all are who log in by a code."""

    class Meta:
        model = User

    class Params:
        superuser = factory.Trait(is_staff=True, is_superuser=True)

    # Phones that no test writes out.
    phone = factory.Sequence(lambda number: f"+861395{number:07}")
    # Of one length, so that none begins with another.
    nickname = factory.Sequence(lambda number: f"Diner {number:05}")
    # No time for forty random signs, as make_password(None) draws; a given password is hashed.
    password = Password(factory.Transformer.Force("!unusable"))


class AccessTokenFactory(RowFactory[AccessToken]):
    """A log-in of an application for a day, whose token nobody knows."""

    class Meta:
        model = AccessToken

    user = factory.SubFactory(UserFactory)
    digest = factory.Sequence(lambda number: f"{number:064x}")
    kind = AccessToken.Kind.API
    expires_at = factory.LazyFunction(lambda: timezone.now() + timedelta(days=1))


class AccountDeletionFactory(RowFactory[AccountDeletion]):
    """Asked for just now; its account is left as it is."""

    class Meta:
        model = AccountDeletion

    user = factory.SubFactory(UserFactory)
    requested_at = factory.LazyFunction(timezone.now)
    purge_at = factory.LazyAttribute(lambda row: row.requested_at + deletions.GRACE)


class AccountDailyCountFactory(RowFactory[DailyCount]):
    """How often a subject took a costly action today."""

    class Meta:
        model = DailyCount

    day = factory.LazyFunction(lambda: timezone.now().date())
    what = "send:all"
    subject = factory.Sequence(lambda number: DailyCount.hashed(str(number)))


class FollowFactory(RowFactory[Follow]):
    """A follow that nobody's counts and following set know of."""

    class Meta:
        model = Follow

    follower = factory.SubFactory(UserFactory)
    followee = factory.SubFactory(UserFactory)


class SignInMonthFactory(RowFactory[SignInMonth]):
    """A month of a person, without any check-in."""

    class Meta:
        model = SignInMonth

    user = factory.SubFactory(UserFactory)
    month = factory.LazyFunction(lambda: timezone.localdate().replace(day=1))


class PointEntryFactory(RowFactory[PointEntry]):
    """Ten points that staff gave today, which are in no total."""

    class Meta:
        model = PointEntry

    user = factory.SubFactory(UserFactory)
    amount = 10
    reason = PointEntry.Reason.ADJUSTMENT
    day = factory.LazyFunction(timezone.localdate)
    key = factory.Sequence(lambda number: f"given:{number}")
