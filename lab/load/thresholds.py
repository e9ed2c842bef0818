"""Thresholds of a run, such as "p99=300ms,errors=0,oversold=0": each is the most that is allowed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: What each name means in a result's figures (Result.as_dict), and whether it is a time.
TIMES = {"p50": "p50_ms", "p95": "p95_ms", "p99": "p99_ms", "max": "max_ms"}
COUNTS = {"errors": "errors", "lost": "asked_again", "oversold": "oversold"}
NAMES = (*TIMES, *COUNTS)
EXAMPLE = "p99=300ms,errors=0,oversold=0"
_NUMBER = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(ms|s)?")


@dataclass(frozen=True)
class Threshold:
    """The most of one figure, in milliseconds if it is a time."""

    name: str
    most: float

    def judge(self, figures: Mapping[str, Any]) -> dict[str, Any]:
        """Return the threshold beside what was measured."""
        got = float(figures[(TIMES | COUNTS)[self.name]])
        return {"name": self.name, "most": self.most, "got": got, "met": got <= self.most}


def parse(text: str) -> list[Threshold]:
    """Return the thresholds of a text; ValueError with one sentence that says what is wrong."""
    found: dict[str, Threshold] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, sign, value = (word.strip() for word in part.partition("="))
        number = _NUMBER.fullmatch(value)
        if not sign or name not in NAMES:
            raise ValueError(f"{part!r} is no threshold: {EXAMPLE}; names are {', '.join(NAMES)}")
        if number is None or (number[2] is None) == (name in TIMES):
            wanted = "a time such as 300ms or 1.5s" if name in TIMES else "a whole number"
            raise ValueError(f"{part!r} is no threshold: {name} takes {wanted}")
        if name in COUNTS and "." in value:
            raise ValueError(f"{part!r} is no threshold: {name} takes a whole number")
        if name in found:
            raise ValueError(f"{name} is given twice")
        found[name] = Threshold(name, float(number[1]) * (1_000 if number[2] == "s" else 1))
    return list(found.values())


def describe(judged: Mapping[str, Any]) -> str:
    """Return a judged threshold in words."""
    unit = " ms" if judged["name"] in TIMES else ""
    verdict = "kept" if judged["met"] else "missed"
    return f"{judged['name']} {judged['got']:g}{unit}, at most {judged['most']:g}{unit}: {verdict}"
