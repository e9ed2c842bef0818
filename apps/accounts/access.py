"""Access to people's pages."""

from django.shortcuts import get_object_or_404

from apps.accounts.models import User
from apps.web.problems import absent_ids

ABSENT_IDS = absent_ids.of_rows(User.objects)


def person(user_id: int) -> User:
    """The active user of an id; Http404 when there is none or the account is disabled."""
    return ABSENT_IDS.fetch(user_id, _load)


def _load(user_id: int) -> User:
    return get_object_or_404(User, pk=user_id, is_active=True)
