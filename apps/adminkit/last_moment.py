"""A form's field for the moment until which something lasts: a day without a time is meant to its end."""

from datetime import datetime
from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminSplitDateTimeWidget

from apps.web import days


class LastMomentWidget(UnfoldAdminSplitDateTimeWidget):
    """Shows the end of a day as that day, without a time."""

    def decompress(self, value: datetime | None) -> list[Any]:
        day = days.last_day(value) if value else None
        parts: list[Any] = [day, None] if day else super().decompress(value)
        return parts


class LastMomentField(forms.SplitDateTimeField):
    """A day and perhaps a time; 23:59 is how people write the end of a day too."""

    widget = LastMomentWidget

    def compress(self, data_list: Any) -> datetime | None:
        if data_list and data_list[0] and data_list[1] in self.empty_values:
            try:
                return days.end_of_day(data_list[0])
            except OverflowError:
                raise forms.ValidationError(self.error_messages["invalid_date"], "invalid_date") from None
        moment = super().compress(data_list)
        return days.to_end(moment) if moment else None
