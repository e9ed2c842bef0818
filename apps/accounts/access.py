"""Access to people's pages."""

from django.shortcuts import get_object_or_404

from apps.accounts.models import User


def person(user_id: int) -> User:
    """The active user of an id; Http404 when there is none or the account is disabled."""
    return get_object_or_404(User, pk=user_id, is_active=True)
