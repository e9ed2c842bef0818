"""Changes of settings: each is a row, whose number makes a second change at the same moment fail."""

import logging
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from apps.redis_kit import client
from apps.siteconfig import site_state
from apps.siteconfig.components import copies
from apps.siteconfig.components.definitions import Component
from apps.siteconfig.models import SettingsChange
from apps.web.on_commit import run_after_commit

log = logging.getLogger(__name__)


def newest_number(component: Component[Any]) -> int:
    """The number of the newest change; 0 before the first one."""
    row = SettingsChange.objects.filter(component=component.name).first()
    return row.number if row else 0


def change(
    component: Component[Any], overrides: Mapping[str, Any], *, changed_by: str, based_on: int
) -> SettingsChange:
    """Put settings in force, in every process within a second; a setting that is missing has its default.

    `based_on` is the number of the change that the operator saw. ValidationError with sentences by setting
    for a value that can't be, and one for everything when another change came first.
    """
    refused = component.check(overrides)
    if refused:
        raise ValidationError({name: [sentence] for name, sentence in refused.items()})
    if newest_number(component) != based_on:
        raise _somebody_was_faster()
    row = SettingsChange(
        component=component.name, number=based_on + 1, overrides=dict(overrides), changed_by=changed_by
    )
    try:
        with transaction.atomic():
            row.save()
            run_after_commit(_publish, row)
    except IntegrityError:
        raise _somebody_was_faster() from None
    return row


def restore(component: Component[Any], number: int, *, changed_by: str, based_on: int) -> SettingsChange:
    """Put the settings of an earlier change in force again, 0 for the defaults. Raises as `change`."""
    earlier = SettingsChange.objects.filter(component=component.name, number=number).first()
    overrides = earlier.overrides if earlier else {}
    return change(component, overrides, changed_by=changed_by, based_on=based_on)


def _publish(row: SettingsChange) -> None:
    try:
        copies.store(row)
    except client.UNAVAILABLE:
        log.warning("change %d of %s reaches other processes when Redis is back", row.number, row.component)
        copies.copy.fill_soon()
    site_state.poller.read_now()


def _somebody_was_faster() -> ValidationError:
    return ValidationError(_("Somebody has changed these settings meanwhile. Look at them again, then save."))
