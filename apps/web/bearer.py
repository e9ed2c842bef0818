"""Reads the token of an Authorization header (RFC 6750), for the event loop and Django alike."""


def read_bearer(authorization: str) -> str | None:
    """The token behind the scheme, which may be written in any case; None for another scheme or none."""
    scheme, space, token = authorization.partition(" ")
    return token.lstrip(" ") if space and scheme.lower() == "bearer" else None
