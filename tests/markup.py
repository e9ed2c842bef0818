"""Normalizes HTML for comparisons, so that a template's line breaks don't matter."""

import re


def compact(content: bytes) -> str:
    """Return a response's HTML with single spaces between attributes and none around a tag's text."""
    text = re.sub(r"\s+", " ", content.decode())
    text = re.sub(r" ?(/?>) ?", r"\1", text)
    return text.replace(" <", "<")
