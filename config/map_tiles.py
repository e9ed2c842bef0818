"""The Content-Security-Policy's part of map tiles."""

from urllib.parse import urlsplit


def sources(template: str) -> list[str]:
    """The origins that pages load tiles of this URL template from; none for an own path or no tiles.

    "https://{s}.tiles.example/{z}/{x}/{y}.png" has a letter for {s}: any host of that domain.
    """
    url = urlsplit(template)
    return [f"{url.scheme}://{url.netloc.replace('{s}', '*')}"] if url.netloc else []
