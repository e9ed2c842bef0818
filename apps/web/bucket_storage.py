"""Django's storage in a bucket like S3, for sites that set MEDIA_STORAGE_URL."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files.base import ContentFile, File
from storages.backends.s3 import S3Storage

from apps.web.problems.translation import StorageUnavailable

#: Seconds for which an address that `sign_url` gave is good.
SIGNED_SECONDS = 86_400
#: What browsers keep, once they have it: an object's name is never used for another picture.
_CACHE_CONTROL = "private, max-age=31536000, immutable"


class BucketStorage(S3Storage):  # type: ignore[misc]  # it has no types
    """Keeps files as objects of a bucket that is read only with a signature.

    What the network and the bucket refuse is a StorageUnavailable. A call waits at most some seconds: a
    picture's request holds one of a web process's few threads.
    """

    def __init__(self, *, region_name: str, addressing_style: str, **options: Any) -> None:
        config = Config(
            region_name=region_name,
            signature_version="s3v4",
            s3={"addressing_style": addressing_style},
            connect_timeout=2,
            read_timeout=5,
            retries={"mode": "standard", "total_max_attempts": 2},
        )
        super().__init__(
            region_name=region_name,
            client_config=config,
            # Names are random; and asking whether one is taken would be one more exchange.
            file_overwrite=True,
            transfer_config=TransferConfig(use_threads=False),
            **options,
        )

    def sign_url(self, name: str, *, content_type: str) -> str:
        """An address of the bucket itself that gives the file to everybody who has it, for SIGNED_SECONDS."""
        answer = {"ResponseContentType": content_type, "ResponseCacheControl": _CACHE_CONTROL}
        return str(super().url(name, parameters=answer, expire=SIGNED_SECONDS))

    def url(self, name: str, *_args: object, **_options: object) -> str:
        """The site's own address of a file: it decides whether the file is shown, and signs then."""
        return f"{settings.MEDIA_URL}{name}"

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        with _one_error(), super()._open(name, mode) as file:
            return ContentFile(file.read(), name)

    def _save(self, name: str, content: File[bytes]) -> str:
        with _one_error():
            return str(super()._save(name, content))

    def exists(self, name: str) -> bool:
        with _one_error():
            return bool(super().exists(name))

    def delete(self, name: str) -> None:
        with _one_error():
            super().delete(name)


@contextmanager
def _one_error() -> Iterator[None]:
    """Raise StorageUnavailable for each error of boto, without its text, which may hold the key."""
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "unknown")
        raise StorageUnavailable(f"the bucket refuses {error.operation_name}: {code}") from None
    except BotoCoreError as error:
        raise StorageUnavailable(f"the bucket does not answer: {type(error).__name__}") from None
