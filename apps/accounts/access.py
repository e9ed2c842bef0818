"""Access to people's pages."""

from django.db.models import Max
from django.shortcuts import get_object_or_404

from apps.accounts.models import User
from apps.web.problems.absent_ids import AbsentIds

ABSENT_IDS = AbsentIds(lambda: User.objects.aggregate(largest=Max("pk"))["largest"])


def person(user_id: int) -> User:
    """The active user of an id; Http404 when there is none or the account is disabled."""
    return ABSENT_IDS.fetch(user_id, _load)


def _load(user_id: int) -> User:
    return get_object_or_404(User, pk=user_id, is_active=True)
