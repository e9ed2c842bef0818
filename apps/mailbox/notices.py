"""What the causes of notifications hand to the mailbox."""

from dataclasses import dataclass

from apps.mailbox.kinds import Kind
from apps.outbox.outbox import OutgoingMessage


@dataclass(frozen=True, kw_only=True)
class Notice:
    """A notification to write: recipient, kind, target, and the actor, or None where the site acts.

    `sms` is the text message for people who want one of this kind; without it they get a short one, or none
    if `is_site_only`.
    """

    recipient_id: int
    kind: Kind
    actor_id: int | None = None
    target_kind: str = ""
    target_id: int = 0
    text: str = ""
    sms: OutgoingMessage | None = None
    is_site_only: bool = False
