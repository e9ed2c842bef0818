"""Who decides about whom."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.accounts.staff import role_groups
from apps.adminkit.roles import Role
from apps.moderation import decisions
from apps.moderation.models import Case, Decision
from apps.web.problems import Problem
from tests.coupons import buyers

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
    assert bool(decisions.explain_refusal(raise_to(charlie, role), raise_to(bob, authors))) is not may


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


@pytest.mark.parametrize("door", ["api", "page", "dismissal", "together", "undo by api", "undo by page"])
def test_no_door_lets_a_moderator_decide_about_who_is_not_below(
    door: str, case: Case, bob: User, moderator: User, charlie: User
) -> None:
    raise_to(charlie, "owner")
    hiding = decisions.decide(case.pk, User.objects.get(pk=charlie.pk), is_hidden=True, reason="Rude")
    if not door.startswith("undo"):
        decisions.undo(hiding.pk, User.objects.get(pk=charlie.pk))
        Case.objects.update(state=Case.State.OPEN)
    raise_to(bob, Role.MANAGER)
    before = list(Decision.objects.values())
    program, desk = buyers.api_client(moderator), Client()
    desk.force_login(moderator)
    page = f"/admin/moderation/case/{case.pk}/change/"
    decision: dict[str, Any] = {"reason": "Mine", "sanction": "ban"}
    doors: dict[str, Callable[[], Any]] = {
        "api": lambda: _send(program, f"/api/moderation/cases/{case.pk}/decisions", decision),
        "page": lambda: desk.post(page, decision | {"is_hidden": "on"}),
        "dismissal": lambda: desk.post(page, {"dismiss": "1"}),
        "together": lambda: desk.post(
            "/admin/moderation/case/",
            decision | {"action": "decide_many", "_selected_action": [case.pk], "is_hidden": "on"},
        ),
        "undo by api": lambda: _send(program, f"/api/moderation/decisions/{hiding.pk}/undo", {}),
        "undo by page": lambda: desk.post(page, {"undo": hiding.pk}),
    }
    assert doors[door]().status_code in {302, 403, 422}
    assert list(Decision.objects.values()) == before
    assert User.objects.get(pk=bob.pk).is_active


def _send(program: Client, path: str, body: Any) -> Any:
    return program.post(path, json.dumps(body), content_type="application/json")
