"""HTML as tests compare it: how a template breaks its lines is no part of a page."""

import re


def compact(content: bytes) -> str:
    """A response's HTML with single spaces between attributes and none around a tag's text."""
    text = re.sub(r"\s+", " ", content.decode())
    text = re.sub(r" ?(/?>) ?", r"\1", text)
    return text.replace(" <", "<")
