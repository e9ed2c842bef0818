"""Static files with fingerprints, also inside the imports of our own modules: releases never mix."""

from typing import Any

from django.conf import settings
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Only static/js/: the modules inside vendors' packages name files that they do not ship.
OUR_MODULES = ("js/*.js", CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1])


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # WhiteNoise ships no types
    patterns = (*CompressedManifestStaticFilesStorage.patterns, OUR_MODULES)

    def create_compressor(self, **kwargs: Any) -> Compressor:
        """Brotli takes ten times gzip's time: worth it for real people, not at the start of a demo."""
        return Compressor(use_brotli=settings.PRODUCTION, **kwargs)
