"""Tokens that people make for programs."""
