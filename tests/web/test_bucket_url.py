"""MEDIA_STORAGE_URL names a bucket, or is refused without a word of its secret."""

import pytest

from config import bucket_url

KEY = "s3://AKIA:hid%2Fden@"


@pytest.mark.parametrize(
    ("url", "endpoint", "origin"),
    [
        (f"{KEY}s3.example/pictures", "https://s3.example", "https://s3.example"),
        (f"{KEY}s3.example:9000/pictures/", "https://s3.example:9000", "https://s3.example:9000"),
        (f"{KEY}/pictures?endpoint=http://127.0.0.1:9000", "http://127.0.0.1:9000", "http://127.0.0.1:9000"),
        (
            f"{KEY}any/pictures?endpoint=https%3A%2F%2Fs3.example%2F",
            "https://s3.example",
            "https://s3.example",
        ),
        (
            f"{KEY}oss.example/pictures?addressing=virtual",
            "https://oss.example",
            "https://pictures.oss.example",
        ),
    ],
)
def test_a_bucket_is_read(url: str, endpoint: str, origin: str) -> None:
    bucket = bucket_url.parse(url)
    assert (bucket.name, bucket.endpoint, bucket.origin) == ("pictures", endpoint, origin)
    assert (bucket.key, bucket.secret, bucket.region) == ("AKIA", "hid/den", "us-east-1")


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("pictures", "is not the URL of a bucket"),
        ("https://AKIA:hidden@s3.example/pictures", "is not the URL of a bucket"),
        ("s3://AKIA:hidden@s3.example/pictures#x", "is not the URL of a bucket"),
        ("s3://AKIA:hidden@s3.example/pic tures", "is not the URL of a bucket"),
        ("s3://AKIA:hid\x00den@s3.example/pictures", "is not the URL of a bucket"),
        ("s3://AKIA:hidden图@s3.example/pictures", "is not the URL of a bucket"),
        ("s3://AKIA:hidden@[::1/pictures", "can't be read as a URL"),
        ("s3://AKIA:hidden@s3.example:port/pictures", "can't be read as a URL"),
        ("s3://s3.example/pictures", "has no key and secret"),
        ("s3://AKIA@s3.example/pictures", "has no key and secret"),
        ("s3://AKIA:hidden@s3.example", "names no bucket"),
        ("s3://AKIA:hidden@s3.example/a/b", "names no bucket"),
        ("s3://AKIA:hidden@s3.example/" + "x" * 64, "names no bucket"),
        ("s3://AKIA:hidden@/pictures", "names no host"),
        (f"{KEY}s3.example/pictures?acl=public", "none of region, endpoint and addressing"),
        (f"{KEY}s3.example/pictures?region=a&region=b", "each once"),
        (f"{KEY}s3.example/pictures?region=", "a region that is no name"),
        (f"{KEY}s3.example/pictures?region=eu%20central", "a region that is no name"),
        (f"{KEY}s3.example/pictures?addressing=dns", "neither path nor virtual"),
        (f"{KEY}/pictures?endpoint=127.0.0.1:9000", "no address of a server"),
        (f"{KEY}/pictures?endpoint=ftp://127.0.0.1", "no address of a server"),
        (f"{KEY}/pictures?endpoint=http://127.0.0.1/path", "no address of a server"),
        (f"{KEY}/pictures?endpoint=http://user:hidden@127.0.0.1", "no address of a server"),
        (f"{KEY}/pictures?endpoint=http://127.0.0.1:port", "no address of a server"),
    ],
)
def test_what_names_no_bucket_is_refused(url: str, text: str) -> None:
    with pytest.raises(ValueError, match=text) as refused:
        bucket_url.parse(url)
    assert "hid" not in str(refused.value)
    assert len(str(refused.value)) < 200
