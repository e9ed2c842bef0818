"""Suggestions as one types: shops, people and words, found in Redis and shown as SQL has them."""
