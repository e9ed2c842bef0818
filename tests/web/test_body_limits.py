from django.conf import settings

from apps.web.body_limits import max_body_bytes
from tests.api_document import read_document


def test_json_takes_little() -> None:
    assert max_body_bytes("/api/auth/code") == 64 * 1024
    assert max_body_bytes("/api/photos") == max_body_bytes("/notes/new/") == 12 * 1024 * 1024


def test_files_of_rows_are_larger_in_the_admin_alone() -> None:
    assert max_body_bytes("/admin/shops/shop/import/") == 64 * 1024 * 1024
    assert max_body_bytes("/import/") == max_body_bytes("/admin/imports/import/") == 1024 * 1024


def test_every_path_that_takes_files_is_known() -> None:
    paths = read_document()["paths"]
    taking = {
        path
        for path, operations in paths.items()
        for operation in operations.values()
        if "multipart/form-data" in operation.get("requestBody", {}).get("content", {})
    }
    assert taking == settings.API_UPLOAD_PATHS
