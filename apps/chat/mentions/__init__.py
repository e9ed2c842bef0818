"""Mentions in messages: members alone are linked, and those who muted the chat are not told."""
