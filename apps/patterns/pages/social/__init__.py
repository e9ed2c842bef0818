"""Likes, follows, feeds, chats."""

from apps.patterns.pattern import Room, Text

ROOM = Room(Text("People", "社交"), order=3)
