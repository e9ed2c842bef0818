"""Who decides about whom."""

import pytest

from apps.accounts.models import User
from apps.accounts.staff import role_groups
from apps.adminkit.roles import Role
from apps.moderation.deciding import decisions, ranks
from apps.moderation.models import Case
from apps.web.problems import Problem

pytestmark = pytest.mark.django_db(transaction=True)
#: (role of who decides, role of the author, whether that may be); "" is nobody's.
RANKS = (
    (Role.MODERATOR, "", True),
    (Role.MODERATOR, Role.SHOP_OWNER, True),
    (Role.MODERATOR, Role.SUPPORT, False),
    (Role.MODERATOR, Role.MODERATOR, False),
    (Role.MODERATOR, Role.MANAGER, False),
    (Role.MANAGER, Role.MODERATOR, True),
    (Role.MANAGER, Role.MANAGER, False),
    (Role.MANAGER, "owner", False),
    ("owner", Role.MANAGER, True),
    ("owner", "owner", True),
)


def raise_to(user: User, role: str) -> User:
    if role == "owner":
        User.objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
    elif role:
        role_groups.grant(user, Role(role))
    return User.objects.get(pk=user.pk)


@pytest.mark.parametrize(("role", "authors", "may"), RANKS)
def test_staff_decides_about_people_below_them(
    role: str, authors: str, may: bool, bob: User, charlie: User
) -> None:
    assert bool(ranks.explain_refusal(raise_to(charlie, role), raise_to(bob, authors))) is not may


def test_nobody_decides_about_their_own_thing_or_undoes_it(case: Case, bob: User, moderator: User) -> None:
    raise_to(bob, "owner")
    with pytest.raises(Problem) as refusal:
        decisions.decide(case.pk, User.objects.get(pk=bob.pk), reason="My own note is fine")
    assert refusal.value.status == 403
    with pytest.raises(Problem) as refusal:
        decisions.decide(case.pk, moderator, is_hidden=True, reason="The owner's note")
    assert refusal.value.status == 403
    raise_to(moderator, "owner")
    hiding = decisions.decide(case.pk, User.objects.get(pk=moderator.pk), is_hidden=True, reason="Rude")
    with pytest.raises(Problem) as refusal:
        decisions.undo(hiding.pk, User.objects.get(pk=bob.pk))
    assert refusal.value.status == 403
