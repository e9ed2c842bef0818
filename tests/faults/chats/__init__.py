"""Faults under chats."""
