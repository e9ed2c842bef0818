"""Dates and times in English: "3 Oct 2026, 14:05"."""

DATE_FORMAT = SHORT_DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j M Y, H:i"
#: Of this year alone: apps/web/short_dates.py chooses.
SHORT_DATETIME_FORMAT = "j M, H:i"
MONTH_DAY_FORMAT = "j M"
YEAR_MONTH_FORMAT = "F Y"
