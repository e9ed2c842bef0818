"""Chats of two people or a group: messages in SQL, delivered live through Redis."""
