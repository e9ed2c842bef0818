"""Settings of files that the site writes for itself."""

from config.environment import VAR_DIR

#: Folder of the demo's made-up table of addresses.
GEOIP_DIR = VAR_DIR / "geoip"
