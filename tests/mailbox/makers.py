"""What tests of causes want to know of the mailbox."""

from apps.accounts.models import User
from apps.mailbox.models import Notification


def unread_kinds(person: User) -> list[str]:
    """The kinds of a person's unread notifications, in alphabetical order."""
    rows = Notification.objects.filter(recipient=person).unread()
    return sorted(rows.values_list("kind", flat=True))
