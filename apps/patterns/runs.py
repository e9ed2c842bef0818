"""Runs one way of a pattern on scratch keys, and tells what happened command by command."""

from dataclasses import dataclass
from typing import Literal

from apps.patterns import command_log, key_pictures, scratch
from apps.patterns.command_log import CommandLog
from apps.patterns.key_pictures import KeyPicture
from apps.patterns.pattern import Outcome, Pattern

WayName = Literal["naive", "ours"]


@dataclass(frozen=True)
class Run:
    """A demonstration that ended: its outcome, the commands that it took, and the keys as it left them."""

    way: WayName
    outcome: Outcome
    log: CommandLog
    keys: list[KeyPicture]


def run(pattern: Pattern, way: WayName) -> Run:
    """Demonstrate one way; raises client.UNAVAILABLE when Redis is away."""
    chosen_way = pattern.naive if way == "naive" else pattern.ours
    with scratch.opened() as keys:
        with command_log.recorded(short_names(pattern, keys)) as log:
            outcome = chosen_way.run(keys)
        is_bits = any(live.is_bits for live in pattern.keys)
        return Run(way, outcome, log, key_pictures.draw_scratch(keys, is_bits=is_bits))


def short_names(pattern: Pattern, keys: scratch.Scratch) -> dict[str, str]:
    """What stands in a command log for a script's digest and text, and for the prefix of a run."""
    digests = {script.sha: f"{script.name}.lua" for script in pattern.scripts}
    texts = {script.text: f"{script.name}.lua" for script in pattern.scripts}
    return digests | texts | {keys.prefix: "…", keys.name(""): "…"}
