"""Settings of maps: whose tiles lie above the drawn ground, if any."""

from urllib.parse import urlsplit

from config.environment import env


def find_sources(template: str) -> list[str]:
    """The origins that pages load tiles of this URL template from; none for an own path or no tiles.

    "https://{s}.tiles.example/{z}/{x}/{y}.png" has a letter for {s}: any host of that domain.
    """
    url = urlsplit(template)
    return [f"{url.scheme}://{url.netloc.replace('{s}', '*')}"] if url.netloc else []


#: URL template of map tiles, of your own server or one that you pay: "https://…/{z}/{x}/{y}.png". Pages then
#: may load pictures from its host. Empty: maps draw the city's ground themselves and ask nobody.
MAP_TILES = env.str("MAP_TILES", default="")
#: What the tiles' owner wants to read beside them: "© OpenStreetMap contributors".
MAP_ATTRIBUTION = env.str("MAP_ATTRIBUTION", default="")
#: For the Content-Security-Policy's img-src.
MAP_SOURCES = find_sources(MAP_TILES)
