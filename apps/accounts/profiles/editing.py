"""Changing a profile, for the page and the API."""

from typing import Any

from django.db import transaction

from apps.accounts.models import User
from apps.accounts.personal import person_cards
from apps.accounts.profiles import avatars, findable_people
from apps.mailbox.copies import changes
from apps.web import findable, on_commit

EDITABLE_FIELDS = ("nickname", "bio", "city")


def update_profile(user: User, **fields: Any) -> User:
    """Set the EDITABLE fields of a user; ValidationError names the wrong ones, other names are ignored.

    `picture` is one that avatars.redraw returned; `without_picture` is ignored when a picture is given.
    """
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
    on_commit.run_after_commit(person_cards.forget, user.pk)
    # The city decides which broadcasts are theirs.
    on_commit.run_after_commit(changes.publish, [user.pk])
    return user
