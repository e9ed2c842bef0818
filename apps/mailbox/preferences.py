"""How people receive each kind of notification, and their quiet hours."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils import timezone

from apps.mailbox.kinds import Delivery, Kind, default_delivery
from apps.mailbox.models import Preferences

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Choices:
    """One person's choices; hours are of the site's time zone, and the same hour twice means none."""

    deliveries: Mapping[str, str] = field(default_factory=dict)
    quiet_from: int = 0
    quiet_until: int = 0

    def delivery(self, kind: Kind) -> Delivery:
        """How the person receives a kind."""
        return choose_delivery(self.deliveries, kind)

    def end_of_quiet_hours(self, at: datetime) -> datetime | None:
        """When the quiet hours around `at` end; None outside of them."""
        local = timezone.localtime(at)
        if (local.hour - self.quiet_from) % 24 >= (self.quiet_until - self.quiet_from) % 24:
            return None
        end = local.replace(hour=self.quiet_until, minute=0, second=0, microsecond=0)
        return end if end > local else end + ONE_DAY


def choose_delivery(deliveries: Mapping[str, str] | None, kind: Kind) -> Delivery:
    """The chosen way of a kind, or its default."""
    chosen = (deliveries or {}).get(kind)
    return Delivery(chosen) if chosen in Delivery.values else default_delivery(kind)


def load(user_ids: Collection[int]) -> dict[int, Choices]:
    """{user id: choices} of all these people; one query."""
    rows = Preferences.objects.in_bulk(user_ids)
    return {user_id: _from_row(rows.get(user_id)) for user_id in user_ids}


def save(user_id: int, choices: Choices) -> None:
    """Keep a person's choices; of the deliveries only those that differ from the default."""
    deliveries = {
        kind.value: choices.delivery(kind).value
        for kind in Kind
        if choices.delivery(kind) != default_delivery(kind)
    }
    hours = {"quiet_from": choices.quiet_from, "quiet_until": choices.quiet_until}
    Preferences.objects.update_or_create(pk=user_id, defaults={"deliveries": deliveries} | hours)


def _from_row(row: Preferences | None) -> Choices:
    return Choices(row.deliveries, row.quiet_from, row.quiet_until) if row else Choices()
