"""Reads MEDIA_STORAGE_URL, the bucket like S3 that keeps pictures; ValueError says what is wrong.

No message repeats a part of the URL: it holds a key and its secret.
"""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

FORM = "write s3://key:secret@host/bucket?region=eu-central-1"
_PARAMETERS = {"region", "endpoint", "addressing"}
_BUCKET_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_REGION = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True)
class Bucket:
    """A bucket, its server's address and the key that may read and write it."""

    name: str
    endpoint: str
    region: str
    addressing: str
    key: str
    secret: str

    @property
    def origin(self) -> str:
        """The origin from which browsers load its objects."""
        scheme, _, host = self.endpoint.partition("://")
        return f"{scheme}://{self.name}.{host}" if self.addressing == "virtual" else self.endpoint

    @property
    def options(self) -> dict[str, Any]:
        """The options of apps.web.bucket_storage.BucketStorage."""
        return {
            "bucket_name": self.name,
            "endpoint_url": self.endpoint,
            "region_name": self.region,
            "addressing_style": self.addressing,
            "access_key": self.key,
            "secret_key": self.secret,
        }


def parse(url: str) -> Bucket:
    """The bucket of `s3://key:secret@host/bucket?region=…&endpoint=…&addressing=path`; or ValueError.

    The server is https://host, or `endpoint`, which may be an http one. `addressing` says where requests name
    the bucket: in the path, or in front of the host ("virtual").
    """
    try:
        parts = urlsplit(url)
        _port = parts.port
    except ValueError:
        raise ValueError(f"can't be read as a URL: {FORM}") from None
    if parts.scheme != "s3" or parts.fragment or not (url.isascii() and url.isprintable()) or " " in url:
        raise ValueError(f"is not the URL of a bucket: {FORM}")
    if not (parts.username and parts.password):
        raise ValueError(f"has no key and secret, with %2F for a slash in them: {FORM}")
    name = parts.path.strip("/")
    if not _BUCKET_NAME.fullmatch(name):
        raise ValueError(f"names no bucket behind its host: {FORM}")
    given = _read_parameters(parts.query)
    return Bucket(
        name,
        _read_endpoint(parts, given.get("endpoint", "")),
        given.get("region", "us-east-1"),
        given.get("addressing", "path"),
        unquote(parts.username),
        unquote(parts.password),
    )


def _read_parameters(query: str) -> dict[str, str]:
    given = parse_qs(query, keep_blank_values=True)
    if not given.keys() <= _PARAMETERS or any(len(values) > 1 for values in given.values()):
        raise ValueError("has a parameter that is none of region, endpoint and addressing, each once")
    found = {name: values[0] for name, values in given.items()}
    if not _REGION.fullmatch(found.get("region", "us-east-1")):
        raise ValueError("has a region that is no name like eu-central-1")
    if found.get("addressing", "path") not in ("path", "virtual"):
        raise ValueError("has an addressing that is neither path nor virtual")
    return found


def _read_endpoint(parts: SplitResult, endpoint: str) -> str:
    if not endpoint:
        if not parts.hostname:
            raise ValueError(f"names no host: {FORM}")
        return f"https://{parts.netloc.rpartition('@')[2]}"
    try:
        server = urlsplit(endpoint)
        is_good = server.scheme in ("http", "https") and server.hostname and server.port != 0
    except ValueError:
        is_good = False
    if not is_good or server.netloc != endpoint.partition("://")[2].rstrip("/") or "@" in server.netloc:
        raise ValueError("has an endpoint that is no address of a server: write endpoint=https://host:port")
    return f"{server.scheme}://{server.netloc}"
