"""The person, if their page may be looked at."""

from django.shortcuts import get_object_or_404

from apps.accounts.models import User


def person(user_id: int) -> User:
    """Somebody who is not switched off, else 404."""
    return get_object_or_404(User, pk=user_id, is_active=True)
