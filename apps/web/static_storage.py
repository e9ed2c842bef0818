"""Static files with fingerprints, also inside the imports of our own modules: releases never mix.

A stylesheet of static/css/ that imports its neighbours (`@import "tokens.css";`) is collected as one file.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage
from django.core.files.storage import Storage as FileStorage
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Only static/js/: the modules inside vendors' packages name files that they do not ship.
OUR_MODULES = ("js/*.js", CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1])
#: A neighbour by its bare name, so that what it says of other files is true where it is put.
NEIGHBOUR_IMPORT = re.compile(r'^@import "([\w-]+\.css)";$', re.MULTILINE)
#: Files to collect by name: where each is, and its path there.
Paths = dict[str, tuple[FileStorage, str]]


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # WhiteNoise ships no types
    patterns = (*CompressedManifestStaticFilesStorage.patterns, OUR_MODULES)

    def post_process(self, paths: Paths, *args: Any, **options: Any) -> Iterator[Any]:
        """Collect a stylesheet and all that it imports as one file, and give every file its fingerprint."""
        yield from super().post_process(paths | assemble_stylesheets(paths), *args, **options)

    def create_compressor(self, **kwargs: Any) -> Compressor:
        """Brotli takes ten times gzip's time: worth it for real people, not at the start of a demo."""
        return Compressor(use_brotli=settings.PRODUCTION, **kwargs)


def assemble_stylesheets(paths: Paths) -> Paths:
    """Return the stylesheets that import their neighbours, each with its imports in it, in memory."""
    memory = InMemoryStorage()
    assembled: Paths = {}
    for name in paths:
        if PurePosixPath(name).match("css/*.css") and NEIGHBOUR_IMPORT.search(_read(paths, name)):
            memory.save(name, ContentFile(_assemble(paths, name)))
            assembled[name] = (memory, name)
    return assembled


def _assemble(paths: Paths, name: str) -> str:
    """Return a stylesheet's text; KeyError with the name of an imported file that isn't there."""
    return NEIGHBOUR_IMPORT.sub(
        lambda found: _assemble(paths, str(PurePosixPath(name).with_name(found[1]))), _read(paths, name)
    )


def _read(paths: Paths, name: str) -> str:
    storage, path = paths[name]
    with storage.open(path) as file:
        return str(file.read(), "utf-8")
