"""Present values for /metrics, which the apps that know them register: queue lengths, lag, last results."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from apps.web.registry import Registry


@dataclass(frozen=True)
class Gauge:
    """A value by label, such as the messages of each queue; `read` may raise, then the gauge is left out.

    A gauge without a label has the one value of the label "".
    """

    about: str
    read: Callable[[], Mapping[str, float]]
    label: str = ""


#: By name: "savor_queue_messages".
GAUGES: Registry[Gauge] = Registry("gauges of /metrics")
