"""Imports of files."""

from apps.imports.models import Import
from tests.factories.rows import RowFactory


class ImportFactory(RowFactory[Import]):
    """An import of shops that nobody has uploaded, without its file."""

    class Meta:
        model = Import

    kind = "shops"
    file_name = "shops.csv"
