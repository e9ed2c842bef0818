"""Days, visitors, numbers over time."""

from apps.patterns.pattern import Room, Text

ROOM = Room(Text("Counting", "计数"), order=5)
