"""What the sale page shows."""

import re


def button_state(html: str) -> str:
    """The state of the one button."""
    found = re.search(r'id="grab"[^>]*data-state="(\w+)"', html)
    assert found, html
    return found[1]
