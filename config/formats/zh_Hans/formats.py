"""Dates, times and numbers in Chinese: "2026年10月3日 14:05", "34,915"."""

DATE_FORMAT = SHORT_DATE_FORMAT = "Y年n月j日"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "Y年n月j日 H:i"
#: Of this year alone: apps/web/short_dates.py chooses.
SHORT_DATETIME_FORMAT = "n月j日 H:i"
MONTH_DAY_FORMAT = "n月j日"
YEAR_MONTH_FORMAT = "Y年n月"
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
