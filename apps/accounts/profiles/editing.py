"""Changing a profile, for the page and the API."""

from typing import Any

from django.db import transaction

from apps.accounts.models import User
from apps.accounts.personal import person_cards
from apps.accounts.profiles import avatars, findable_people, suspensions
from apps.mailbox.copies import changes
from apps.queues import owed
from apps.web import findable

EDITABLE_FIELDS = ("nickname", "bio", "city", "shows_all_cities")


def update_profile(user: User, **fields: Any) -> User:
    """Set the EDITABLE fields of a user; ValidationError names the wrong ones, other names are ignored.

    Problem 403 suspended.

    `picture` is one that avatars.redraw returned; `without_picture` is ignored when a picture is given.
    """
    suspensions.require_may_write(user)
    changed = [name for name in EDITABLE_FIELDS if name in fields]
    for name in changed:
        setattr(user, name, fields[name])
    user.clean_fields(exclude={field.name for field in User._meta.fields}.difference(changed))
    with transaction.atomic():
        user.save(update_fields=changed)
        findable.changed(findable_people.NAME, user.pk)
        if fields.get("picture"):
            avatars.store(user, fields["picture"])
        elif fields.get("without_picture"):
            avatars.remove(user)
        owed.run_after_commit(person_cards.forget, user.pk)
        # The city decides which broadcasts are theirs.
        owed.run_after_commit(changes.publish, [user.pk])
    return user


def reset_profile(user: User, **texts: str) -> None:
    """Set a nickname or bio as staff, in the caller's transaction; also shows an avatar that changed."""
    for name, text in texts.items():
        setattr(user, name, text)
    user.save(update_fields=list(texts))
    findable.changed(findable_people.NAME, user.pk)
    owed.run_after_commit(person_cards.forget, user.pk)
