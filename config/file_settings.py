"""Settings of files: static files, uploads and their sizes, and what the site writes for itself."""

from pathlib import Path

from whitenoise.compress import Compressor

from config.environment import BASE_DIR, VAR_DIR, env

#: Folder of the demo's made-up table of addresses.
GEOIP_DIR = VAR_DIR / "geoip"
#: Folder of the access log of this machine's web processes; None without one.
ACCESS_LOG_DIR = VAR_DIR / "logs" if env.bool("ACCESS_LOG", default=True) else None
#: Most bytes of log blocks in Redis: the sender waits for the slowest analyser.
LOG_STREAM_BYTES = env.int("LOG_STREAM_BYTES", default=64 * 1024 * 1024)

STATIC_URL = "/static/"
#: Where collectstatic writes, for another web server to read: VAR_DIR is closed to it.
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(VAR_DIR / "static")))
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_URL = "/media/"
MEDIA_ROOT = VAR_DIR / "media"
# Source maps are not compressed: they are megabytes, and only developers load them.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
#: Largest request body with its files, and largest one of JSON, in bytes; a larger request is answered 413
#: before it is read.
MAX_BODY_BYTES, MAX_JSON_BYTES = 12 * 1024 * 1024, 64 * 1024
#: Paths under /api/ that take files.
API_UPLOAD_PATHS = {"/api/photos", "/api/me/avatar", "/api/chat-pictures"}
#: Most pictures that all processes together decode at once; each takes up to 430 MB and a core.
PICTURES_AT_ONCE = env.int("PICTURES_AT_ONCE", default=2)
