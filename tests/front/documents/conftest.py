from collections.abc import Iterator

import pytest
from django.test import override_settings

from apps.front.documents import page_requests
from apps.front.documents.route import DocumentRoute
from tests.front.documents import site


@pytest.fixture
def documents() -> Iterator[DocumentRoute]:
    """Shared documents of the small site."""
    site.state.__init__()  # type: ignore[misc]
    with override_settings(ROOT_URLCONF="tests.front.documents.site"):
        yield site.build()
    page_requests.forget_settings()
