"""What the rest is built on: cache, ids, locks, limits."""

from apps.patterns.pattern import Room, Text

ROOM = Room(Text("Foundations", "基础"), order=1)
