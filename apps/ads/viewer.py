"""Who looks at an ad, as far as ads know."""

from dataclasses import dataclass

from apps.uv import visitors
from apps.web import client_address


@dataclass(frozen=True)
class Viewer:
    """Who looks at a page: `key` (letters, digits, _ and -) tells viewers apart and says nothing else.

    `ip` is "" without a request; the first visit of one who `is_new` was seconds ago.
    """

    key: str
    user_id: int | None = None
    is_bot: bool = False
    is_staff: bool = False
    ip: str = ""
    is_new: bool = False

    @property
    def is_free(self) -> bool:
        """Whether nothing that this viewer does counts."""
        return self.is_bot or self.is_staff

    @property
    def networks(self) -> tuple[str, str]:
        """Keyed hashes of the address and of the network around it, as parts of keys."""
        networks = (client_address.site_network(self.ip), client_address.neighbourhood_network(self.ip))
        address, around = (visitors.digest(network) for network in networks)
        return address, around
